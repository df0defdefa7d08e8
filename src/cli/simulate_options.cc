// The command line of brigada simulate: what fills the words.
#include <CLI/CLI.hpp>

#include "base/joined.h"
#include "cli/simulate_words.h"
#include "trace/profile.h"

namespace brigada {

namespace {

constexpr uint32_t kMostDevelopers = 10'000'000;

void add_replica_options(CLI::App& command, SimulateWords& words) {
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
}

/// Replicas that read prompts apart from those that answer.
void add_split_options(CLI::App& command, SimulateWords& words) {
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
}

void add_draft_options(CLI::App& command, SimulateWords& words) {
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
}

void add_tier_options(CLI::App& command, SimulateWords& words) {
    command.add_option("--ram-tier", words.ram_tier_gib, "host RAM for KV of each GPU")
        ->type_name("GIB");
    command.add_option("--disk-tier", words.disk_tier_gib, "disk for KV of each GPU")
        ->type_name("GIB");
    command.add_option("--ram-gb-s", words.ram_gb_s, "from RAM to a GPU")->type_name("GB/S");
    command.add_option("--disk-gb-s", words.disk_gb_s, "from the disk that a GPU has")
        ->type_name("GB/S");
}

void add_fleet_options(CLI::App& command, SimulateWords& words) {
    add_replica_options(command, words);
    add_split_options(command, words);
    add_draft_options(command, words);
    command
        .add_option("--pool", words.pools,
                    "more replicas, for these models of the trace only: model=, gpu=, tp=, "
                    "replicas= and other options by their names")
        ->type_name("MODEL[+MODEL]:OPTION=VALUE,...");
    add_tier_options(command, words);
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
    command
        .add_option("--retention", words.retentions,
                    "what goes first from a full KV cache, to compare: agents, lru")
        ->delimiter(',')
        ->type_name("NAMES");
    command.add_option("--slots", words.slots, "calls the gateway lets in at once; else all")
        ->type_name("N");
    command.add_option("--longest-wait", words.longest_wait_s, "in its queue, before a 503")
        ->type_name("S");
    command.add_option("--class", words.classes, "TENANT=guaranteed|standard|batch")
        ->type_name("T=C");
}

void add_client_options(CLI::App& command, SimulateWords& words) {
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
}

/// What happens to replicas while they serve.
void add_event_options(CLI::App& command, SimulateWords& words) {
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

void add_report_options(CLI::App& command, SimulateWords& words) {
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

}  // namespace

void add_options(CLI::App& command, SimulateWords& words) {
    command.add_option("--trace", words.traces, "what is asked: recorded or generated sessions")
        ->type_name("FILE");
    command.add_option("--developers", words.developers, "or: so many people, made up")
        ->check(CLI::Range(1u, kMostDevelopers))
        ->type_name("N");
    command
        .add_option("--profile", words.profile,
                    concat("of them: ", joined(builtin_profile_names()),
                           ", or a file of brigada trace fit"))
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
    add_client_options(command, words);
    add_event_options(command, words);
    add_report_options(command, words);
}

}  // namespace brigada
