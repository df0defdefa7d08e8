#include "dialect/sliced_answer_reader.h"

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

Error corrupt(std::string_view what, std::string_view data) {
    constexpr size_t kExcerpt = 60;
    return {Code::corrupt, concat(what, ": ", unescaped({escaped(data.substr(0, kExcerpt))}),
                                  data.size() > kExcerpt ? "..." : "")};
}

}  // namespace

Result<void> SlicedAnswerReader::event(std::string_view data, const AnswerSink& sink) {
    if (ended_ || data.empty()) return {};
    if (data == "[DONE]") {
        read_done(sink);
        return {};
    }
    const Result<SliceObject> top = document_.parse(data);
    if (!top.ok()) return corrupt("an event of the stream is no JSON object", data);
    read_event(*top, sink);
    return {};
}

Result<void> SlicedAnswerReader::whole(std::string_view json, const AnswerSink& sink) {
    const Result<SliceObject> top = document_.parse(json);
    if (!top.ok()) return corrupt("the answer is no JSON object", json);
    if (!read_whole(*top, sink))
        return corrupt("the answer is of another shape than its dialect's", json);
    return {};
}

void SlicedAnswerReader::begin(const AnswerBegan& began, const AnswerSink& sink) {
    if (std::exchange(began_, true)) return;
    sink(began);
}

void SlicedAnswerReader::end(const AnswerSink& sink) {
    if (std::exchange(ended_, true)) return;
    sink(AnswerEnded{});
}

void SlicedAnswerReader::fail(DialectError error, const AnswerSink& sink) {
    if (std::exchange(ended_, true)) return;
    sink(AnswerFailed{std::move(error)});
}

std::unique_ptr<AnswerReader> make_answer_reader(Dialect from) {
    switch (from) {
        case Dialect::chat:
            return make_chat_answer_reader();
        case Dialect::responses:
            return make_responses_answer_reader();
        case Dialect::messages:
            return make_messages_answer_reader();
        case Dialect::completions:
        case Dialect::embeddings:
        case Dialect::count_tokens:
            break;
    }
    CHECK(false, "no answers are read from ", to_string(from));
}

}  // namespace brigada
