#include "jinja/arguments.h"

namespace brigada::jinja {

Result<void> bind_nothing(std::string_view function, const Args& args) {
    if (!args.positional.empty() || !args.named.empty())
        return template_error(concat(function, "() takes no arguments"));
    return {};
}

Result<int64_t> integer_or(Value value, int64_t fallback, std::string_view what) {
    if (value.is_undefined()) return fallback;
    return expect_integer(value, what);
}

Result<std::string_view> text_or(Value value, std::string_view fallback, std::string_view what) {
    if (value.is_undefined()) return fallback;
    return expect_text(value, what);
}

Result<std::string_view> expect_text(Value value, std::string_view what) {
    if (value.is_undefined()) return undefined_error(value);
    if (!value.is_text())
        return template_error(concat(what, " must be a string, not ", type_name(value)));
    return value.as_text();
}

Result<int64_t> expect_integer(Value value, std::string_view what) {
    if (value.is_undefined()) return undefined_error(value);
    if (!value.is_integral())
        return template_error(concat(what, " must be an integer, not ", type_name(value)));
    return value.as_integer();
}

}  // namespace brigada::jinja
