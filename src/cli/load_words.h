// LoadWords: what a command line says about a load run, and what it means: whom to ask, what, how
// fast and for how long.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "load/declared_workload.h"
#include "load/figures.h"
#include "load/load_run.h"
#include "model/model.h"
#include "tokens/tokenizer.h"

namespace brigada {

struct LoadWords {
    // Whom.
    std::string url = "http://127.0.0.1:4000";
    std::string model;  // empty: the first that the endpoint lists
    std::string api = "chat";
    std::string key_variable;
    std::string tokenizer;
    std::string extra_body;
    std::string ca_file;
    bool insecure = false;
    // What: a trace, or what is declared.
    std::vector<std::string> traces;
    bool lenient = false;
    std::string profile;
    DeclaredWorkload declared;
    std::string gap = "0s";
    bool no_tools = false;
    bool exact_output = false;
    // How fast.
    uint32_t sessions = 0;  // 0: not said
    double rate = 0;        // 0: not said
    std::string arrivals = "poisson";
    double cv = 1;
    double time_scale = 1;
    std::string max_gap = "300s";
    std::string ramp = "0s";
    uint32_t concurrency = 0;
    bool mid_session = false;
    // How long.
    std::string duration;  // empty: 60s, unless the calls are counted
    uint64_t max_calls = 0;
    std::string warm_up = "0s";
    std::string drain = "30s";
    std::string timeout = "600s";
    // How.
    uint32_t retries = 0;
    bool no_probe = false;
    uint64_t seed = 1;
    // What is said of it.
    std::string slo_ttft, slo_tpot, slo_e2e;
    double max_failures = 0;
    bool json = false;
    std::string json_file, csv_file, html_file;
    bool quiet = false;
};

/// A tokenizer and what owns it.
struct LoadTokenizer {
    std::optional<Model> model = {};
    std::optional<Tokenizer> alone = {};
    const Tokenizer* get() const { return model ? &model->tokenizer() : alone ? &*alone : nullptr; }
};

/// "90s", "500ms", "2m", "1.5h" or a number of seconds. Error::invalid_argument names `option`.
Result<Duration> duration_of(std::string_view option, const std::string& text);

/// The address, the key from the environment, the dialect. The model is still as it was said.
Result<LoadTarget> load_target(const LoadWords& words);

/// The pace and its bounds.
Result<PlayOptions> play_options(const LoadWords& words, bool from_trace);
/// "closed loop, 8 sessions at once".
std::string pace_in_words(const PlayOptions& play);

Result<SloTargets> slo_targets(const LoadWords& words);

struct LoadWorkload {
    Trace trace = {};
    std::string words = {};  // what it is
};

/// The files of --trace, else drawn from --profile, else what was declared. Errors as of
/// import_trace, builtin_profile and declared_trace.
Result<LoadWorkload> load_workload(const LoadWords& words);

/// Of a pulled model, a .gguf file, a model's folder, or a folder with a tokenizer.json alone.
Result<LoadTokenizer> load_tokenizer(const std::string& name);

void add_load_options(CLI::App& command, LoadWords& words);

}  // namespace brigada
