// What a deployment's tokens cost: as its configuration says, or, for an engine of one's own, by
// what an hour of it costs and how many tokens it handles. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admit/engine_hour.h"
#include "admit/price.h"
#include "gateway/config/deployment.h"

namespace brigada {

/// How many tokens the engine handles, and who says so.
struct KnownThroughput {
    Throughput throughput = {};
    bool is_measured = false;

    friend bool operator==(const KnownThroughput&, const KnownThroughput&) = default;
};

/// What its configuration declares, of a deployment that is priced by the hour.
std::optional<KnownThroughput> declared_throughput(const Deployment& deployment);

/// Prices that the configuration gives, and the others by `known`. What neither says is free; of
/// prompts, it costs what input does.
Price price_of(const Deployment& deployment, const std::optional<KnownThroughput>& known);

/// The arithmetic of price_of, line by line, for people.
std::vector<std::string> price_words(const Deployment& deployment,
                                     const std::optional<KnownThroughput>& known);

/// Pico-dollars as decimal dollars: "0.0000002", exact.
std::string dollars_of_pico(int64_t pico);

}  // namespace brigada
