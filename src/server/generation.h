// Generation: one HTTP request's way through the engine, whole or streamed. It submits, waits,
// renders and, whatever way it ends, leaves nothing behind in the engine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/reply.h"
#include "engine/engine.h"
#include "net/http_server.h"
#include "net/sse.h"
#include "server/loop_queue.h"
#include "server/service.h"

namespace brigada {

class Generation {
  public:
    /// `parts` are the engine requests, one per prompt; choice j of part i is the reply's choice
    /// i * choices + j. Borrows everything.
    Generation(Service& service, const LoadedModel& model, Responder& responder, Reply& reply);

    /// Cancels what is not done.
    ~Generation();

    /// Submits and answers; returns when the answer is sent or the client is gone.
    Task<void> run(std::vector<EngineRequest> parts, bool stream);

  private:
    struct Item {
        uint32_t part = 0;
        EngineEvent event;
    };
    struct Part {
        RequestId id{};
        uint32_t first_choice = 0;
        bool done = false;
    };

    Result<void> submit(std::vector<EngineRequest> parts);
    void cancel_all();
    Task<void> answer_whole();
    Task<void> answer_stream();
    Task<bool> open_stream();
    void add_dropped(HttpHeaders& headers) const;
    Task<bool> send_events(std::vector<Item> items);
    Task<void> close_stream();
    Task<void> send_error(const Error& error);

    void handle(Item item);
    void on(Part& part, TokenEvent event);
    void on(Part& part, ChoiceFinished event);
    void on(Part& part, const RequestFinished& event);
    void on(Part& part, RequestFailed event);

    bool all_done() const { return done_ == parts_.size(); }
    void write(const Chunks& chunks);

    Service& service_;
    const LoadedModel& model_;
    Responder& responder_;
    Reply& reply_;
    LoopQueue<Item> events_;
    std::vector<Part> parts_;
    size_t done_ = 0;
    uint32_t choices_ = 0;
    bool streaming_ = false;
    EngineUsage usage_;             // of all parts together
    std::optional<Error> failure_;  // of the first part that failed
    SseWriter out_;                 // framed and not yet sent
};

}  // namespace brigada
