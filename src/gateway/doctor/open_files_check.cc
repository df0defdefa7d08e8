// Open files: a connection is one, and so is each call's to its upstream.
#include <sys/resource.h>

#include "base/concat.h"
#include "gateway/doctor/checks.h"
#include "net/http.h"

namespace brigada {

namespace {

constexpr int64_t kOthers = 256;  // stores, log segments, libraries

}  // namespace

void check_open_files(const GatewayConfig& config, Findings& findings) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const int64_t clients = static_cast<int64_t>(HttpLimits().connections);
    const int64_t needed = clients + config.brigada.admission.slots + kOthers;
    const auto allowed = static_cast<int64_t>(limit.rlim_cur);
    if (limit.rlim_cur == RLIM_INFINITY || allowed >= needed)
        return findings.ok(concat(allowed, " open files are allowed"));
    findings.warn(concat(allowed, " open files are allowed; ", clients, " clients need ", needed),
                  concat("ulimit -n ", needed, ", or LimitNOFILE=", needed, " of its service"));
}

}  // namespace brigada
