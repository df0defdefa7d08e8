#include "toolcall/named_call.h"

namespace brigada {

namespace {

constexpr std::string_view kFunctions = "functions.";
constexpr std::string_view kNoSeparator = "no arguments follow the function's name";

/// "functions.get_weather:0" -> "get_weather".
std::string_view name_in_id(std::string_view id) {
    if (id.starts_with(kFunctions)) id.remove_prefix(kFunctions.size());
    const size_t colon = id.rfind(':');
    const bool is_numbered =
        colon != id.npos && id.find_first_not_of("0123456789", colon + 1) == id.npos;
    return is_numbered ? id.substr(0, colon) : id;
}

}  // namespace

Reading NamedCallReader::read(Unread& in, CallWriter& out) {
    for (;;)
        if (const auto stop = step(in, out)) return *stop;
}

/// One construct further; nothing when there is more to read at once.
std::optional<Reading> NamedCallReader::step(Unread& in, CallWriter& out) {
    switch (at_) {
        case At::section:
            return go(in.take(layout_.section), At::call, kNoOpening);
        case At::call:
            return call_or_end(in);
        case At::name:
            in.skip_space();
            return go(in.take_name(name_), At::separator, kNoName);
        case At::separator:
            return separator(in, out);
        case At::id:
            return go(in.take_name(id_), At::id_end, "the call's id is missing");
        case At::id_end:
            return announced(in.take(layout_.separator), out);
        case At::arguments:
            return go(arguments_.read(in, out), At::call_end, kBadArguments);
        case At::call_end:
            break;
    }
    return end_call(in, out);
}

std::optional<Reading> NamedCallReader::go(Taken taken, At next, std::string_view reason) {
    if (taken == Taken::yes) at_ = next;
    return unless_taken(taken, reason);
}

std::optional<Reading> NamedCallReader::call_or_end(Unread& in) {
    if (layout_.call.empty() && has_call_) return Reading::done();
    if (!layout_.call.empty()) in.skip_space();
    const Taken call = in.take(layout_.call);
    if (call != Taken::no) return go(call, At::name, "");
    if (has_call_ && in.empty() && in.ended()) return Reading::done();
    const Taken end = in.take(layout_.section_end);
    if (end == Taken::yes && has_call_) return Reading::done();
    return unless_taken(end == Taken::yes ? Taken::no : end, kNoCall);
}

std::optional<Reading> NamedCallReader::separator(Unread& in, CallWriter& out) {
    if (!layout_.id_separator.empty()) {
        const Taken taken = in.take(layout_.id_separator);
        if (taken != Taken::no) return go(taken, At::id, "");
    }
    return announced(in.take(layout_.separator), out);
}

std::optional<Reading> NamedCallReader::announced(Taken taken, CallWriter& out) {
    if (taken == Taken::yes) {
        if (layout_.name_is_id) id_ = name_;
        out.begin(layout_.name_is_id ? name_in_id(name_) : name_, id_);
        arguments_ = JsonArguments();
    }
    return go(taken, At::arguments, kNoSeparator);
}

Reading NamedCallReader::end_call(Unread& in, CallWriter& out) {
    if (!layout_.call_end.empty()) in.skip_space();
    const bool is_cut_off = in.empty() && in.ended();
    if (!is_cut_off)
        if (const auto stop = unless_taken(in.take(layout_.call_end), kNoCallEnd)) return *stop;
    out.end();
    id_.clear();
    has_call_ = true;
    at_ = At::call;
    return Reading::call();
}

}  // namespace brigada
