// Any bytes as a stream of each dialect, and as a whole answer, told in every other one. Nothing
// may crash, where the bytes are cut changes nothing, and what is written are events with JSON in
// them, that the dialect's own reader takes.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/event_splitter.h"

namespace brigada {
namespace {

constexpr Dialect kAll[] = {Dialect::chat, Dialect::messages, Dialect::responses};

const Conversation& asked() {
    static const Conversation kAsked = [] {
        Conversation out;
        out.include_usage = true;
        out.tools.push_back({.name = {"patch"}, .custom = true});
        return out;
    }();
    return kAsked;
}

std::unique_ptr<AnswerWriter> writer_of(Dialect to) {
    return make_answer_writer(to, {.id = "own", .model = "m\"\n", .asked = &asked()});
}

void check_written(const std::string& stream, Dialect dialect) {
    EventSplitter splitter;
    const auto reader = make_answer_reader(dialect);
    std::string joined;
    const auto events = splitter.feed(stream);
    CHECK(events.ok() && splitter.rest().empty());
    for (const std::string_view event : *events) {
        const std::string_view data = event_data(event, joined);
        CHECK(data == "[DONE]" || Json::accept(data), data);
        CHECK(reader->event(data, [](const AnswerEvent&) {}).ok(), data);
    }
}

/// What a client is told of a stream that comes in portions of `size` bytes.
std::string told(std::string_view bytes, size_t size, Dialect from, Dialect to) {
    EventSplitter splitter;
    const auto reader = make_answer_reader(from);
    const auto writer = writer_of(to);
    std::string joined, out;
    const AnswerSink sink = [&](const AnswerEvent& event) { writer->write(event, out); };
    for (size_t at = 0; at < bytes.size(); at += size) {
        const auto events = splitter.feed(bytes.substr(at, size));
        if (!events.ok()) return out;
        for (const std::string_view event : *events)
            if (!reader->event(event_data(event, joined), sink).ok()) return out;
    }
    return out;
}

void tell_stream(std::string_view bytes, Dialect from, Dialect to) {
    if (bytes.empty()) return;
    const std::string out = told(bytes, bytes.size(), from, to);
    CHECK(told(bytes, 1, from, to) == out);
    check_written(out, to);
}

void tell_whole(std::string_view json, Dialect from, Dialect to) {
    const auto writer = writer_of(to);
    bool failed = false;
    const bool good = make_answer_reader(from)
                          ->whole(json,
                                  [&](const AnswerEvent& told) {
                                      failed |= std::holds_alternative<AnswerFailed>(told);
                                      writer->collect(told);
                                  })
                          .ok();
    if (!good || failed) return;
    const std::string whole = writer->whole();
    CHECK(Json::accept(whole), whole);
    CHECK(make_answer_reader(to)->whole(whole, [](const AnswerEvent&) {}).ok(), whole);
}

void tell_error(std::string_view body, Dialect to) {
    const DialectError error = read_dialect_error(400, body);
    CHECK(Json::accept(dialect_error_body(error, to)), error.message);
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const Dialect to : kAll) {
        for (const Dialect from : kAll) {
            tell_stream(bytes, from, to);
            tell_whole(bytes, from, to);
        }
        tell_error(bytes, to);
    }
    return 0;
}
