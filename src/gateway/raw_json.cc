#include "gateway/raw_json.h"

namespace brigada {

std::string_view raw_json(simdjson::ondemand::value& value) {
    using simdjson::ondemand::json_type;
    json_type type{};
    std::string_view out;
    if (value.type().get(type)) return {};
    if (type == json_type::array) {
        simdjson::ondemand::array array;
        return value.get_array().get(array) || array.raw_json().get(out) ? std::string_view() : out;
    }
    if (type == json_type::object) {
        simdjson::ondemand::object object;
        return value.get_object().get(object) || object.raw_json().get(out) ? std::string_view()
                                                                            : out;
    }
    out = value.raw_json_token();  // up to the next token
    while (!out.empty() && out.back() <= ' ')
        out.remove_suffix(1);
    return out;
}

}  // namespace brigada
