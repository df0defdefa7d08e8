#include "cli/load_words.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>

#include "base/concat.h"
#include "base/file.h"
#include "base/joined.h"
#include "base/json.h"
#include "gateway/config/upstream_address.h"
#include "hub/cache.h"
#include "net/tls_context.h"
#include "trace/generator.h"
#include "trace/import_trace.h"

namespace brigada {

namespace {

constexpr size_t kMaxTokenizerBytes = 256 << 20;
constexpr size_t kMaxTraceBytes = size_t{1} << 32;

struct Unit {
    std::string_view word;
    double seconds;
};

constexpr Unit kUnits[] = {{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3'600}, {"", 1}};

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// From the variable that was named, else from those that agents use.
Result<std::string> api_key(const LoadWords& words) {
    if (!words.key_variable.empty()) {
        const std::string key = environment(words.key_variable.c_str());
        if (key.empty())
            return Error{Code::invalid_argument,
                         concat("--key-env: ", words.key_variable, " is not set")};
        return key;
    }
    const bool anthropic = words.api == "messages";
    for (const char* name : {"BRIGADA_API_KEY", anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY"})
        if (std::string key = environment(name); !key.empty()) return key;
    return std::string();
}

/// An object's inside, so that it can stand among other fields.
Result<std::string> fields_of(const std::string& text) {
    if (text.empty()) return std::string();
    TRY(const Json value, parse_json(text, "--extra-body"));
    if (!value.is_object())
        return Error{Code::invalid_argument,
                     "--extra-body wants a JSON object, as in '{\"temperature\": 0}'"};
    const std::string all = dump_json(value);
    return all.substr(1, all.size() - 2);
}

Dialect dialect_named(const std::string& api) {
    return api == "messages"    ? Dialect::messages
           : api == "responses" ? Dialect::responses
                                : Dialect::chat;
}

Result<std::optional<Duration>> target_of(std::string_view option, const std::string& text) {
    if (text.empty()) return std::optional<Duration>();
    TRY(const Duration target, duration_of(option, text));
    return std::optional<Duration>(target);
}

}  // namespace

Result<Duration> duration_of(std::string_view option, const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, text.data() + text.size());
    for (const Unit& one : kUnits)
        if (error == std::errc() && unit == one.word && number >= 0 && number * one.seconds < 1e9)
            return Duration::from_seconds(number * one.seconds);
    return Error{Code::invalid_argument,
                 concat(option, " wants a time as in 500ms, 90s, 2m or 1h, not '", text, "'")};
}

Result<LoadTarget> load_target(const LoadWords& words) {
    auto address = parse_upstream_address(words.url);
    if (!address.ok()) return std::move(address).error().in("--url");
    LoadTarget out{.host = address->host,
                   .port = address->port,
                   .base_path = address->base_path.empty() ? "/v1" : address->base_path,
                   .api = dialect_named(words.api),
                   .model = words.model,
                   .exact_output = words.exact_output};
    if (address->scheme == "https") {
        TRY(out.tls, TlsContext::open({.verifies = !words.insecure, .ca_file = words.ca_file}));
    }
    TRY(out.key, api_key(words));
    TRY(out.extra_body, fields_of(words.extra_body));
    TRY(const Duration timeout, duration_of("--timeout", words.timeout));
    out.timeouts.first_byte = timeout;
    out.timeouts.between_bytes = timeout;
    return out;
}

Result<PlayOptions> play_options(const LoadWords& words, bool from_trace) {
    if (words.sessions > 0 && words.rate > 0)
        return Error{Code::invalid_argument,
                     "--sessions and --rate exclude each other: so many at once, or so many that "
                     "begin per second"};
    PlayOptions out{
        .concurrency = words.concurrency, .mid_session = words.mid_session, .seed = words.seed};
    out.pace = words.rate > 0                      ? Pace::open
               : words.sessions == 0 && from_trace ? Pace::recorded
                                                   : Pace::closed;
    out.sessions = std::max(words.sessions, 1u);
    if (words.rate > 0)
        out.arrivals = {.per_second = words.rate,
                        .cv = words.arrivals == "constant"  ? 0
                              : words.arrivals == "poisson" ? 1
                                                            : words.cv};
    out.time_scale = words.time_scale;
    TRY(out.max_gap, duration_of("--max-gap", words.max_gap));
    TRY(out.ramp, duration_of("--ramp", words.ramp));
    if (words.max_calls > 0) out.max_calls = words.max_calls;
    if (!words.duration.empty()) {
        TRY(out.duration, duration_of("--duration", words.duration));
    } else if (words.max_calls == 0 && out.pace != Pace::recorded) {
        out.duration = Duration::seconds(60);
    }
    TRY(const Duration warm_up, duration_of("--warm-up", words.warm_up));
    if (warm_up >= out.duration)
        return Error{Code::invalid_argument, concat("--warm-up ", words.warm_up,
                                                    " leaves nothing of --duration to measure")};
    return out;
}

std::string pace_in_words(const PlayOptions& play) {
    std::string out;
    switch (play.pace) {
        case Pace::closed:
            out = concat("closed loop, ", play.sessions, " session", play.sessions == 1 ? "" : "s",
                         " at once");
            break;
        case Pace::open:
            out = concat("open loop, ", play.arrivals.per_second, " sessions begin per second, ",
                         play.arrivals.cv == 0   ? "evenly"
                         : play.arrivals.cv == 1 ? "at random (Poisson)"
                                                 : concat("in bursts (CV ", play.arrivals.cv, ")"));
            break;
        case Pace::recorded:
            out = "sessions begin as recorded";
            break;
    }
    if (play.time_scale != 1) out += concat(", times x ", play.time_scale);
    if (play.concurrency > 0) out += concat(", at most ", play.concurrency, " calls at once");
    return out;
}

Result<SloTargets> slo_targets(const LoadWords& words) {
    SloTargets out;
    TRY(out.ttft, target_of("--slo-ttft", words.slo_ttft));
    TRY(out.tpot, target_of("--slo-tpot", words.slo_tpot));
    TRY(out.e2e, target_of("--slo-e2e", words.slo_e2e));
    return out;
}

Result<LoadTokenizer> load_tokenizer(const std::string& name) {
    LoadTokenizer out;
    if (name.empty()) return out;
    const Path folder(name);
    std::error_code ignored;
    if (std::filesystem::exists(folder / "tokenizer.json", ignored)) {
        TRY(const std::string text, read_file(folder / "tokenizer.json", kMaxTokenizerBytes));
        const auto config = read_file(folder / "tokenizer_config.json", kMaxTokenizerBytes);
        TRY(Tokenizer alone, Tokenizer::from_json(text, config.ok() ? *config : ""));
        out.alone = std::move(alone);
        return out;
    }
    TRY(const Cache cache, Cache::from_environment());
    TRY(const Path path, resolve_model(cache, name));
    TRY(Model model, open_model(path));
    out.model = std::move(model);
    return out;
}

namespace {

/// As `brigada trace` reads them.
Result<LoadWorkload> traced(const LoadWords& words) {
    std::vector<std::string> kept;
    for (const std::string& path : words.traces) {
        TRY(std::string bytes, read_file(path, kMaxTraceBytes));
        kept.push_back(std::move(bytes));
    }
    std::vector<TraceFile> files;
    for (size_t i = 0; i < kept.size(); ++i)
        files.push_back({words.traces[i], kept[i]});
    TRY(Imported imported, import_trace(files, {.format = {}, .lenient = words.lenient}));
    std::string about = concat(joined(words.traces), ": ", imported.trace.sessions.size(),
                               " sessions, ", imported.trace.calls(), " calls");
    return LoadWorkload{.trace = std::move(imported.trace), .words = std::move(about)};
}

/// Of as many people as there are to be different sessions, at work for an hour.
Result<LoadWorkload> drawn(const LoadWords& words) {
    TRY(const Profile profile, find_profile(words.profile));
    TRY(Trace trace, generate(profile, {.users = words.declared.sessions, .seed = words.seed}));
    std::string about = concat("profile ", words.profile, ": ", trace.sessions.size(),
                               " sessions, ", trace.calls(), " calls");
    return LoadWorkload{.trace = std::move(trace), .words = std::move(about)};
}

Result<LoadWorkload> declared(const LoadWords& words) {
    DeclaredWorkload workload = words.declared;
    TRY(workload.gap, duration_of("--gap", words.gap));
    workload.tools = !words.no_tools;
    workload.seed = words.seed;
    std::string about = concat(workload.calls, " call", workload.calls == 1 ? "" : "s",
                               " per session, prompts of ", workload.prompt_tokens, " tokens");
    if (workload.shared_prefix > 0) about += concat(" (", workload.shared_prefix, " shared)");
    if (workload.calls > 1) about += concat(" + ", workload.turn_tokens, " per turn");
    about += concat(", answers of ", workload.output_tokens);
    TRY(Trace trace, declared_trace(workload));
    return LoadWorkload{.trace = std::move(trace), .words = std::move(about)};
}

}  // namespace

Result<LoadWorkload> load_workload(const LoadWords& words) {
    if (!words.traces.empty() && !words.profile.empty())
        return Error{Code::invalid_argument, "--trace and --profile exclude each other"};
    TRY(LoadWorkload out, !words.traces.empty()    ? traced(words)
                          : !words.profile.empty() ? drawn(words)
                                                   : declared(words));
    TRY(check_playable(out.trace));
    return out;
}

namespace {

void add_target_options(CLI::App& command, LoadWords& words) {
    command.add_option("--url", words.url, "the endpoint; /v1 is added where it has no path")
        ->type_name("URL");
    command.add_option("--model", words.model, "as the endpoint calls it; else the first it lists")
        ->type_name("NAME");
    command.add_option("--api", words.api, "chat, responses or messages")
        ->type_name("API")
        ->check(CLI::IsMember({"chat", "responses", "messages"}));
    command
        .add_option("--key-env", words.key_variable,
                    "environment variable with the key; else BRIGADA_API_KEY, OPENAI_API_KEY or "
                    "ANTHROPIC_API_KEY")
        ->type_name("NAME");
    command
        .add_option("--tokenizer", words.tokenizer,
                    "a pulled model, a .gguf file or a folder with tokenizer.json: counts our "
                    "text exactly")
        ->type_name("MODEL");
    command.add_option("--extra-body", words.extra_body, "fields for every body")
        ->type_name("JSON");
    command.add_option("--ca-file", words.ca_file, "authorities to trust for https, PEM")
        ->type_name("FILE");
    command.add_flag("--insecure", words.insecure, "believe any certificate");
}

void add_workload_options(CLI::App& command, LoadWords& words) {
    DeclaredWorkload& declared = words.declared;
    command
        .add_option("--trace", words.traces,
                    "play these files, in any format that brigada trace reads; the options below "
                    "declare a workload instead")
        ->type_name("FILE");
    command
        .add_option("--profile", words.profile,
                    concat("draw sessions like those of ", joined(builtin_profile_names()),
                           ", or of a file of brigada trace fit"))
        ->type_name("NAME");
    command.add_flag("--lenient", words.lenient, "leave out records of --trace that are wrong");
    command.add_option("--prompt-tokens", declared.prompt_tokens, "of a session's first call")
        ->type_name("N");
    command
        .add_option("--shared-prefix", declared.shared_prefix,
                    "of those, the same in all sessions, as the system's prompt")
        ->type_name("N");
    command.add_option("--output-tokens", declared.output_tokens, "of each answer")->type_name("N");
    command.add_option("--turns", declared.calls, "calls of a session")->type_name("N");
    command
        .add_option("--turn-tokens", declared.turn_tokens,
                    "that each later prompt adds beside the answer before it")
        ->type_name("N");
    command.add_option("--gap", words.gap, "from an answer to the session's next call")
        ->type_name("TIME");
    command
        .add_option("--spread", declared.spread,
                    "variation of these lengths and gaps (lognormal, as a coefficient)")
        ->type_name("CV")
        ->check(CLI::Range(0.0, 10.0));
    command
        .add_option("--distinct", declared.sessions,
                    "different sessions; after the last the first comes again with new text")
        ->type_name("N");
    command.add_flag("--no-tools", words.no_tools,
                     "later calls bring the user's words, not results of tools");
    command.add_flag("--exact-output", words.exact_output,
                     "ask the engine to go on to the asked length (ignore_eos, min_tokens)");
}

void add_pace_options(CLI::App& command, LoadWords& words) {
    command.add_option("--sessions", words.sessions, "closed loop: so many sessions at once")
        ->type_name("N")
        ->check(CLI::Range(1u, 1'000'000u));
    command.add_option("--rate", words.rate, "open loop: sessions that begin per second")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    command.add_option("--arrivals", words.arrivals, "of --rate: constant, poisson or gamma")
        ->type_name("HOW")
        ->check(CLI::IsMember({"constant", "poisson", "gamma"}));
    command.add_option("--cv", words.cv, "of --arrivals gamma: variation of the gaps")
        ->type_name("CV")
        ->check(CLI::Range(0.01, 20.0));
    command.add_option("--concurrency", words.concurrency, "calls at once; 0: any number")
        ->type_name("N");
    command.add_option("--time-scale", words.time_scale, "starts and gaps times this")
        ->type_name("X")
        ->check(CLI::Range(0.0, 1'000.0));
    command.add_option("--max-gap", words.max_gap, "longer gaps are cut to this")
        ->type_name("TIME");
    command.add_option("--ramp", words.ramp, "the first sessions begin spread over this time")
        ->type_name("TIME");
    command.add_flag("--mid-session", words.mid_session,
                     "the first sessions begin somewhere within, not all with their first call");
}

void add_run_options(CLI::App& command, LoadWords& words) {
    command
        .add_option("--duration", words.duration,
                    "no call is due later; 60s unless --calls or a trace says how much there is")
        ->type_name("TIME");
    command.add_option("--calls", words.max_calls, "calls in all")->type_name("N");
    command.add_option("--warm-up", words.warm_up, "calls due before it is over are not measured")
        ->type_name("TIME");
    command.add_option("--drain", words.drain, "for calls still under way at the end")
        ->type_name("TIME");
    command.add_option("--timeout", words.timeout, "of a silent endpoint")->type_name("TIME");
    command
        .add_option("--retries", words.retries,
                    "of a call that failed, with the pauses of OpenAI's and Anthropic's SDKs")
        ->type_name("N")
        ->check(CLI::Range(0, 100));
    command.add_flag("--no-probe", words.no_probe,
                     "don't learn the endpoint's chat template by a few short calls first");
    command.add_option("--seed", words.seed, "of what is drawn")->type_name("N");
}

void add_report_options(CLI::App& command, LoadWords& words) {
    command.add_option("--slo-ttft", words.slo_ttft, "goodput: at most so long to the first token")
        ->type_name("TIME");
    command.add_option("--slo-tpot", words.slo_tpot, "goodput: at most so long per later token")
        ->type_name("TIME");
    command.add_option("--slo-e2e", words.slo_e2e, "goodput: at most so long in all")
        ->type_name("TIME");
    command
        .add_option("--max-failures", words.max_failures,
                    "share of calls that may fail; exit code 1 above")
        ->type_name("SHARE")
        ->check(CLI::Range(0.0, 1.0));
    command.add_flag("--json", words.json, "for machines");
    command.add_option("--json-file", words.json_file, "the same into a file")->type_name("FILE");
    command.add_option("--csv", words.csv_file, "one row per call")->type_name("FILE");
    command.add_option("--html", words.html_file, "a page with charts")->type_name("FILE");
    command.add_flag("-q,--quiet", words.quiet, "no progress");
}

}  // namespace

void add_load_options(CLI::App& command, LoadWords& words) {
    add_target_options(command, words);
    add_workload_options(command, words);
    add_pace_options(command, words);
    add_run_options(command, words);
    add_report_options(command, words);
}

}  // namespace brigada
