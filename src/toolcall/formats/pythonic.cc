// Calls as a list of Python's: [get_weather(city="Madrid", days=3)]. Nothing marks them, so they
// are calls only at the start of an answer and if the functions are the request's tools. Llama 3.2
// and 4 write so. Arguments are sent one by one.
#include "toolcall/python_literal.h"
#include "toolcall/tool_format.h"

namespace brigada {

namespace {

constexpr std::string_view kNoPython = "not a list of calls as Python writes them";

class PythonicReader : public CallReader {
  public:
    Reading read(Unread& in, CallWriter& out) override {
        for (;;)
            if (const auto stop = step(in, out)) return *stop;
    }

  private:
    enum class At { open, name, bracket, argument, equals, value, after_value, after_call };

    std::optional<Reading> step(Unread& in, CallWriter& out);
    std::optional<Reading> go(Taken taken, At next);
    std::optional<Reading> begin_call(Unread& in, CallWriter& out);
    std::optional<Reading> argument_or_end(Unread& in, CallWriter& out);
    std::optional<Reading> value(Unread& in, CallWriter& out);
    std::optional<Reading> after_value(Unread& in, CallWriter& out);
    std::optional<Reading> after_call(Unread& in);
    Reading end_call(CallWriter& out);

    At at_ = At::open;
    std::string name_, key_, value_;
    PythonExtent extent_;
    bool has_argument_ = false;
};

/// One construct further; nothing when there is more to read at once.
std::optional<Reading> PythonicReader::step(Unread& in, CallWriter& out) {
    if (at_ != At::value) in.skip_space();
    switch (at_) {
        case At::open:
            return go(in.take("["), At::name);
        case At::name:
            return go(in.take_name(name_), At::bracket);
        case At::bracket:
            return begin_call(in, out);
        case At::argument:
            return argument_or_end(in, out);
        case At::equals:
            return go(in.take("="), At::value);
        case At::value:
            return value(in, out);
        case At::after_value:
            return after_value(in, out);
        case At::after_call:
            break;
    }
    return after_call(in);
}

std::optional<Reading> PythonicReader::go(Taken taken, At next) {
    if (taken == Taken::yes) at_ = next;
    return unless_taken(taken, kNoPython);
}

std::optional<Reading> PythonicReader::begin_call(Unread& in, CallWriter& out) {
    const Taken taken = in.take("(");
    if (taken != Taken::yes) return unless_taken(taken, kNoPython);
    if (!out.tools().has(name_)) return Reading::broken("no tool has this name");
    out.begin(name_);
    has_argument_ = false;
    return go(taken, At::argument);
}

std::optional<Reading> PythonicReader::argument_or_end(Unread& in, CallWriter& out) {
    if (in.take(")") == Taken::yes) return end_call(out);
    value_.clear();
    extent_ = PythonExtent();
    return go(in.take_name(key_), At::equals);
}

std::optional<Reading> PythonicReader::value(Unread& in, CallWriter& out) {
    const size_t size = extent_.read(in.text());
    const bool is_whole = size < in.text().size();
    value_ += in.text().substr(0, size);
    in.use(size);
    if (!is_whole) return in.ended() ? Reading::broken(kCutOff) : Reading::wait();
    const std::optional<std::string> json = python_as_json(value_);
    if (!json) return Reading::broken("an argument is no literal of Python");
    out.arguments(concat(has_argument_ ? ", " : "{", dump_json(Json(key_)), ": ", *json));
    has_argument_ = true;
    at_ = At::after_value;
    return std::nullopt;
}

std::optional<Reading> PythonicReader::after_value(Unread& in, CallWriter& out) {
    if (in.take(")") == Taken::yes) return end_call(out);
    return go(in.take(","), At::argument);
}

Reading PythonicReader::end_call(CallWriter& out) {
    out.arguments(has_argument_ ? "}" : "{}");
    out.end();
    at_ = At::after_call;
    return Reading::call();
}

std::optional<Reading> PythonicReader::after_call(Unread& in) {
    if (in.take("]") == Taken::yes || (in.empty() && in.ended())) return Reading::done();
    return go(in.take(","), At::name);
}

}  // namespace

ToolFormat pythonic_format() {
    return {.name = "pythonic",
            .other_names = {"llama4_pythonic"},
            .template_marks = {"[func_name1(params_name1=params_value1"},
            .first = "[",
            .make_reader = [] -> std::unique_ptr<CallReader> {
                return std::make_unique<PythonicReader>();
            },
            .shapes = {{.opening = "[",
                        .at_start = true,
                        .before_arguments = "(",
                        .end = ")",
                        .between = ",\n",
                        .close = "]",
                        .arguments = CallShape::Arguments::python}}};
}

}  // namespace brigada
