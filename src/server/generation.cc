#include "server/generation.h"

#include <algorithm>
#include <utility>

#include "api/error_body.h"
#include "server/respond.h"

namespace brigada {

namespace {

/// Before a stream is opened, errors still have a status: wait this long for a first event, then
/// open it, so that the client sees the answer has begun.
constexpr Duration kOpenAfter = Duration::seconds(2);

void add(EngineUsage& sum, const EngineUsage& part) {
    sum.prompt_tokens += part.prompt_tokens;
    sum.cached_tokens += part.cached_tokens;
    sum.reread_tokens += part.reread_tokens;
    sum.completion_tokens += part.completion_tokens;
    sum.queued = std::max(sum.queued, part.queued);
    sum.prefill = std::max(sum.prefill, part.prefill);
    sum.decode = std::max(sum.decode, part.decode);
}

}  // namespace

Generation::Generation(Service& service, const LoadedModel& model, Responder& responder,
                       Reply& reply)
    : service_(service),
      model_(model),
      responder_(responder),
      reply_(reply),
      events_(service.loop()) {}

Generation::~Generation() {
    cancel_all();
}

Task<void> Generation::run(std::vector<EngineRequest> parts, bool stream) {
    streaming_ = stream;
    auto gone = responder_.on_gone([this] {
        cancel_all();
        events_.wake();
    });
    if (auto submitted = submit(std::move(parts)); !submitted.ok()) {
        co_await send_error(submitted.error());
        co_return;
    }
    if (stream) {
        co_await answer_stream();
    } else {
        co_await answer_whole();
    }
}

Result<void> Generation::submit(std::vector<EngineRequest> parts) {
    for (EngineRequest& request : parts) {
        const auto index = static_cast<uint32_t>(parts_.size());
        const uint32_t choices = request.choices;
        request.sink = [send = events_.sender(), index](EngineEvent event) {
            send({index, std::move(event)});
        };
        TRY(RequestId id, model_.engine().submit(std::move(request)));
        parts_.push_back({.id = id, .first_choice = choices_});
        choices_ += choices;
    }
    return {};
}

void Generation::cancel_all() {
    for (Part& part : parts_)
        if (!std::exchange(part.done, true)) model_.engine().cancel(part.id);
    done_ = parts_.size();
}

Task<void> Generation::answer_whole() {
    while (!all_done() && !failure_)
        for (Item& item : co_await events_.take())
            handle(std::move(item));
    if (responder_.client_gone()) co_return;
    if (failure_) {
        co_await send_error(*failure_);
    } else {
        HttpHeaders headers{{"Content-Type", "application/json"}};
        add_dropped(headers);
        co_await responder_.send(200, headers, reply_.whole(usage_));
    }
}

Task<void> Generation::answer_stream() {
    std::vector<Item> first = co_await events_.take(kOpenAfter);
    if (!first.empty() && std::holds_alternative<RequestFailed>(first.front().event)) {
        co_await send_error(std::get<RequestFailed>(first.front().event).error);
        co_return;
    }
    if (responder_.client_gone() || !co_await open_stream()) co_return;
    if (!co_await send_events(std::move(first))) co_return;
    while (!all_done() && !failure_) {
        auto items = co_await events_.take(service_.config().keep_alive);
        if (responder_.client_gone()) co_return;
        if (items.empty()) out_.comment("keep-alive");
        if (!co_await send_events(std::move(items))) co_return;
    }
    co_await close_stream();
}

void Generation::add_dropped(HttpHeaders& headers) const {
    if (const std::string dropped = reply_.dropped(); !dropped.empty())
        headers.add("x-brigada-dropped", dropped);
}

Task<bool> Generation::open_stream() {
    HttpHeaders headers{{"Content-Type", kSseContentType}, {"Cache-Control", "no-cache"}};
    add_dropped(headers);
    const bool started = co_await responder_.start_stream(200, std::move(headers));
    for (uint32_t choice = 0; choice < choices_; ++choice)
        write(reply_.opening(choice));
    co_return started;
}

Task<bool> Generation::send_events(std::vector<Item> items) {
    for (Item& item : items)
        handle(std::move(item));
    if (out_.empty()) co_return true;
    const bool sent = co_await responder_.write(out_.bytes());
    out_.clear();
    co_return sent;
}

/// A stream that broke says so in-band and is not ended with [DONE].
Task<void> Generation::close_stream() {
    if (failure_) {
        write(reply_.failure(*failure_));
    } else {
        write(reply_.end(usage_));
    }
    if (co_await responder_.write(out_.bytes())) co_await responder_.finish();
}

Task<void> Generation::send_error(const Error& error) {
    return brigada::send_error(responder_, error, reply_.dialect());
}

void Generation::handle(Item item) {
    Part& part = parts_[item.part];
    if (part.done) return;  // cancelled; what was on its way does not count
    std::visit([&](auto& event) { on(part, std::move(event)); }, item.event);
}

void Generation::on(Part& part, TokenEvent event) {
    event.choice += part.first_choice;
    if (streaming_) {
        write(reply_.token(event));
    } else {
        reply_.collect(event);
    }
}

void Generation::on(Part& part, ChoiceFinished event) {
    event.choice += part.first_choice;
    if (streaming_) {
        write(reply_.finish(event));
    } else {
        reply_.collect(event);
    }
}

void Generation::on(Part& part, const RequestFinished& event) {
    add(usage_, event.usage);
    part.done = true;
    ++done_;
}

void Generation::on(Part& part, RequestFailed event) {
    part.done = true;
    ++done_;
    if (!failure_) failure_ = std::move(event.error);
}

void Generation::write(const Chunks& chunks) {
    for (const std::string& chunk : chunks)
        if (reply_.is_framed())
            out_.framed(chunk);
        else
            out_.data(chunk);
}

}  // namespace brigada
