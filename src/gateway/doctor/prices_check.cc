// What calls cost: the arithmetic of each deployment's prices.
#include "base/concat.h"
#include "gateway/deployment_price.h"
#include "gateway/doctor/checks.h"

namespace brigada {

void check_prices(const GatewayConfig& config, Findings& findings) {
    for (const Deployment& deployment : config.deployments)
        for (const std::string& line : price_words(deployment, declared_throughput(deployment)))
            findings.ok(concat(deployment.model_name, " (", deployment.id, "): ", line));
}

}  // namespace brigada
