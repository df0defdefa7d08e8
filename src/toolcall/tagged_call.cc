#include "toolcall/tagged_call.h"

#include "base/concat.h"
#include "base/json.h"

namespace brigada {

namespace {

constexpr std::string_view kBadTag = "a tag is not as it should be";

/// `text` without one line break at its start and one at its end.
std::string without_outer_breaks(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.starts_with('\n')) text.erase(0, 1);
    return text;
}

/// JSON if it is, whatever the schema says: the model said it is. Else a string.
std::string json_or_string(const std::string& text) {
    return parse_json(text, "value").ok() ? text : dump_json(Json(text));
}

}  // namespace

Reading TaggedCallReader::read(Unread& in, CallWriter& out) {
    for (;;)
        if (const auto stop = step(in, out)) return *stop;
}

/// One construct further; nothing when there is more to read at once.
std::optional<Reading> TaggedCallReader::step(Unread& in, CallWriter& out) {
    switch (at_) {
        case At::section:
            return section(in);
        case At::call:
            return call_or_end(in);
        case At::name:
            in.skip_space();
            return go(in.take_name(name_), At::name_end, kNoName);
        case At::name_end:
            return name_end(in, out);
        case At::key:
            return key_or_end(in, out);
        case At::key_name:
            return go(in.take_name(key_), At::key_end, "a parameter's name is missing");
        case At::key_end:
            return go(in.take(layout_.key_end), At::value_begin, kBadTag);
        case At::value_begin:
            return value_begin(in);
        case At::value:
            return value(in, out);
    }
    return Reading::done();
}

std::optional<Reading> TaggedCallReader::go(Taken taken, At next, std::string_view reason) {
    if (taken == Taken::yes) at_ = next;
    return unless_taken(taken, reason);
}

std::optional<Reading> TaggedCallReader::section(Unread& in) {
    const Taken taken = in.take(layout_.section);
    has_section_ = taken == Taken::yes;
    const bool goes_without = taken == Taken::no && !layout_.needs_section;
    return go(goes_without ? Taken::yes : taken, At::call, kNoOpening);
}

std::optional<Reading> TaggedCallReader::call_or_end(Unread& in) {
    const bool is_single = layout_.section_end.empty();
    if (has_call_ && is_single) return Reading::done();
    in.skip_space();
    if (has_call_ && in.empty() && in.ended()) return Reading::done();
    const Taken call = in.take(layout_.call);
    if (call != Taken::no) return go(call, At::name, "");
    const Taken end = in.take(layout_.section_end);
    const bool is_end = end == Taken::yes || (end == Taken::no && !has_section_);
    if (is_end && has_call_) return Reading::done();
    return unless_taken(end == Taken::yes ? Taken::no : end, kNoCall);
}

std::optional<Reading> TaggedCallReader::name_end(Unread& in, CallWriter& out) {
    const Taken taken = in.take(layout_.name_end);
    if (taken == Taken::yes) out.begin(name_);
    has_argument_ = false;
    return go(taken, At::key, kBadTag);
}

std::optional<Reading> TaggedCallReader::key_or_end(Unread& in, CallWriter& out) {
    in.skip_space();
    const Taken key = in.take(layout_.key);
    if (key != Taken::no) return go(key, At::key_name, "");
    const Taken end = in.take(layout_.call_end);
    if (end != Taken::yes) return unless_taken(end, "neither a parameter nor the call's end");
    out.arguments(has_argument_ ? "}" : "{}");
    out.end();
    has_call_ = true;
    at_ = At::call;
    return Reading::call();
}

std::optional<Reading> TaggedCallReader::value_begin(Unread& in) {
    if (layout_.spaced_values) in.skip_space();
    is_json_ = false;
    if (!layout_.json_value.empty()) {
        const Taken json = in.take(layout_.json_value);
        is_json_ = json == Taken::yes;
        if (json != Taken::no) return go(json, At::value, "");
    }
    return go(in.take(layout_.value), At::value, kBadTag);
}

std::optional<Reading> TaggedCallReader::value(Unread& in, CallWriter& out) {
    std::optional<std::string> text = in.take_until(layout_.value_end);
    if (!text) return in.ended() ? Reading::broken(kCutOff) : Reading::wait();
    if (layout_.lines_of_their_own) text = without_outer_breaks(*std::move(text));
    send_argument(*std::move(text), out);
    at_ = At::key;
    return std::nullopt;
}

void TaggedCallReader::send_argument(std::string text, CallWriter& out) {
    const std::string value =
        is_json_ ? json_or_string(text) : out.tools().value_as_json(name_, key_, text);
    const std::string_view before = has_argument_ ? ", " : "{";
    out.arguments(concat(before, dump_json(Json(key_)), ": ", value));
    has_argument_ = true;
}

}  // namespace brigada
