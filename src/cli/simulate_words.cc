#include "cli/simulate_words.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/file.h"
#include "cli/simulate_pools.h"
#include "cli/text_table.h"
#include "cost/cost_file.h"
#include "cost/engine_fit.h"
#include "cost/known_fits.h"
#include "cost/placement.h"

namespace brigada {

namespace {

constexpr size_t kMostCostBytes = 1 << 20;

/// What of one replica follows from model and accelerator.
Result<void> deploy(const SimulateWords& words, SimReplica& replica) {
    Placement placement;
    TRY(placement.model, find_geometry(words.model));
    TRY(placement.accelerator, find_accelerator(words.gpu));
    TRY(placement.kv_dtype, parse_kv_dtype(words.kv_dtype));
    placement.tp = words.tp;
    placement.utilisation = words.utilisation;
    placement.max_num_seqs = words.max_num_seqs;
    placement.step_tokens = words.step_tokens;
    // A longer context than the config says is for the engine to stretch to (YaRN), as in plan.
    if (words.max_context > 0) placement.model.max_context = words.max_context;
    placement.max_context = words.max_context;
    TRY(const MemoryBudget budget, memory_budget(placement));
    replica.name =
        fmt::format("{} on {} x {}", placement.model.name, words.tp, placement.accelerator.name);
    replica.kv_tokens = budget.kv_tokens;
    replica.kv_bytes_per_token = static_cast<double>(budget.kv_size.per_token) * words.tp;
    replica.cost = StepCost(step_coefficients(placement, find_fit(placement.accelerator, "vllm")));
    replica.scheduler.max_context =
        words.max_context > 0 ? words.max_context : placement.model.max_context;
    replica.dollars_per_hour = placement.accelerator.dollars_per_hour_low * words.tp;
    return {};
}

Result<void> add_tiers(const SimulateWords& words, SimReplica& replica) {
    if (words.ram_tier_gib <= 0 && words.disk_tier_gib <= 0) return {};
    if (replica.kv_bytes_per_token <= 0)
        return Error{Code::invalid_argument,
                     "--ram-tier and --disk-tier need to know how large a token's KV is: give "
                     "--model and --gpu, or --kv-bytes-per-token"};
    const auto bytes = [&](double gib) {
        return static_cast<uint64_t>(gib * words.tp * double{1u << 30});
    };
    replica.tiers = {.ram_bytes = bytes(words.ram_tier_gib),
                     .disk_bytes = bytes(words.disk_tier_gib),
                     .ram_bytes_per_s = words.ram_gb_s * 1e9 * words.tp,
                     .disk_bytes_per_s = words.disk_gb_s * 1e9 * words.tp};
    return {};
}

Result<void> take_cost_file(const SimulateWords& words, SimReplica& replica) {
    TRY(const std::string text, read_file(words.cost, kMostCostBytes));
    TRY(const StepCoefficients coefficients, read_cost_file(text, words.cost));
    replica.cost = StepCost(coefficients);
    if (replica.name.empty()) replica.name = words.cost;
    return {};
}

}  // namespace

Result<SimReplica> replica_of(const SimulateWords& words) {
    SimReplica replica;
    replica.count = words.replicas;
    replica.scheduler.max_context = words.max_context > 0 ? words.max_context : 1'000'000;
    const bool is_deployed = !words.model.empty() && !words.gpu.empty();
    if (words.model.empty() != words.gpu.empty())
        return Error{Code::invalid_argument, "--model and --gpu go together"};
    if (!is_deployed && (words.cost.empty() || words.kv_tokens == 0))
        return Error{Code::invalid_argument,
                     "what do the replicas run on? Give --model and --gpu, or --cost and "
                     "--kv-tokens"};
    if (is_deployed) TRY(deploy(words, replica));
    if (!words.cost.empty()) TRY(take_cost_file(words, replica));
    if (words.kv_tokens > 0) replica.kv_tokens = words.kv_tokens;
    if (words.kv_bytes_per_token > 0) replica.kv_bytes_per_token = words.kv_bytes_per_token;
    TRY(add_tiers(words, replica));
    replica.speculation = {words.draft_tokens, words.acceptance, words.draft_ms / 1e3};
    if (words.dollars_per_hour >= 0) replica.dollars_per_hour = words.dollars_per_hour;
    replica.scheduler.step_tokens = std::max(words.step_tokens, words.max_num_seqs);
    replica.scheduler.max_running = words.max_num_seqs;
    replica.scheduler.max_waiting = 1'000'000;
    replica.scheduler.max_waiting_tokens = UINT64_MAX / 2;
    return replica;
}

Result<std::vector<SimVariant>> variants_of(const SimulateWords& words) {
    std::vector<SimVariant> variants;
    for (const std::string& policy : words.policies)
        for (const std::string& name : words.retentions) {
            const Result<RetentionPolicy> retention = retention_named(name);
            if (!retention.ok()) return Error(retention.error()).in("--retention");
            variants.push_back({words.retentions.size() > 1 ? concat(policy, ", ", name) : policy,
                                policy, *retention});
        }
    if (variants.empty())
        return Error{Code::invalid_argument, "at least one policy and one retention are needed"};
    return variants;
}

namespace {

template <typename Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// "2@600" or "2@600-900".
Result<void> add_faults(const std::string& word, std::string_view option, FaultKind kind,
                        std::vector<SimFault>& faults) {
    const std::string_view text = word;
    const size_t at = text.find('@');
    const size_t dash = text.find('-', at == text.npos ? 0 : at);
    const auto replica = number<uint32_t>(text.substr(0, at));
    const auto begin =
        at == text.npos ? std::nullopt : number<double>(text.substr(at + 1, dash - at - 1));
    const auto end = dash == text.npos ? std::optional(0.0) : number<double>(text.substr(dash + 1));
    if (!replica || !begin || !end || (dash != text.npos && *end <= *begin))
        return Error{
            Code::invalid_argument,
            concat(option, " wants REPLICA@SECONDS or REPLICA@SECONDS-SECONDS, not '", word, "'")};
    faults.push_back({Instant() + Duration::from_seconds(*begin), *replica, kind});
    if (dash != text.npos)
        faults.push_back({Instant() + Duration::from_seconds(*end), *replica, FaultKind::back});
    return {};
}

Result<PriorityClass> class_named(std::string_view name) {
    if (name == "guaranteed") return PriorityClass::guaranteed;
    if (name == "standard") return PriorityClass::standard;
    if (name == "batch") return PriorityClass::batch;
    return Error{Code::invalid_argument,
                 concat("no class '", name, "'; there are guaranteed, standard and batch")};
}

Result<void> add_admission(const SimulateWords& words, const Trace& trace, SimSetup& setup) {
    if (words.slots == 0) {
        if (words.classes.empty()) return {};
        return Error{Code::invalid_argument, "--class needs the gateway's queue: --slots N"};
    }
    SimAdmission& admission = setup.admission.emplace();
    admission.queue.slots = words.slots;
    if (words.longest_wait_s > 0)
        admission.longest_wait = Duration::from_seconds(words.longest_wait_s);
    admission.classes.assign(trace.tenants.size(), PriorityClass::standard);
    for (const std::string& word : words.classes) {
        const size_t equals = word.rfind('=');
        const auto tenant = std::ranges::find(trace.tenants, word.substr(0, equals));
        if (equals == word.npos || tenant == trace.tenants.end())
            return Error{
                Code::invalid_argument,
                concat("--class wants TENANT=CLASS with a tenant of the trace, not '", word, "'")};
        TRY(admission.classes[static_cast<size_t>(tenant - trace.tenants.begin())],
            class_named(word.substr(equals + 1)));
    }
    return {};
}

/// "bots=30": of one tenant of the trace, or of each where it is called *.
Result<void> add_limits(const std::vector<std::string>& said, std::string_view option,
                        const Trace& trace, std::optional<int64_t> Limits::* limit,
                        std::vector<Limits>& limits) {
    for (const std::string& word : said) {
        const size_t equals = word.rfind('=');
        const std::string name = word.substr(0, equals);
        const auto most = equals == word.npos
                              ? std::nullopt
                              : number<int64_t>(std::string_view(word).substr(equals + 1));
        const bool is_known = name == "*" || std::ranges::count(trace.tenants, name) > 0;
        if (!most || *most <= 0 || !is_known)
            return Error{Code::invalid_argument,
                         concat(option, " wants TENANT=N with a tenant of the trace or *, not '",
                                word, "'")};
        limits.resize(trace.tenants.size());
        for (size_t t = 0; t < limits.size(); ++t)
            if (name == "*" || trace.tenants[t] == name) limits[t].*limit = *most;
    }
    return {};
}

/// Some more of these replicas only read, and these only answer.
Result<void> split(const SimulateWords& words, SimSetup& setup) {
    SimReplica& others = setup.replicas.front();
    if (others.kv_bytes_per_token <= 0)
        return Error{Code::invalid_argument,
                     "--prefill-replicas needs to know how large a token's KV is: give --model and "
                     "--gpu, or --kv-bytes-per-token"};
    others.role = ReplicaRole::decode;
    SimReplica readers = others;
    readers.role = ReplicaRole::prefill;
    readers.count = words.prefill_replicas;
    readers.speculation = {};
    setup.replicas.push_back(std::move(readers));
    setup.link = {.bytes_per_s = words.link_gb_s * 1e9 * words.tp,
                  .latency = Duration::from_seconds(words.link_latency_s),
                  .local_tokens = words.read_locally};
    return {};
}

}  // namespace

Result<SimSetup> setup_of(const SimulateWords& words, const SimReplica& replica,
                          const Trace& trace) {
    SimSetup setup;
    setup.replicas = {replica};
    TRY(add_pools(words, trace, setup));
    if (words.prefill_replicas > 0) TRY(split(words, setup));
    TRY(add_admission(words, trace, setup));
    for (const std::string& word : words.lost)
        TRY(add_faults(word, "--lose", FaultKind::lost, setup.faults));
    for (const std::string& word : words.drained)
        TRY(add_faults(word, "--drain", FaultKind::drained, setup.faults));
    if (words.autoscale_from > 0) {
        setup.autoscaler.emplace().least = words.autoscale_from;
        setup.autoscaler->lag = Duration::from_seconds(words.autoscale_lag_s);
    }
    TRY(add_limits(words.requests_per_minute, "--rpm", trace, &Limits::requests_per_minute,
                   setup.limits));
    TRY(add_limits(words.tokens_per_minute, "--tpm", trace, &Limits::tokens_per_minute,
                   setup.limits));
    if (words.rolling_update_s >= 0)
        setup.rollout = SimRollout{.at = Instant() + Duration::from_seconds(words.rolling_update_s),
                                   .restart = Duration::from_seconds(words.restart_s),
                                   .longest_drain = Duration::from_seconds(words.drain_limit_s)};
    setup.clients.interrupt_chance = words.interrupt_chance;
    setup.clients.interrupt_within = Duration::from_seconds(words.interrupt_within_s);
    setup.clients.retries = words.retries;
    if (words.timeout_s > 0) setup.clients.timeout = Duration::from_seconds(words.timeout_s);
    setup.answers_return = !words.made_up_answers;
    if (words.until_s > 0) setup.until = Instant() + Duration::from_seconds(words.until_s);
    setup.warm_up = Duration::from_seconds(words.warm_up_s);
    setup.sample_every = Duration::from_seconds(words.sample_s);
    setup.targets = {words.ttft_s, words.tpot_s};
    return setup;
}

namespace {

std::string describe(const SimReplica& replica) {
    const auto tokens_in = [&](uint64_t bytes) {
        const double tokens = static_cast<double>(bytes) / replica.kv_bytes_per_token;
        return grouped(static_cast<int64_t>(tokens));
    };
    std::string text =
        fmt::format("{} x {}: KV for {} tokens, steps of {} tokens, {} sequences at once",
                    replica.count, replica.name, grouped(static_cast<int64_t>(replica.kv_tokens)),
                    grouped(replica.scheduler.step_tokens), replica.scheduler.max_running);
    if (replica.speculation.on())
        text += fmt::format("\n{} drafts a step, each right with {}: {:.2f} tokens",
                            replica.speculation.draft_tokens, replica.speculation.acceptance,
                            replica.speculation.tokens_per_step());
    if (replica.tiers.any())
        text += fmt::format("\nbelow it KV for {} tokens in RAM and {} on disk, {} B each",
                            tokens_in(replica.tiers.ram_bytes), tokens_in(replica.tiers.disk_bytes),
                            grouped(static_cast<int64_t>(replica.kv_bytes_per_token)));
    return text;
}

}  // namespace

std::string describe(const std::vector<SimReplica>& replicas) {
    std::string text;
    for (const SimReplica& replica : replicas)
        text += concat(text.empty() ? "" : "\n", describe(replica),
                       replica.models.empty() ? "" : ", for some models",
                       replica.role == ReplicaRole::prefill  ? ", to read prompts"
                       : replica.role == ReplicaRole::decode ? ", to answer"
                                                             : "");
    return text;
}

}  // namespace brigada
