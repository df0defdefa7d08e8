#include "toolcall/object_call.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace brigada {

namespace {

constexpr std::string_view kNoObject = "the call is not a JSON object";
constexpr std::string_view kOtherKey = "a key that no call has";

bool is_call_key(std::string_view key) {
    return std::ranges::find(kCallKeys, key) != kCallKeys.end();
}

/// The text of a JSON string; nothing for other values.
std::optional<std::string> string_of(const std::string& json) {
    const Result<Json> value = parse_json(json, "string");
    if (!value.ok() || !value->is_string()) return std::nullopt;
    return value->get<std::string>();
}

/// Arguments that were kept back, as an object: models also write them as a string, or as null.
std::optional<std::string> object_of(const std::string& json) {
    const std::string text = string_of(json).value_or(json);
    if (text.empty() || text == "null") return "{}";
    const Result<Json> value = parse_json(text, "arguments");
    if (!value.ok() || !value->is_object()) return std::nullopt;
    return text;
}

}  // namespace

Reading ObjectCall::read(Unread& in, CallWriter& out) {
    for (;;)
        if (const auto stop = step(in, out)) return *stop;
}

/// One construct further; nothing when there is more to read at once.
std::optional<Reading> ObjectCall::step(Unread& in, CallWriter& out) {
    switch (at_) {
        case At::open:
            in.skip_space();
            return go(in.take("{"), At::first_key, kNoObject);
        case At::first_key:
        case At::key:
            return begin_key(in, out);
        case At::key_text:
            if (const auto stop = unless_taken(read_text(in), kNoObject)) return stop;
            return end_key();
        case At::colon:
            in.skip_space();
            return go(in.take(":"), At::value, kNoObject);
        case At::value:
            return begin_value(in, out);
        case At::value_text:
            if (const auto stop = unless_taken(read_text(in), kNoObject)) return stop;
            return end_value(out);
        case At::arguments:
            return go(arguments_.read(in, out), At::comma, kBadArguments);
        case At::comma:
            break;
    }
    return comma_or_end(in, out);
}

std::optional<Reading> ObjectCall::go(Taken taken, At next, std::string_view reason) {
    if (taken == Taken::yes) at_ = next;
    return unless_taken(taken, reason);
}

std::optional<Reading> ObjectCall::begin_key(Unread& in, CallWriter& out) {
    in.skip_space();
    if (at_ == At::first_key && in.take("}") == Taken::yes) return finish(out);
    if (in.empty() && !in.ended()) return Reading::wait();
    if (!in.text().starts_with('"')) return Reading::broken(kNoObject);
    begin_text(At::key_text);
    return std::nullopt;
}

std::optional<Reading> ObjectCall::end_key() {
    const std::optional<std::string> key = string_of(text_);
    if (!key) return Reading::broken(kNoObject);
    key_ = *key;
    if (is_unmarked_ && !is_call_key(key_)) return Reading::broken(kOtherKey);
    if ((key_ == "name" && !name_.empty()) || (is_arguments_key() && (is_announced_ || held_)))
        return Reading::broken("the call has two names or arguments");
    at_ = At::colon;
    return std::nullopt;
}

std::optional<Reading> ObjectCall::begin_value(Unread& in, CallWriter& out) {
    in.skip_space();
    if (in.empty()) return in.ended() ? Reading::broken(kCutOff) : Reading::wait();
    if (!is_arguments_key() || name_.empty() || !in.text().starts_with('{')) {
        begin_text(At::value_text);
        return std::nullopt;
    }
    out.begin(name_);
    is_announced_ = true;
    at_ = At::arguments;
    return std::nullopt;
}

std::optional<Reading> ObjectCall::end_value(CallWriter& out) {
    at_ = At::comma;
    if (key_ == "name") return end_name(out);
    if (!is_arguments_key()) return std::nullopt;
    held_ = object_of(text_);
    if (!held_) return Reading::broken(kBadArguments);
    return std::nullopt;
}

std::optional<Reading> ObjectCall::end_name(CallWriter& out) {
    name_ = string_of(text_).value_or("");
    if (name_.empty()) return Reading::broken(kNoName);
    if (is_unmarked_ && !out.tools().has(name_)) return Reading::broken("no tool has this name");
    return std::nullopt;
}

std::optional<Reading> ObjectCall::comma_or_end(Unread& in, CallWriter& out) {
    in.skip_space();
    if (in.take("}") == Taken::yes) return finish(out);
    return go(in.take(","), At::key, kNoObject);
}

Taken ObjectCall::read_text(Unread& in) {
    in.use(scanner_.read(in.text(), text_));
    if (scanner_.state() == JsonScanner::State::complete) return Taken::yes;
    const bool is_wrong = scanner_.state() == JsonScanner::State::wrong || in.ended();
    return is_wrong ? Taken::no : Taken::wait;
}

void ObjectCall::begin_text(At at) {
    at_ = at;
    scanner_ = JsonScanner();
    text_.clear();
}

Reading ObjectCall::finish(CallWriter& out) {
    if (name_.empty()) return Reading::broken(kNoName);
    if (!is_announced_) {
        out.begin(name_);
        out.arguments(held_.value_or("{}"));
    }
    out.end();
    return Reading::call();
}

// --- the calls of an answer -------------------------------------------------------------------

Reading ObjectCallReader::read(Unread& in, CallWriter& out) {
    for (;;)
        if (const auto stop = step(in, out)) return *stop;
}

std::optional<Reading> ObjectCallReader::step(Unread& in, CallWriter& out) {
    switch (at_) {
        case At::open:
            return take_optional(in.take(layout_.open), layout_.open_is_optional, At::list);
        case At::list: {
            in.skip_space();
            const Taken taken = layout_.list_open.empty() ? Taken::no : in.take(layout_.list_open);
            is_list_ = taken == Taken::yes;
            return take_optional(taken, true, At::call);
        }
        case At::call:
            return read_call(in, out);
        case At::after_call:
            return after_call(in);
        case At::close:
            break;
    }
    in.skip_space();
    const Taken taken = in.take(layout_.close);
    return taken == Taken::wait                                ? Reading::wait()
           : taken == Taken::yes || (in.empty() && in.ended()) ? Reading::done()
                                                               : Reading::broken(kNoCallEnd);
}

std::optional<Reading> ObjectCallReader::take_optional(Taken taken, bool is_optional, At next) {
    if (taken == Taken::no && is_optional) taken = Taken::yes;
    if (taken == Taken::yes) at_ = next;
    return unless_taken(taken, kNoOpening);
}

std::optional<Reading> ObjectCallReader::read_call(Unread& in, CallWriter& out) {
    const Reading reading = call_.read(in, out);
    if (reading.state == Reading::State::call) {
        call_ = ObjectCall(layout_.is_unmarked);
        at_ = At::after_call;
    }
    return reading;
}

std::optional<Reading> ObjectCallReader::after_call(Unread& in) {
    in.skip_space();
    if (in.empty()) return in.ended() ? Reading::done() : Reading::wait();
    if (layout_.separators.contains(in.text().front())) {
        in.use(1);
        at_ = At::call;
        return std::nullopt;
    }
    if (is_list_) {
        const Taken taken = in.take(layout_.list_close);
        if (taken != Taken::yes) return unless_taken(taken, kNoCallEnd);
    }
    at_ = At::close;
    return std::nullopt;
}

}  // namespace brigada
