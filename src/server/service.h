// Service: what all handlers of one server share: the model as clients name it, its tokenizer and
// template, the engine once it is loaded, and whether new work is welcome.
#pragma once

#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/generation_options.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/setup.h"
#include "model/model.h"
#include "net/loop.h"
#include "server/grammars.h"
#include "server/metrics.h"
#include "tokens/chat_template.h"
#include "tokens/tokenizer.h"
#include "toolcall/answer_format.h"

namespace brigada {

struct ServiceConfig {
    std::string model_name;                       // as clients say it
    std::string key = {};                         // that calls must carry; "": none
    Duration keep_alive = Duration::seconds(10);  // silence on a stream before a comment is sent
};

/// Everything that exists once the model is loaded.
struct LoadedModel {
    std::unique_ptr<Model> model;  // before the engine, which borrows it
    ChatTemplate chat_template;
    AnswerFormat answers;
    StartedEngine started;

    const Tokenizer& tokenizer() const { return model->tokenizer(); }
    Engine& engine() const { return *started.engine; }
};

class Service {
  public:
    Service(ServiceConfig config, Loop& loop) : config_(std::move(config)), loop_(loop) {}

    const ServiceConfig& config() const { return config_; }
    Loop& loop() { return loop_; }
    Metrics& metrics() { return metrics_; }
    Grammars& grammars() { return grammars_; }

    /// Opens the door. The model must outlive the service's use of it.
    void set_model(const LoadedModel& model) { model_.store(&model, std::memory_order_release); }
    void set_loading(int percent) { loading_percent_ = percent; }
    void set_draining() { draining_ = true; }
    bool draining() const { return draining_; }

    /// The model, or why there is none now: Error::unavailable while loading and while draining.
    Result<const LoadedModel*> ready() const;

    /// ready(), for health: also when the engine makes no progress.
    Result<const LoadedModel*> healthy() const;

    /// Error::not_found names the models there are. "" means the one there is.
    Result<void> check_model(const std::string& name) const;

    SamplingDefaults sampling_defaults(const LoadedModel& model) const;
    GenerationLimits generation_limits(const LoadedModel& model) const;

    int64_t started_unix() const { return started_unix_; }
    /// Requests read in full, as the HTTP server counts them.
    void count_requests_with(std::function<uint64_t()> counter) { counter_ = std::move(counter); }
    uint64_t http_requests() const { return counter_ ? counter_() : 0; }

    /// "chatcmpl-" and 24 characters that differ between requests and between runs.
    std::string new_id(std::string_view prefix);

  private:
    ServiceConfig config_;
    Loop& loop_;
    Metrics metrics_;
    Grammars grammars_{loop_};
    std::atomic<const LoadedModel*> model_ = nullptr;
    std::atomic<int> loading_percent_ = 0;
    std::atomic<bool> draining_ = false;
    std::atomic<uint64_t> next_id_ = 0;
    std::function<uint64_t()> counter_;
    const int64_t started_unix_ = std::time(nullptr);
};

}  // namespace brigada
