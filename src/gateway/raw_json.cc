#include "gateway/raw_json.h"

#include <algorithm>
#include <array>

namespace brigada {

namespace {

using simdjson::ondemand::json_iterator;
using simdjson::ondemand::json_type;

/// By how much a token changes the depth.
constexpr auto kSteps = [] {
    std::array<int8_t, 256> out{};
    out['['] = out['{'] = 1;
    out[']'] = out['}'] = -1;
    return out;
}();

/// A value whose tokens are walked here: simdjson steps over a value too, but doesn't say how deep
/// it was.
class Tokens : public simdjson::ondemand::value {
  public:
    explicit Tokens(const simdjson::ondemand::value& value) : simdjson::ondemand::value(value) {}

    /// Of an array or object. No text: it has no end.
    RawValue look_over() {
        json_iterator tokens(iter.json_iter());  // the document's own stays where it is
        const uint8_t* begin = tokens.peek();
        const uint8_t* token = begin;
        RawValue out;
        int depth = 0;
        do {
            if (tokens.at_end()) return out;
            token = tokens.return_current_and_advance();
            depth += kSteps[*token];
            out.levels = std::max(out.levels, depth);
        } while (depth > 0);
        out.text = {reinterpret_cast<const char*>(begin), static_cast<size_t>(token + 1 - begin)};
        behind_ = tokens.position();
        return out;
    }

    RawValue step_over() {
        const RawValue out = look_over();
        if (out.text.empty()) return out;
        json_iterator& tokens = iter.json_iter();
        const auto outside = iter.depth() - 1;
        tokens.ascend_to(outside);
        tokens.reenter_child(behind_, outside + 1);
        tokens.ascend_to(outside);
        return out;
    }

  private:
    simdjson::ondemand::token_position behind_{};
};

RawValue scalar(simdjson::ondemand::value& value) {
    std::string_view out = value.raw_json_token();  // up to the next token
    while (!out.empty() && out.back() <= ' ')
        out.remove_suffix(1);
    return {.text = out};
}

RawValue over(simdjson::ondemand::value& value, RawValue (Tokens::*container)()) {
    json_type type{};
    if (value.type().get(type)) return {};
    if (type != json_type::array && type != json_type::object) return scalar(value);
    Tokens tokens(value);
    return (tokens.*container)();
}

}  // namespace

RawValue raw_json(simdjson::ondemand::value& value) {
    return over(value, &Tokens::step_over);
}

RawValue look_over(simdjson::ondemand::value& value) {
    return over(value, &Tokens::look_over);
}

}  // namespace brigada
