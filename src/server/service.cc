#include "server/service.h"

#include <random>

namespace brigada {

Result<const LoadedModel*> Service::ready() const {
    if (draining_) return Error{Code::unavailable, "the server is draining; it takes no new work"};
    if (const LoadedModel* model = model_.load(std::memory_order_acquire)) return model;
    return Error{Code::unavailable,
                 concat("the model is loading, ", loading_percent_.load(), " %")};
}

Result<const LoadedModel*> Service::healthy() const {
    TRY(const LoadedModel* model, ready());
    if (model->engine().snapshot().stalled)
        return Error{Code::unavailable, "the engine has work but makes no progress"};
    return model;
}

Result<void> Service::check_model(const std::string& name) const {
    if (name.empty() || name == config_.model_name) return {};
    return Error{Code::not_found,
                 concat("the model \"", name, "\" does not exist here; this server has \"",
                        config_.model_name, "\"")};
}

SamplingDefaults Service::sampling_defaults(const LoadedModel& model) const {
    const GenerationDefaults& from = model.model->generation_defaults();
    SamplingDefaults out{.temperature = from.temperature,
                         .top_p = from.top_p,
                         .min_p = from.min_p,
                         .repetition_penalty = from.repetition_penalty,
                         .top_k = from.top_k};
    if (from.do_sample == false) out.temperature = 0.0f;
    return out;
}

GenerationLimits Service::generation_limits(const LoadedModel& model) const {
    return {.vocab = static_cast<uint32_t>(model.model->config().vocab)};
}

std::string Service::new_id(std::string_view prefix) {
    static const uint64_t run = std::random_device{}();
    return fmt::format("{}{:08x}{:016x}", prefix, run & 0xffffffff, next_id_++);
}

}  // namespace brigada
