#include "jinja/tests.h"

#include <algorithm>

#include "jinja/arguments.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

/// A test without arguments on the value alone.
template <bool (*is)(Value)>
Result<bool> plain(Heap&, Value value, const Args& args) {
    TRY(bind_nothing("the test", args));
    return is(value);
}

bool is_defined(Value v) {
    return !v.is_undefined();
}
bool is_undefined(Value v) {
    return v.is_undefined();
}
bool is_none(Value v) {
    return v.is_none();
}
bool is_boolean(Value v) {
    return v.is(Kind::boolean);
}
bool is_true(Value v) {
    return v.is(Kind::boolean) && v.as_bool();
}
bool is_false(Value v) {
    return v.is(Kind::boolean) && !v.as_bool();
}
bool is_integer(Value v) {
    return v.is(Kind::integer);
}
bool is_float(Value v) {
    return v.is(Kind::real);
}
bool is_number(Value v) {
    return v.is_number();
}
bool is_string(Value v) {
    return v.is_text();
}
bool is_mapping(Value v) {
    return v.is(Kind::dict);
}
bool is_callable(Value v) {
    return v.is(Kind::object) && v.as_object().is_callable();
}
bool is_escaped(Value) {
    return false;
}  // texts here are never marked as escaped
bool is_iterable(Value v) {
    return v.is_text() || v.is(Kind::list) || v.is(Kind::dict) || v.is_undefined();
}

Result<int64_t> number_for(Value value, std::string_view test) {
    return expect_integer(value, concat("the value of the test '", test, "'"));
}

Result<bool> is_even(Heap&, Value value, const Args&) {
    TRY(const int64_t number, number_for(value, "even"));
    return number % 2 == 0;
}

Result<bool> is_odd(Heap&, Value value, const Args&) {
    TRY(const int64_t number, number_for(value, "odd"));
    return number % 2 != 0;
}

Result<bool> is_divisible(Heap&, Value value, const Args& args) {
    TRY(const auto given, bind("divisibleby", args, {"num"}, 1));
    TRY(const int64_t number, number_for(value, "divisibleby"));
    TRY(const int64_t divisor, expect_integer(given[0], "divisibleby's argument"));
    if (divisor == 0) return template_error("integer modulo by zero");
    return divisor == -1 || number % divisor == 0;
}

/// str(value).isupper() and the like: there are letters, and none has the other case.
Result<bool> has_only_case(Heap& heap, Value value, bool (*wanted)(char32_t),
                           bool (*other)(char32_t)) {
    TRY(const std::string_view text, text_of(heap, value));
    bool found = false;
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        if (other(c.code)) return false;
        found = found || wanted(c.code);
        i += c.bytes.size();
    }
    return found;
}

Result<bool> is_upper_text(Heap& heap, Value value, const Args&) {
    return has_only_case(heap, value, is_upper, is_lower);
}
Result<bool> is_lower_text(Heap& heap, Value value, const Args&) {
    return has_only_case(heap, value, is_lower, is_upper);
}

template <Comparison::Op op>
Result<bool> compares(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("the test", args, {"other"}, 1));
    return holds(heap, op, value, given[0]);
}

Result<bool> is_same(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("sameas", args, {"other"}, 1));
    const Value other = given[0];
    if (value.kind() != other.kind()) return false;
    if (value.is(Kind::list)) return &value.as_list() == &other.as_list();
    if (value.is(Kind::dict)) return &value.as_dict() == &other.as_dict();
    return equal(heap, value, other);
}

Result<bool> is_filter(Heap&, Value value, const Args&) {
    return value.is_text() && find_filter(value.as_text()) != nullptr;
}
Result<bool> is_test(Heap&, Value value, const Args&) {
    return value.is_text() && find_test(value.as_text()) != nullptr;
}

using Op = Comparison::Op;

constexpr std::pair<std::string_view, Test> kTests[] = {{"defined", plain<is_defined>},
                                                        {"undefined", plain<is_undefined>},
                                                        {"none", plain<is_none>},
                                                        {"boolean", plain<is_boolean>},
                                                        {"true", plain<is_true>},
                                                        {"false", plain<is_false>},
                                                        {"integer", plain<is_integer>},
                                                        {"float", plain<is_float>},
                                                        {"number", plain<is_number>},
                                                        {"string", plain<is_string>},
                                                        {"mapping", plain<is_mapping>},
                                                        {"iterable", plain<is_iterable>},
                                                        {"sequence", plain<is_iterable>},
                                                        {"callable", plain<is_callable>},
                                                        {"escaped", plain<is_escaped>},
                                                        {"even", is_even},
                                                        {"odd", is_odd},
                                                        {"divisibleby", is_divisible},
                                                        {"upper", is_upper_text},
                                                        {"lower", is_lower_text},
                                                        {"sameas", is_same},
                                                        {"filter", is_filter},
                                                        {"test", is_test},
                                                        {"eq", compares<Op::eq>},
                                                        {"equalto", compares<Op::eq>},
                                                        {"==", compares<Op::eq>},
                                                        {"ne", compares<Op::ne>},
                                                        {"!=", compares<Op::ne>},
                                                        {"lt", compares<Op::lt>},
                                                        {"lessthan", compares<Op::lt>},
                                                        {"<", compares<Op::lt>},
                                                        {"le", compares<Op::le>},
                                                        {"<=", compares<Op::le>},
                                                        {"gt", compares<Op::gt>},
                                                        {"greaterthan", compares<Op::gt>},
                                                        {">", compares<Op::gt>},
                                                        {"ge", compares<Op::ge>},
                                                        {">=", compares<Op::ge>},
                                                        {"in", compares<Op::in>}};

}  // namespace

Test find_test(std::string_view name) {
    const auto* found = std::ranges::find(kTests, name, [](const auto& t) { return t.first; });
    return found == std::end(kTests) ? nullptr : found->second;
}

}  // namespace brigada::jinja
