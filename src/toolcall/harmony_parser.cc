#include "toolcall/harmony_parser.h"

#include <algorithm>
#include <span>
#include <utility>

#include "toolcall/call_reader.h"

namespace brigada {

namespace {

using Kind = AnswerPiece::Kind;

constexpr std::string_view kMessage = "<|message|>";
constexpr std::string_view kStart = "<|start|>";
constexpr std::string_view kChannel = "<|channel|>";
constexpr std::string_view kFunctions = "functions.";

/// What ends a body: three markers of its end, and the beginning of the next header.
const std::span<const std::string_view> kBodyEnds{kHarmonyMarkers.data(), 5};

/// What a header can begin with.
constexpr std::array<std::string_view, 5> kHeaderBegins = {kStart, kChannel, kMessage,
                                                           "<|constrain|>", "to="};

/// A longer one is none.
constexpr size_t kLongestHeader = 1024;

enum class Begins { as_header, otherwise, unknown };

/// Whether a header begins here: who answers without any channel just talks.
Begins how_begins(std::string_view unread, bool ended) {
    const size_t at = std::min(unread.find_first_not_of(kWhiteSpace), unread.size());
    const std::string_view rest = unread.substr(at);
    bool could = false;
    for (const std::string_view begin : kHeaderBegins) {
        if (rest.starts_with(begin)) return Begins::as_header;
        could = could || begin.starts_with(rest);
    }
    return could && !ended ? Begins::unknown : Begins::otherwise;
}

/// The word after `before` in a header: "analysis", "functions.f"; "" when there is none.
std::string_view word_after(std::string_view header, std::string_view before) {
    const size_t found = header.find(before);
    if (found == header.npos) return {};
    const std::string_view rest = header.substr(found + before.size());
    return rest.substr(0, rest.find_first_of(" \t\r\n<"));
}

}  // namespace

HarmonyParser::HarmonyParser(AnswerRules rules, const ToolList& tools)
    : writer_({.id_salt = std::move(rules.id_salt), .one_call_only = rules.one_call_only}, tools),
      stage_(rules.continues_text ? Stage::body : Stage::header),
      text_is_last_(rules.calls_or_text) {}

void HarmonyParser::feed(std::string_view text, AnswerPieces& out) {
    in_.append(text);
    run(out);
}

void HarmonyParser::finish(AnswerPieces& out) {
    in_.end();
    run(out);
}

void HarmonyParser::run(AnswerPieces& out) {
    writer_.write_to(out);
    while (step(out)) {
    }
    if (stage_ == Stage::body) in_.mark();
}

/// False when more text is needed.
bool HarmonyParser::step(AnswerPieces& out) {
    switch (stage_) {
        case Stage::header:
            return header(out);
        case Stage::body:
            return body(out);
        case Stage::arguments:
            return arguments();
        case Stage::call_end:
            break;
    }
    return call_end();
}

bool HarmonyParser::header(AnswerPieces& out) {
    const std::string_view unread = in_.text();
    if (unread.empty()) return false;
    const Begins begins = how_begins(unread, in_.ended());
    if (begins == Begins::unknown) return false;
    if (begins == Begins::otherwise) {
        begin_body(Kind::text, out);
        return true;
    }
    const size_t end = unread.find(kMessage);
    if (end != unread.npos) {
        const std::string header(unread.substr(0, end));
        in_.use(end + kMessage.size());
        begin_message(header, out);
        return true;
    }
    if (!in_.ended() && unread.size() <= kLongestHeader) return false;
    in_.use(unread.size());
    return give_up("a header without a message");
}

void HarmonyParser::begin_message(std::string_view header, AnswerPieces& out) {
    const std::string_view channel = word_after(header, kChannel);
    const std::string_view recipient = word_after(header, "to=");
    if (recipient.empty()) {
        begin_body(channel == "analysis" ? Kind::thinking : Kind::text, out);
    } else if (!recipient.starts_with(kFunctions) || writer_.tools().empty()) {
        give_up("a message to nobody who is here");
    } else {
        writer_.begin(recipient.substr(kFunctions.size()));
        arguments_ = JsonArguments();
        stage_ = Stage::arguments;
    }
}

/// Messages of a kind follow each other on lines of their own.
void HarmonyParser::begin_body(Kind kind, AnswerPieces& out) {
    bool& has_some = kind == Kind::text ? has_text_ : has_reasoning_;
    if (has_some) append_text(out, kind, "\n");
    has_some = true;
    kind_ = kind;
    stage_ = Stage::body;
}

bool HarmonyParser::body(AnswerPieces& out) {
    const std::string_view unread = in_.text();
    const bool ends = !text_is_last_ || kind_ == Kind::thinking;
    LiteralPlace end = ends ? find_first(unread, kBodyEnds) : LiteralPlace{unread.size()};
    const bool is_there = !end.literal.empty();
    if (!is_there && in_.ended()) end.at = unread.size();
    append_text(out, kind_, unread.substr(0, end.at));
    in_.use(end.at);
    if (is_there) end_message(end.literal);
    return is_there;
}

bool HarmonyParser::arguments() {
    const Taken taken = arguments_.read(in_, writer_);
    if (taken == Taken::wait) return false;
    if (taken == Taken::no) return give_up(kBadArguments);
    stage_ = Stage::call_end;
    return true;
}

bool HarmonyParser::call_end() {
    in_.skip_space();
    const std::string_view unread = in_.text();
    if (unread.empty() && !in_.ended()) return false;
    const LiteralPlace end = find_first(unread, kBodyEnds);
    if (end.at > 0 && !unread.empty()) return give_up(kNoCallEnd);
    if (end.literal.empty() && !unread.empty()) {
        if (in_.ended()) return give_up(kNoCallEnd);
        return false;
    }
    writer_.end();
    end_message(end.literal);
    return !in_.empty();
}

/// What follows is text until the message ends.
bool HarmonyParser::give_up(std::string_view reason) {
    const bool is_cut_off = in_.ended() && in_.empty();
    writer_.give_up(in_.since_mark(), is_cut_off ? kCutOff : reason);
    kind_ = Kind::text;
    has_text_ = true;
    stage_ = Stage::body;
    return true;
}

/// The marker of an end is used; the beginning of a header belongs to the next message.
void HarmonyParser::end_message(std::string_view marker) {
    if (marker != kStart && marker != kChannel) in_.use(marker.size());
    in_.mark();
    stage_ = Stage::header;
}

}  // namespace brigada
