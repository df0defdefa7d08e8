#include "base/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace brigada {

namespace {

/// The deepest nesting of brackets outside strings, without building anything.
int nesting_depth(std::string_view text) {
    int depth = 0, deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
            continue;
        }
        if (c == '"') in_string = true;
        if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
        if (c == ']' || c == '}') --depth;
    }
    return deepest;
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what) {
    if (int depth = nesting_depth(text); depth > kJsonMaxDepth)
        return Error{Code::invalid_argument, concat(what, ": JSON nested ", depth,
                                                    " deep; at most ", kJsonMaxDepth, " is read")};
    // The library takes a zero byte for the end of the text and what follows for nothing.
    if (const size_t zero = text.find('\0'); zero != text.npos)
        return Error{Code::invalid_argument,
                     concat(what, ": not valid JSON at byte ", zero + 1, " of ", text.size())};
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& e) {
        return Error{Code::invalid_argument,
                     concat(what, ": not valid JSON at byte ", e.byte, " of ", text.size())};
    } catch (const Json::exception& e) {
        return Error{Code::invalid_argument, concat(what, ": not valid JSON: ", e.what())};
    }
}

std::string dump_json(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace brigada
