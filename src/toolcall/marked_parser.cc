#include "toolcall/marked_parser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace brigada {

namespace {

using Kind = AnswerPiece::Kind;

CallRules call_rules(const AnswerFormat& format, AnswerRules rules) {
    return {.ids = format.tools ? format.tools->ids : CallIdStyle::long_word,
            .id_salt = std::move(rules.id_salt),
            .one_call_only = rules.one_call_only};
}

}  // namespace

MarkedParser::MarkedParser(const AnswerFormat& format, AnswerRules rules, const ToolList& tools)
    : reasoning_format_(*format.reasoning),
      format_(tools.empty() ? nullptr : format.tools),
      writer_(call_rules(format, rules), tools),
      stage_(!reasoning_format_.has_markers() || rules.continues_text ? Stage::text
             : rules.starts_in_reasoning                              ? Stage::reasoning
                                                                      : Stage::start),
      drops_space_(stage_ == Stage::reasoning),
      has_text_(rules.continues_text),
      calls_or_text_(rules.calls_or_text) {}

void MarkedParser::feed(std::string_view text, AnswerPieces& out) {
    in_.append(text);
    run(out);
}

void MarkedParser::finish(AnswerPieces& out) {
    in_.end();
    run(out);
}

void MarkedParser::run(AnswerPieces& out) {
    writer_.write_to(out);
    while (step(out)) {
    }
    if (stage_ != Stage::call) in_.mark();
}

/// False when more text is needed.
bool MarkedParser::step(AnswerPieces& out) {
    switch (stage_) {
        case Stage::start:
            return start();
        case Stage::reasoning:
            return reasoning(out);
        case Stage::text:
            return text(out);
        case Stage::call:
            break;
    }
    return call(out);
}

/// Reasoning may stand only at the start: who writes about its marker later means the word.
bool MarkedParser::start() {
    const std::string_view unread = in_.text();
    const size_t at = std::min(unread.find_first_not_of(kWhiteSpace), unread.size());
    const std::string_view rest = unread.substr(at);
    const std::string_view open = reasoning_format_.open;
    if (!in_.ended() && rest.size() < open.size() && open.starts_with(rest)) return false;
    stage_ = Stage::text;
    if (!rest.starts_with(open)) return true;
    in_.use(at + open.size());
    stage_ = Stage::reasoning;
    drops_space_ = true;
    return true;
}

bool MarkedParser::reasoning(AnswerPieces& out) {
    if (!drop_space()) return false;
    const std::string_view unread = in_.text();
    const LiteralPlace close = find_first(unread, std::array{reasoning_format_.close});
    if (close.literal.empty() && in_.ended()) {
        send(Kind::thinking, unread.size(), out);
        return false;
    }
    const size_t certain = without_space_at_end(unread.substr(0, close.at)).size();
    send(Kind::thinking, certain, out);
    if (close.literal.empty()) return false;
    in_.use(close.at - certain + close.literal.size());
    stage_ = Stage::text;
    drops_space_ = true;
    return true;
}

bool MarkedParser::text(AnswerPieces& out) {
    if (!drop_space()) return false;
    if (is_undecided()) return false;
    const std::string_view unread = in_.text();
    if (!format_) {
        send(Kind::text, unread.size(), out);
        return false;
    }
    if (may_begin_here()) {
        const size_t at = std::min(unread.find_first_not_of(kWhiteSpace), unread.size());
        if (at < unread.size() && format_->first.contains(unread[at])) {
            begin_call(at);
            return true;
        }
    }
    const LiteralPlace opening = find_first(unread, format_->openings);
    const bool is_there = !opening.literal.empty();
    if (!is_there && in_.ended()) {
        send(Kind::text, unread.size(), out);
        return false;
    }
    const size_t certain = without_space_at_end(unread.substr(0, opening.at)).size();
    send(Kind::text, certain, out);
    if (is_there) begin_call(opening.at - certain);
    return is_there;
}

/// Of an answer that is calls or text: whether its first word is still to come. Once it is text, it
/// calls nobody.
bool MarkedParser::is_undecided() {
    if (!calls_or_text_ || !format_ || writer_.calls() > 0) return false;
    if (!has_text_) {
        const std::string_view unread = in_.text();
        const size_t at = std::min(unread.find_first_not_of(kWhiteSpace), unread.size());
        const std::string_view rest = unread.substr(at);
        bool could = rest.empty();
        for (const std::string_view opening : format_->openings) {
            if (rest.starts_with(opening)) return false;
            could = could || opening.starts_with(rest);
        }
        if (!rest.empty() && format_->first.contains(rest.front())) return false;
        if (could && !in_.ended()) return true;
    }
    format_ = nullptr;
    return false;
}

/// Only white space has been said.
bool MarkedParser::may_begin_here() const {
    return !has_text_ && !format_->first.empty();
}

/// `at` is where its opening stands; the white space before it is part of what the model wrote.
void MarkedParser::begin_call(size_t at) {
    in_.mark();
    in_.use(at);
    reader_ = format_->make_reader();
    stage_ = Stage::call;
    has_text_ = true;
}

bool MarkedParser::call(AnswerPieces&) {
    const Reading reading = reader_->read(in_, writer_);
    switch (reading.state) {
        case Reading::State::wait:
            return false;
        case Reading::State::call:
            in_.mark();
            return true;
        case Reading::State::done:
            drops_space_ = true;
            break;
        case Reading::State::broken:
            give_up(reading.reason);
            break;
    }
    reader_ = nullptr;
    stage_ = Stage::text;
    return true;
}

void MarkedParser::give_up(std::string_view reason) {
    const bool is_cut_off = in_.ended() && in_.empty();
    writer_.give_up(in_.since_mark(), is_cut_off ? kCutOff : reason);
}

/// Drops layout; false while only that has come.
bool MarkedParser::drop_space() {
    if (!drops_space_) return true;
    in_.skip_space();
    drops_space_ = in_.empty();
    return !drops_space_;
}

void MarkedParser::send(Kind kind, size_t bytes, AnswerPieces& out) {
    append_text(out, kind, in_.text().substr(0, bytes));
    in_.use(bytes);
    if (kind == Kind::text && bytes > 0) has_text_ = true;
}

}  // namespace brigada
