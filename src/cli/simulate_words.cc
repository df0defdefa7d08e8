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
#include "trace/profile.h"

namespace brigada {

namespace {

constexpr size_t kMostCostBytes = 1 << 20;

Duration seconds(double s) {
    return Duration::nanoseconds(static_cast<int64_t>(s * 1e9));
}

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
    faults.push_back({Instant() + seconds(*begin), *replica, kind});
    if (dash != text.npos) faults.push_back({Instant() + seconds(*end), *replica, FaultKind::back});
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
    if (words.longest_wait_s > 0) admission.longest_wait = seconds(words.longest_wait_s);
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
                  .latency = seconds(words.link_latency_s),
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
        setup.autoscaler->lag = seconds(words.autoscale_lag_s);
    }
    TRY(add_limits(words.requests_per_minute, "--rpm", trace, &Limits::requests_per_minute,
                   setup.limits));
    TRY(add_limits(words.tokens_per_minute, "--tpm", trace, &Limits::tokens_per_minute,
                   setup.limits));
    if (words.rolling_update_s >= 0)
        setup.rollout = SimRollout{.at = Instant() + seconds(words.rolling_update_s),
                                   .restart = seconds(words.restart_s),
                                   .longest_drain = seconds(words.drain_limit_s)};
    setup.clients.interrupt_chance = words.interrupt_chance;
    setup.clients.interrupt_within = seconds(words.interrupt_within_s);
    setup.clients.retries = words.retries;
    if (words.timeout_s > 0) setup.clients.timeout = seconds(words.timeout_s);
    setup.answers_return = !words.made_up_answers;
    if (words.until_s > 0) setup.until = Instant() + seconds(words.until_s);
    setup.warm_up = seconds(words.warm_up_s);
    setup.sample_every = seconds(words.sample_s);
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

// --- the command line ---------------------------------------------------------------------------

namespace {

std::string profiles() {
    std::string all;
    for (const std::string_view name : builtin_profile_names())
        all += concat(all.empty() ? "" : ", ", name);
    return all;
}

void add_fleet_options(CLI::App& command, SimulateWords& words) {
    command.add_option("--model", words.model, "a model by name, a config.json or a GGUF file")
        ->type_name("MODEL");
    command.add_option("--gpu", words.gpu, "an accelerator by name: h100, rtx-4090, ...")
        ->type_name("NAME");
    command.add_option("--tp", words.tp, "GPUs of one replica")->type_name("N");
    command.add_option("--replicas", words.replicas, "how many")->type_name("N");
    command.add_option("--kv-dtype", words.kv_dtype, "bf16, fp8, q8_0 or q4_0")->type_name("TYPE");
    command.add_option("--utilisation", words.utilisation, "of a GPU's memory, the engine's share")
        ->type_name("SHARE");
    command.add_option("--step-tokens", words.step_tokens, "max_num_batched_tokens")
        ->type_name("N");
    command.add_option("--max-num-seqs", words.max_num_seqs, "sequences of one step")
        ->type_name("N");
    command.add_option("--max-context", words.max_context, "tokens; else the model's")
        ->type_name("N");
    command.add_option("--cost", words.cost, "a cost file of brigada calibrate, instead of a fit")
        ->type_name("FILE");
    command.add_option("--kv-tokens", words.kv_tokens, "KV of one replica, instead of what fits")
        ->type_name("N");
    command
        .add_option("--prefill-replicas", words.prefill_replicas,
                    "so many more that only read prompts; the others then only answer")
        ->type_name("N");
    command.add_option("--link-gb-s", words.link_gb_s, "between them, of each GPU")
        ->type_name("GB/S");
    command.add_option("--link-latency", words.link_latency_s, "of a transfer")->type_name("S");
    command
        .add_option("--read-locally", words.read_locally,
                    "prompts of which at most so much is new are read where they are answered")
        ->type_name("TOKENS");
    command
        .add_option("--draft-tokens", words.draft_tokens,
                    "that a step verifies of each sequence (speculative decoding)")
        ->type_name("N");
    command
        .add_option("--acceptance", words.acceptance,
                    "chance that a draft is right when those before it were")
        ->type_name("P");
    command.add_option("--draft-ms", words.draft_ms, "that one more draft of all sequences takes")
        ->type_name("MS");
    command
        .add_option("--pool", words.pools,
                    "more replicas, for these models of the trace only: model=, gpu=, tp=, "
                    "replicas= and other options by their names")
        ->type_name("MODEL[+MODEL]:OPTION=VALUE,...");
    command.add_option("--ram-tier", words.ram_tier_gib, "host RAM for KV of each GPU")
        ->type_name("GIB");
    command.add_option("--disk-tier", words.disk_tier_gib, "disk for KV of each GPU")
        ->type_name("GIB");
    command.add_option("--ram-gb-s", words.ram_gb_s, "from RAM to a GPU")->type_name("GB/S");
    command.add_option("--disk-gb-s", words.disk_gb_s, "from the disk that a GPU has")
        ->type_name("GB/S");
    command
        .add_option("--kv-bytes-per-token", words.kv_bytes_per_token,
                    "of one replica, where --model does not say")
        ->default_str("")
        ->type_name("N");
    command
        .add_option("--dollars", words.dollars_per_hour,
                    "an hour of one replica; else the catalogue's")
        ->default_str("")
        ->type_name("USD");
}

void add_gateway_options(CLI::App& command, SimulateWords& words) {
    command.add_option("--policy", words.policies, "routing policies to compare, by comma")
        ->delimiter(',')
        ->type_name("NAMES");
    command.add_option("--slots", words.slots, "calls the gateway lets in at once; else all")
        ->type_name("N");
    command.add_option("--longest-wait", words.longest_wait_s, "in its queue, before a 503")
        ->type_name("S");
    command.add_option("--class", words.classes, "TENANT=guaranteed|standard|batch")
        ->type_name("T=C");
    command.add_option("--retries", words.retries, "of clients, after 429, 503 and broken answers")
        ->type_name("N");
    command.add_option("--timeout", words.timeout_s, "of clients, for a whole answer")
        ->type_name("S");
    command
        .add_option("--interrupt-chance", words.interrupt_chance,
                    "that a user means to interrupt a call")
        ->type_name("P");
    command
        .add_option("--interrupt-within", words.interrupt_within_s,
                    "at a time within so long, if it is not over")
        ->type_name("S");
    command
        .add_option("--rpm", words.requests_per_minute,
                    "requests a tenant may send in a minute; * is each")
        ->type_name("T=N");
    command.add_option("--tpm", words.tokens_per_minute, "tokens a tenant may use in a minute")
        ->type_name("T=N");
    command
        .add_option("--rolling-update", words.rolling_update_s,
                    "from then on one replica after the other is drained and restarted")
        ->default_str("")
        ->type_name("S");
    command.add_option("--restart-time", words.restart_s, "of each")->type_name("S");
    command.add_option("--drain-limit", words.drain_limit_s, "then calls there are cut off")
        ->type_name("S");
    command.add_option("--lose", words.lost, "a replica is lost with its cache, and perhaps back")
        ->type_name("R@S[-S]");
    command.add_option("--drain", words.drained, "a replica gets no calls, and perhaps again")
        ->type_name("R@S[-S]");
    command
        .add_option("--autoscale-from", words.autoscale_from,
                    "start with N replicas, the others when calls need them")
        ->type_name("N");
    command.add_option("--autoscale-lag", words.autoscale_lag_s, "until an ordered replica serves")
        ->type_name("S");
}

}  // namespace

void add_options(CLI::App& command, SimulateWords& words) {
    command.add_option("--trace", words.traces, "what is asked: recorded or generated sessions")
        ->type_name("FILE");
    command.add_option("--developers", words.developers, "or: so many people, made up")
        ->type_name("N");
    command
        .add_option("--profile", words.profile,
                    concat("of them: ", profiles(), ", or a file of brigada trace fit"))
        ->type_name("NAME");
    command.add_option("--duration", words.duration_s, "that they work")->type_name("S");
    command.add_option("--spread", words.spread_s, "sessions begin at random within so long")
        ->type_name("S");
    command.add_option("--until", words.until_s, "no call begins later")->type_name("S");
    command.add_option("--warm-up", words.warm_up_s, "calls that begin earlier are not reported")
        ->type_name("S");
    command.add_flag("--made-up-answers", words.made_up_answers,
                     "prompts repeat other answers than were given, as brigada load's do");
    add_fleet_options(command, words);
    add_gateway_options(command, words);
    command
        .add_option("--seeds", words.seeds, "run so often, and say how far the means may be off")
        ->type_name("N");
    command.add_option("--seed", words.seed, "the first of them")->type_name("N");
    command.add_option("--threads", words.threads, "for several runs; else all cores")
        ->type_name("N");
    command.add_option("--ttft", words.ttft_s, "target: seconds to the first token")
        ->type_name("S");
    command.add_option("--tpot", words.tpot_s, "target: seconds per token after it")
        ->type_name("S");
    command.add_option("--sample", words.sample_s, "a time series in --json, every so often")
        ->type_name("S");
    command.add_flag("--json", words.json, "for machines: every run, complete");
    command.add_option("--perfetto", words.perfetto, "the first run as a trace, a lane a replica")
        ->type_name("FILE");
}

}  // namespace brigada
