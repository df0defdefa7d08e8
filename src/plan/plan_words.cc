#include "plan/plan_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "plan/quantised.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

Error bad(const PlanWord& word, std::string_view wants) {
    return {Code::invalid_argument, concat(word.place, ": '", word.text, "'; ", wants)};
}

Result<double> number_of(const PlanWord& word) {
    double out = 0;
    const char* const end = word.text.data() + word.text.size();
    const auto [at, error] = std::from_chars(word.text.data(), end, out);
    if (error != std::errc() || at != end || !std::isfinite(out))
        return bad(word, "a number is wanted");
    return out;
}

Result<uint32_t> count_of(const PlanWord& word) {
    TRY(const double value, number_of(word));
    if (value < 0 || value > 4e9 || value != std::floor(value))
        return bad(word, "a whole number from 0 on is wanted");
    return static_cast<uint32_t>(value);
}

template <typename Out>
Result<void> number(const PlanWords& words, const std::string& field, Out& out) {
    const std::vector<PlanWord>* said = words.find(field);
    if (said == nullptr) return {};
    TRY(out, number_of(said->front()));
    return {};
}

Result<void> count(const PlanWords& words, const std::string& field, uint32_t& out) {
    const std::vector<PlanWord>* said = words.find(field);
    if (said == nullptr) return {};
    TRY(out, count_of(said->front()));
    return {};
}

/// Each word of a list through `read`.
template <typename Out, typename Read>
Result<void> list(const PlanWords& words, const std::string& field, std::vector<Out>& out,
                  const Read& read) {
    const std::vector<PlanWord>* said = words.find(field);
    if (said == nullptr) return {};
    out.clear();
    for (const PlanWord& word : *said) {
        TRY(Out value, read(word));
        out.push_back(std::move(value));
    }
    return {};
}

Result<Accelerator> accelerator_of(const PlanWord& word) {
    if (!word.text.starts_with('{')) {
        Result<Accelerator> found = find_accelerator(word.text);
        if (!found) return std::move(found).error().in(word.place);
        return found;
    }
    TRY(const Json row, parse_json(word.text, word.place));
    Result<Accelerator> declared = accelerator_from_json(row);
    if (!declared) return std::move(declared).error().in(word.place);
    return declared;
}

Result<KvDtype> kv_dtype_of(const PlanWord& word) {
    Result<KvDtype> found = parse_kv_dtype(word.text);
    if (!found) return std::move(found).error().in(word.place);
    return found;
}

Result<double> gib_of(const PlanWord& word) {
    TRY(const double value, number_of(word));
    if (value < 0) return bad(word, "GiB from 0 on are wanted");
    return value * kGiB;
}

/// Numbers of a profile that a file may declare.
struct ProfileNumber {
    std::string_view name;
    double Workload::* member;
};
constexpr std::array kProfileNumbers = {
    ProfileNumber{"calls_per_session", &Workload::calls_per_session},
    ProfileNumber{"session_s", &Workload::session_s},
    ProfileNumber{"prompt_tokens", &Workload::prompt_tokens},
    ProfileNumber{"context_p90", &Workload::context_p90},
    ProfileNumber{"context_max", &Workload::context_max},
    ProfileNumber{"new_tokens", &Workload::new_tokens},
    ProfileNumber{"shared_tokens", &Workload::shared_tokens},
    ProfileNumber{"reuse", &Workload::reuse},
    ProfileNumber{"output_tokens", &Workload::output_tokens},
    ProfileNumber{"pause_s", &Workload::pause_s},
    ProfileNumber{"tool_gap_s", &Workload::tool_gap_s},
    ProfileNumber{"calls_per_turn", &Workload::calls_per_turn},
    ProfileNumber{"calls_per_turn_p90", &Workload::calls_per_turn_p90},
};

std::string profile_numbers() {
    return joined(kProfileNumbers | std::views::transform(&ProfileNumber::name));
}

/// A mean gap or a mean answer scales the shape that the profile has.
void scale(std::vector<Quantile>& quantiles, double by) {
    for (Quantile& quantile : quantiles)
        quantile.value *= by;
}

Result<void> change_profile(Workload& workload, const std::string& name, const PlanWord& word) {
    TRY(const double value, number_of(word));
    if (value < 0) return bad(word, "a number from 0 on is wanted");
    if (name == "think_s") {
        scale(workload.gaps, value / std::max(1e-9, mean_gap(workload, kAwaySeconds)));
        return {};
    }
    const auto* const found = std::ranges::find(kProfileNumbers, name, &ProfileNumber::name);
    if (found == kProfileNumbers.end())
        return Error{Code::invalid_argument,
                     concat(word.place, ": unknown; a profile has think_s, ", profile_numbers())};
    if (name == "output_tokens") scale(workload.outputs, value / workload.output_tokens);
    workload.*(found->member) = value;
    return {};
}

Result<void> workload_of(const PlanWords& words, PlanRequest& out) {
    const std::vector<PlanWord>* said = words.find("profile");
    Result<Profile> profile = find_profile(said == nullptr ? "claude-code" : said->front().text);
    if (!profile) return std::move(profile).error().in(said->front().place);
    out.profile = std::move(profile).value();
    TRY(out.workload, workload_of(out.profile, context_limit(out.model)));
    const auto declared = words.under("profile.");
    for (const auto& [name, word] : declared)
        TRY(change_profile(out.workload, name, word));
    if (!declared.empty()) out.workload.source += "; with declared numbers";
    return {};
}

Result<void> model_of(const PlanWords& words, PlanRequest& out) {
    const std::vector<PlanWord>* said = words.find("model");
    if (said == nullptr)
        return Error{Code::invalid_argument,
                     "model: none; name one such as qwen3-32b, or a config.json or GGUF file"};
    Result<ModelGeometry> found = find_geometry(said->front().text);
    if (!found) return std::move(found).error().in(said->front().place);
    out.model = std::move(found).value();
    out.model_name = said->front().text;
    if (const std::vector<PlanWord>* weights = words.find("weights")) {
        Result<ModelGeometry> other = quantised(out.model, weights->front().text);
        if (!other) return std::move(other).error().in(weights->front().place);
        out.model = std::move(other).value();
    }
    return count(words, "max-context", out.model.max_context);
}

Result<void> targets_of(const PlanWords& words, Targets& out) {
    TRY(number(words, "ttft-p90", out.ttft_p90_s));
    TRY(number(words, "tpot", out.tpot_s));
    TRY(number(words, "interactivity", out.interactivity_p90));
    return number(words, "task-p90", out.task_p90_s);
}

Result<void> tiers_of(const PlanWords& words, PlanRequest& out) {
    TRY(list(words, "ram-tier", out.ram_tiers, gib_of));
    double disk_gib = 0;
    TRY(number(words, "disk-tier", disk_gib));
    out.tier_speeds.disk_bytes = disk_gib * kGiB;
    return {};
}

Result<void> fit_of(const PlanWords& words, PlanRequest& out) {
    if (const std::vector<PlanWord>* engine = words.find("engine"))
        out.engine = engine->front().text;
    std::optional<double> step_ms;
    TRY(number(words, "mfu", out.mfu));
    TRY(number(words, "mbu", out.mbu));
    TRY(number(words, "step-ms", step_ms));
    if (step_ms) out.step_s = *step_ms / 1000;
    return {};
}

Result<void> choices_of(const PlanWords& words, PlanRequest& out) {
    out.accelerators = known_accelerators();
    TRY(list(words, "gpu", out.accelerators, accelerator_of));
    TRY(list(words, "tp", out.tensor_parallel, count_of));
    TRY(list(words, "kv-dtype", out.kv_dtypes, kv_dtype_of));
    TRY(tiers_of(words, out));
    TRY(fit_of(words, out));
    TRY(number(words, "utilisation", out.utilisation));
    TRY(count(words, "step-tokens", out.step_tokens));
    return count(words, "most-gpus", out.most_accelerators);
}

Result<void> people_of(const PlanWords& words, PlanRequest& out) {
    if (words.has("developers") && words.has("sessions-per-hour"))
        return Error{Code::invalid_argument,
                     concat(words.find("sessions-per-hour")->front().place,
                            ": contradicts developers; give one of the two")};
    TRY(number(words, "developers", out.developers));
    return number(words, "sessions-per-hour", out.sessions_per_hour);
}

Result<void> tenants_of(const PlanWords& words, PlanRequest& out) {
    for (const auto& [name, word] : words.under("tenants.")) {
        TRY(const double limit, number_of(word));
        if (limit < 0) return bad(word, "tokens per minute from 0 on are wanted");
        out.tenants.push_back({.name = name, .tokens_per_minute = limit});
    }
    return {};
}

}  // namespace

const std::vector<PlanField>& plan_fields() {
    static const std::vector<PlanField> fields = {
        {"developers", "N", "people who work with it at the same time", "20"},
        {"sessions-per-hour", "N", "instead of developers: sessions that begin in an hour", ""},
        {"profile", "NAME",
         "what they do: claude-code, agentx, copilot, swe-bench, chat, rag, or a file of trace fit",
         "claude-code"},
        {"model", "MODEL", "a known model, a config.json, a GGUF file or a folder", ""},
        {"weights", "TYPE", "other weights than the file's: bf16, fp8, nvfp4, int4", "the file's"},
        {"max-context", "TOKENS", "that the model reads, where it is more than its config says",
         "the model's"},
        {"gpu", "NAME", "accelerators to choose among", "all known", true},
        {"tp", "N", "ranks of a replica to try", "1,2,4,8", true},
        {"kv-dtype", "TYPE", "KV types to try: bf16, fp8, q8_0, q4_0", "bf16,fp8", true},
        {"ram-tier", "GIB", "host RAM for KV of each accelerator, sizes to try", "0", true},
        {"disk-tier", "GIB", "disk for KV of each accelerator", "0"},
        {"ttft-p90", "SECONDS", "nine calls in ten begin to answer within", "10"},
        {"tpot", "SECONDS", "between two tokens of a stream, mean", "0.05"},
        {"interactivity", "TOKENS/S", "P90 of tokens per second and user, whole calls", "none"},
        {"task-p90", "SECONDS", "nine turns in ten end within, tools included", "none"},
        {"peak-factor", "N", "at the peak people ask so many times faster than on average", "1.5"},
        {"spare", "N", "replicas that may be lost while the targets still hold", "1"},
        {"budget", "DOLLARS", "at most, a month", "none"},
        {"price", "DOLLARS", "an accelerator's hour, instead of published prices", "published"},
        {"working-hours", "HOURS", "a month in which people work", "176"},
        {"utilisation", "SHARE", "of an accelerator's memory that the engine may take", "0.9"},
        {"step-tokens", "N", "tokens of one step, max-num-batched-tokens", "2048"},
        {"most-gpus", "N", "accelerators of a plan, at most", "1024"},
        {"engine", "NAME", "whose speed counts: vllm, sglang, tensorrt-llm, llama.cpp", "vllm"},
        {"mfu", "SHARE", "of the peak that the engine computes", "as measured"},
        {"mbu", "SHARE", "of the memory's bandwidth that it reads", "as measured"},
        {"step-ms", "MS", "the engine's own time in a step", "as measured"}};
    return fields;
}

const std::vector<PlanWord>* PlanWords::find(const std::string& field) const {
    const auto found = words_.find(field);
    return found == words_.end() || found->second.empty() ? nullptr : &found->second;
}

std::vector<std::pair<std::string, PlanWord>> PlanWords::under(std::string_view prefix) const {
    std::vector<std::pair<std::string, PlanWord>> out;
    for (const auto& [field, words] : words_)
        if (field.starts_with(prefix) && !words.empty())
            out.emplace_back(field.substr(prefix.size()), words.front());
    return out;
}

void PlanWords::add(const PlanWords& other) {
    for (const auto& [field, words] : other.words_)
        words_[field] = words;
}

Result<PlanRequest> understand(const PlanWords& words) {
    PlanRequest out;
    TRY(people_of(words, out));
    TRY(model_of(words, out));
    TRY(workload_of(words, out));
    TRY(choices_of(words, out));
    TRY(targets_of(words, out.targets));
    TRY(number(words, "peak-factor", out.peak_factor));
    TRY(count(words, "spare", out.spare_replicas));
    TRY(number(words, "budget", out.budget_per_month));
    TRY(number(words, "price", out.price_per_hour));
    TRY(number(words, "working-hours", out.working_hours_per_month));
    TRY(tenants_of(words, out));
    return out;
}

}  // namespace brigada
