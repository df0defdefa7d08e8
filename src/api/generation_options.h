// GenerationOptions: the request fields that say how to generate, the same in /v1/chat/completions
// and /v1/completions: sampling, stops, n, priority, identity. vLLM's extensions to OpenAI's fields
// are understood under their names.
#pragma once

#include <optional>
#include <string>

#include "api/json_fields.h"
#include "engine/request.h"
#include "grammar/grammar_spec.h"

namespace brigada {

/// What applies when a request does not say: the model publisher's recommendation, OpenAI's values.
struct SamplingDefaults {
    std::optional<float> temperature{}, top_p{}, min_p{}, repetition_penalty{};
    std::optional<uint32_t> top_k{};
};

/// Limits of this server, for messages that name them.
struct GenerationLimits {
    uint32_t vocab = 0;
    uint32_t max_choices = 64;
    size_t max_stops = 64;
    size_t max_stop_bytes = 1024;
};

struct GenerationOptions {
    Sampling sampling;
    StopRules stop;
    uint32_t choices = 1;
    bool stream = false;
    bool include_usage = false;
    int32_t priority = 0;
    std::string user;
    std::string cache_salt;
    std::string session;
    std::optional<GrammarSpec> format;  // of the answer; nullopt: plain text
};

/// Reads the shared fields. `max_tokens_names` differ between the endpoints and are read by them.
Result<GenerationOptions> read_generation_options(const JsonFields& fields,
                                                  const SamplingDefaults& defaults,
                                                  const GenerationLimits& limits);

/// `name` as a number of tokens to generate, at least 1; the context ends an answer anyway.
Result<std::optional<uint32_t>> read_max_tokens(const JsonFields& fields, std::string_view name);

}  // namespace brigada
