#include "cli/simulate_pools.h"

#include <algorithm>
#include <charconv>

#include "base/concat.h"
#include "base/joined.h"

namespace brigada {

namespace {

Error wrong(std::string_view pool, std::string_view why) {
    return {Code::invalid_argument, concat("--pool '", pool, "': ", why)};
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(at, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

template <typename Number>
bool read(std::string_view text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool read(std::string_view text, std::string& out) {
    out = text;
    return !text.empty();
}

constexpr std::string_view kOptions =
    "model, gpu, tp, replicas, kv-dtype, utilisation, step-tokens, max-num-seqs, max-context, "
    "cost, kv-tokens, kv-bytes-per-token, dollars, ram-tier, disk-tier, draft-tokens, acceptance "
    "and draft-ms";

/// False when there is no such option; `is_good` says whether its value can be read.
bool take(std::string_view option, std::string_view value, SimulateWords& words, bool& is_good) {
    const auto is = [&](std::string_view name, auto& field) {
        if (option != name) return false;
        is_good = read(value, field);
        return true;
    };
    return is("model", words.model) || is("gpu", words.gpu) || is("tp", words.tp) ||
           is("replicas", words.replicas) || is("kv-dtype", words.kv_dtype) ||
           is("utilisation", words.utilisation) || is("step-tokens", words.step_tokens) ||
           is("max-num-seqs", words.max_num_seqs) || is("max-context", words.max_context) ||
           is("cost", words.cost) || is("kv-tokens", words.kv_tokens) ||
           is("kv-bytes-per-token", words.kv_bytes_per_token) ||
           is("dollars", words.dollars_per_hour) || is("ram-tier", words.ram_tier_gib) ||
           is("disk-tier", words.disk_tier_gib) || is("draft-tokens", words.draft_tokens) ||
           is("acceptance", words.acceptance) || is("draft-ms", words.draft_ms);
}

Result<std::vector<uint32_t>> models_of(std::string_view pool, std::string_view names,
                                        const Trace& trace) {
    std::vector<uint32_t> models;
    for (const std::string_view name : split(names, '+')) {
        const auto model = std::ranges::find(trace.models, name);
        if (model == trace.models.end()) {
            return wrong(pool, concat("the trace asks for no model '", name, "'; it has ",
                                      joined(trace.models)));
        }
        models.push_back(static_cast<uint32_t>(model - trace.models.begin()));
    }
    return models;
}

Result<SimReplica> pool_of(std::string_view pool, SimulateWords words, const Trace& trace) {
    const size_t colon = pool.rfind(':');
    if (colon == pool.npos) return wrong(pool, "MODEL[+MODEL]:OPTION=VALUE,... is wanted");
    for (const std::string_view said : split(pool.substr(colon + 1), ',')) {
        const size_t equals = std::min(said.find('='), said.size());
        const std::string_view option = said.substr(0, equals);
        const std::string_view value = said.substr(std::min(equals + 1, said.size()));
        bool is_good = true;
        if (!take(option, value, words, is_good))
            return wrong(pool, concat("there is no option '", option, "'; there are ", kOptions));
        if (!is_good) return wrong(pool, concat("'", value, "' is no value of ", option));
    }
    TRY(SimReplica replica, replica_of(words));
    TRY(replica.models, models_of(pool, pool.substr(0, colon), trace));
    return replica;
}

}  // namespace

Result<void> add_pools(const SimulateWords& words, const Trace& trace, SimSetup& setup) {
    if (words.pools.empty()) return {};
    std::vector<SimReplica> pools;
    for (const std::string& pool : words.pools) {
        TRY(SimReplica replica, pool_of(pool, words, trace));
        pools.push_back(std::move(replica));
    }
    SimReplica& others = setup.replicas.front();
    for (uint32_t m = 0; m < trace.models.size(); ++m) {
        const auto serves = [&](const SimReplica& pool) { return pool.serves(m); };
        if (std::ranges::none_of(pools, serves)) others.models.push_back(m);
    }
    if (others.models.empty())
        return Error{Code::invalid_argument,
                     "the pools serve all models of the trace; leave out the one that --model is "
                     "to serve"};
    std::ranges::move(pools, std::back_inserter(setup.replicas));
    return {};
}

}  // namespace brigada
