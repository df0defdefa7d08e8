#include "api/chat_answer.h"

#include <algorithm>
#include <utility>

#include "api/token_json.h"

namespace brigada {

namespace {

using Kind = AnswerPiece::Kind;

AnswerRules with_salt(AnswerRules rules, std::string salt) {
    rules.id_salt = std::move(salt);
    return rules;
}

Json call_delta(const AnswerPiece& piece) {
    Json call = {{"index", piece.call}};
    if (piece.kind == Kind::tool_call) {
        call["id"] = piece.id;
        call["type"] = "function";
        call["function"] = {{"name", piece.name}, {"arguments", ""}};
    } else {
        call["function"] = {{"arguments", piece.text}};
    }
    return {{"tool_calls", Json::array({std::move(call)})}};
}

Json delta(const AnswerPiece& piece) {
    switch (piece.kind) {
        case Kind::text:
        case Kind::broken_call:
            return {{"content", piece.text}};
        case Kind::thinking:
            return {{"reasoning_content", piece.text}};
        case Kind::tool_call:
        case Kind::tool_arguments:
            break;
    }
    return call_delta(piece);
}

}  // namespace

ChatAnswer::ChatAnswer(const ChatAnswers& answers, std::string salt)
    : answers_(answers),
      parser_(make_answer_parser(answers.format, with_salt(answers.rules, std::move(salt)),
                                 answers.tools)) {}

std::vector<Json> ChatAnswer::token(const TokenEvent& event) {
    return deltas(read(event));
}

std::vector<Json> ChatAnswer::finish(const ChoiceFinished& event) {
    return deltas(read(event));
}

void ChatAnswer::collect(const TokenEvent& event) {
    gather(read(event));
}

void ChatAnswer::collect(const ChoiceFinished& event) {
    gather(read(event));
}

Json ChatAnswer::message() const {
    Json calls = Json::array();
    for (const Call& call : calls_)
        if (!call.is_broken)
            calls.push_back({{"id", call.id},
                             {"type", "function"},
                             {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
    const bool has_other = !calls.empty() || !reasoning_.empty();
    Json out = {{"role", "assistant"},
                {"content", text_.empty() && has_other ? Json(nullptr) : Json(text_)}};
    if (!reasoning_.empty()) out["reasoning_content"] = reasoning_;
    if (!calls.empty()) out["tool_calls"] = std::move(calls);
    return out;
}

std::string_view ChatAnswer::reason() const {
    const bool has_called = reason_ == FinishReason::stop && parser_->calls() > 0;
    return has_called ? "tool_calls" : finish_reason(reason_);
}

/// A token counts as reasoning, the markers around it too, when it stands in it or touches it.
AnswerPieces ChatAnswer::read(const TokenEvent& event) {
    AnswerPieces out;
    const bool was_reasoning = parser_->is_reasoning();
    parser_->feed(event.text, out);
    const bool reasons = was_reasoning || parser_->is_reasoning();
    if (!event.ends_answer && reasons) ++reasoning_tokens_;
    part_ = reasons ? Part::other : part_of(out);
    note_broken(out);
    return out;
}

AnswerPieces ChatAnswer::read(const ChoiceFinished& event) {
    reason_ = event.reason;
    AnswerPieces out;
    parser_->feed(event.text, out);
    parser_->finish(out);
    part_ = part_of(out);
    note_broken(out);
    return out;
}

ChatAnswer::Part ChatAnswer::part_of(const AnswerPieces& pieces) {
    if (pieces.empty()) return Part::unknown;
    const bool is_text = std::ranges::all_of(pieces, [](const AnswerPiece& piece) {
        return piece.kind == Kind::text || piece.kind == Kind::broken_call;
    });
    return is_text ? Part::text : Part::other;
}

void ChatAnswer::note_broken(const AnswerPieces& pieces) const {
    if (!answers_.on_broken_call) return;
    for (const AnswerPiece& piece : pieces)
        if (!piece.reason.empty()) answers_.on_broken_call(piece.reason);
}

std::vector<Json> ChatAnswer::deltas(const AnswerPieces& pieces) const {
    std::vector<Json> out;
    for (const AnswerPiece& piece : pieces)
        if (piece.kind != Kind::thinking || answers_.include_reasoning) out.push_back(delta(piece));
    return out;
}

void ChatAnswer::gather(AnswerPieces pieces) {
    for (AnswerPiece& piece : pieces) {
        switch (piece.kind) {
            case Kind::text:
                text_ += piece.text;
                break;
            case Kind::thinking:
                if (answers_.include_reasoning) reasoning_ += piece.text;
                break;
            case Kind::tool_call:
                calls_.push_back({std::move(piece.id), std::move(piece.name), {}});
                break;
            case Kind::tool_arguments:
                calls_[piece.call].arguments += piece.text;
                break;
            case Kind::broken_call:
                calls_[piece.call].is_broken = true;
                text_ += piece.text;
                break;
        }
    }
}

}  // namespace brigada
