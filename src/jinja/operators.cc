#include "jinja/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/concat.h"
#include "jinja/format.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

std::string_view symbol(Binary::Op op) {
    switch (op) {
        case Binary::Op::add:
            return "+";
        case Binary::Op::subtract:
            return "-";
        case Binary::Op::multiply:
            return "*";
        case Binary::Op::divide:
            return "/";
        case Binary::Op::floor_divide:
            return "//";
        case Binary::Op::modulo:
            return "%";
        case Binary::Op::power:
            return "**";
        case Binary::Op::concat:
            return "~";
    }
    return {};
}

Error unsupported_operands(Binary::Op op, Value a, Value b) {
    if (op == Binary::Op::add && a.is_text())
        return template_error(
            concat("can only concatenate str (not \"", type_name(b), "\") to str"));
    return template_error(concat("unsupported operand type(s) for ", symbol(op), ": '",
                                 type_name(a), "' and '", type_name(b), "'"));
}

Error overflow(Binary::Op op, int64_t a, int64_t b) {
    return template_error(
        concat(a, " ", symbol(op), " ", b, " does not fit an integer of 64 bits"));
}

int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t floor_modulo(int64_t a, int64_t b) {
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_modulo(double a, double b) {
    const double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

Result<Value> integer_power(int64_t base, int64_t exponent) {
    if (exponent < 0)
        return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    int64_t out = 1, square = base;
    for (int64_t left = exponent; left > 0; left >>= 1) {
        if ((left & 1) != 0 && __builtin_mul_overflow(out, square, &out))
            return overflow(Binary::Op::power, base, exponent);
        if (left > 1 && __builtin_mul_overflow(square, square, &square))
            return overflow(Binary::Op::power, base, exponent);
    }
    return Value::integer(out);
}

Result<Value> apply_integers(Binary::Op op, int64_t a, int64_t b) {
    const bool divides =
        op == Binary::Op::divide || op == Binary::Op::floor_divide || op == Binary::Op::modulo;
    if (divides && b == 0)
        return template_error(concat("division by zero in ", a, " ", symbol(op), " 0"));
    if (b == -1 && op == Binary::Op::modulo) return Value::integer(0);
    if (b == -1 && op == Binary::Op::floor_divide)
        return apply_integers(Binary::Op::multiply, a, -1);
    int64_t out = 0;
    bool fits = true;
    switch (op) {
        case Binary::Op::add:
            fits = !__builtin_add_overflow(a, b, &out);
            break;
        case Binary::Op::subtract:
            fits = !__builtin_sub_overflow(a, b, &out);
            break;
        case Binary::Op::multiply:
            fits = !__builtin_mul_overflow(a, b, &out);
            break;
        case Binary::Op::floor_divide:
            out = floor_divide(a, b);
            break;
        case Binary::Op::modulo:
            out = floor_modulo(a, b);
            break;
        case Binary::Op::power:
            return integer_power(a, b);
        case Binary::Op::divide:
        case Binary::Op::concat:
            return Value::real(static_cast<double>(a) / static_cast<double>(b));
    }
    if (!fits) return overflow(op, a, b);
    return Value::integer(out);
}

Result<Value> apply_reals(Binary::Op op, double a, double b) {
    switch (op) {
        case Binary::Op::add:
            return Value::real(a + b);
        case Binary::Op::subtract:
            return Value::real(a - b);
        case Binary::Op::multiply:
            return Value::real(a * b);
        case Binary::Op::power:
            return Value::real(std::pow(a, b));
        default:
            break;
    }
    if (b == 0)
        return template_error(concat("division by zero in ", real_text(a), " ", symbol(op), " 0"));
    if (op == Binary::Op::floor_divide) return Value::real(std::floor(a / b));
    return Value::real(op == Binary::Op::modulo ? floor_modulo(a, b) : a / b);
}

Result<Value> concatenate(Heap& heap, Value a, Value b) {
    TextBuilder out(heap);
    TRY(write_text(out, a));
    TRY(write_text(out, b));
    return out.finish();
}

Result<Value> add_lists(Heap& heap, const List& a, const List& b) {
    TRY(heap.room_for((a.items.size() + b.items.size()) * sizeof(Value)));
    TRY(heap.work(a.items.size() + b.items.size()));
    List* out = heap.list();
    out->items.reserve(a.items.size() + b.items.size());
    out->items.assign(a.items.begin(), a.items.end());
    out->items.insert(out->items.end(), b.items.begin(), b.items.end());
    out->is_tuple = a.is_tuple;
    return Value(out);
}

/// Fails unless `times` pieces of `bytes` each fit.
Result<void> room_for_repeats(Heap& heap, size_t bytes, size_t times) {
    size_t total = 0;
    if (__builtin_mul_overflow(bytes, times, &total)) total = std::numeric_limits<size_t>::max();
    return heap.room_for(total);
}

Result<Value> repeat(Heap& heap, Value value, int64_t times) {
    const size_t n = static_cast<size_t>(std::max<int64_t>(times, 0));
    if (value.is_text()) {
        const std::string_view text = value.as_text();
        if (text.empty() || n == 0) return Value::text("");
        TRY(room_for_repeats(heap, text.size(), n));
        std::string out;
        out.reserve(text.size() * n);
        for (size_t i = 0; i < n; ++i)
            out += text;
        return heap.text(std::move(out));
    }
    const List& list = value.as_list();
    List* out = heap.list();
    out->is_tuple = list.is_tuple;
    if (list.items.empty() || n == 0) return Value(out);
    TRY(room_for_repeats(heap, list.items.size() * sizeof(Value), n));
    TRY(heap.work(list.items.size() * n));
    out->items.reserve(list.items.size() * n);
    for (size_t i = 0; i < n; ++i)
        out->items.insert(out->items.end(), list.items.begin(), list.items.end());
    return Value(out);
}

bool is_sequence(Value value) {
    return value.is_text() || value.is(Kind::list);
}

}  // namespace

Result<Value> apply(Heap& heap, Binary::Op op, Value a, Value b) {
    if (op == Binary::Op::concat) return concatenate(heap, a, b);
    if (op == Binary::Op::modulo && a.is_text()) return format_percent(heap, a.as_text(), b);
    if (a.is_undefined()) return undefined_error(a);
    if (b.is_undefined()) return undefined_error(b);
    if (a.is_integral() && b.is_integral())
        return apply_integers(op, a.as_integer(), b.as_integer());
    if (a.is_number() && b.is_number()) return apply_reals(op, a.as_real(), b.as_real());
    if (op == Binary::Op::add && a.is_text() && b.is_text()) return concatenate(heap, a, b);
    if (op == Binary::Op::add && a.is(Kind::list) && b.is(Kind::list) &&
        a.as_list().is_tuple == b.as_list().is_tuple)
        return add_lists(heap, a.as_list(), b.as_list());
    if (op == Binary::Op::multiply && is_sequence(a) && b.is_integral())
        return repeat(heap, a, b.as_integer());
    if (op == Binary::Op::multiply && a.is_integral() && is_sequence(b))
        return repeat(heap, b, a.as_integer());
    return unsupported_operands(op, a, b);
}

Result<Value> apply(Unary::Op op, Value value) {
    if (op == Unary::Op::logical_not) return Value::boolean(!truthy(value));
    if (value.is_undefined()) return undefined_error(value);
    const bool negate = op == Unary::Op::negate;
    if (value.is_integral())
        return apply_integers(Binary::Op::multiply, value.as_integer(), negate ? -1 : 1);
    if (value.is_number()) return Value::real(negate ? -value.as_real() : value.as_real());
    return template_error(
        concat("bad operand type for unary ", negate ? "-" : "+", ": '", type_name(value), "'"));
}

// --- comparisons ------------------------------------------------------------------------------

namespace {

Error too_nested() {
    return template_error(concat("values compared are nested over ", kMaxNesting, " deep"));
}

Result<bool> equal_lists(Heap& heap, const List& a, const List& b, int depth) {
    if (a.is_tuple != b.is_tuple || a.items.size() != b.items.size()) return false;
    for (size_t i = 0; i < a.items.size() && i < b.items.size(); ++i) {
        TRY(const bool same, equal(heap, a.items[i], b.items[i], depth + 1));
        if (!same) return false;
    }
    return true;
}

Result<bool> equal_dicts(Heap& heap, const Dict& a, const Dict& b, int depth) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, value] : a.entries()) {
        const Value* other = b.find(key);
        if (!other) return false;
        TRY(const bool same, equal(heap, value, *other, depth + 1));
        if (!same) return false;
    }
    return true;
}

}  // namespace

Result<bool> equal(Heap& heap, Value a, Value b, int depth) {
    if (depth > kMaxNesting) return too_nested();
    TRY(heap.work(1));
    if (a.is_integral() && b.is_integral()) return a.as_integer() == b.as_integer();
    if (a.is_number() && b.is_number()) return a.as_real() == b.as_real();
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Kind::text:
            TRY(heap.work(work_of_bytes(std::min(a.as_text().size(), b.as_text().size()))));
            return a.as_text() == b.as_text();
        case Kind::list:
            return equal_lists(heap, a.as_list(), b.as_list(), depth);
        case Kind::dict:
            return equal_dicts(heap, a.as_dict(), b.as_dict(), depth);
        case Kind::object:
            return &a.as_object() == &b.as_object();
        default:
            return true;  // none and none, undefined and undefined
    }
}

Result<std::partial_ordering> compare(Heap& heap, Value a, Value b, int depth) {
    if (depth > kMaxNesting) return too_nested();
    TRY(heap.work(1));
    if (a.is_integral() && b.is_integral())
        return std::partial_ordering(a.as_integer() <=> b.as_integer());
    if (a.is_number() && b.is_number()) return a.as_real() <=> b.as_real();
    if (a.is_text() && b.is_text()) {
        TRY(heap.work(work_of_bytes(std::min(a.as_text().size(), b.as_text().size()))));
        return std::partial_ordering(a.as_text() <=> b.as_text());
    }
    if (a.is_undefined()) return undefined_error(a);
    if (b.is_undefined()) return undefined_error(b);
    if (!a.is(Kind::list) || !b.is(Kind::list) || a.as_list().is_tuple != b.as_list().is_tuple)
        return template_error(concat("'<' not supported between instances of '", type_name(a),
                                     "' and '", type_name(b), "'"));
    const auto& left = a.as_list().items;
    const auto& right = b.as_list().items;
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        TRY(const bool same, equal(heap, left[i], right[i], depth + 1));
        if (!same) return compare(heap, left[i], right[i], depth + 1);
    }
    return std::partial_ordering(left.size() <=> right.size());
}

Result<bool> holds(Heap& heap, Comparison::Op op, Value a, Value b) {
    if (op == Comparison::Op::eq) return equal(heap, a, b);
    if (op == Comparison::Op::in) return contains(heap, b, a);
    if (op == Comparison::Op::ne || op == Comparison::Op::not_in) {
        const auto opposite = op == Comparison::Op::ne ? Comparison::Op::eq : Comparison::Op::in;
        TRY(const bool it_is, holds(heap, opposite, a, b));
        return !it_is;
    }
    TRY(const std::partial_ordering order, compare(heap, a, b));
    switch (op) {
        case Comparison::Op::lt:
            return order < 0;
        case Comparison::Op::le:
            return order <= 0;
        case Comparison::Op::gt:
            return order > 0;
        default:
            return order >= 0;
    }
}

Result<bool> contains(Heap& heap, Value container, Value item) {
    switch (container.kind()) {
        case Kind::undefined:
            return false;
        case Kind::text:
            if (!item.is_text())
                return template_error(
                    concat("'in <string>' requires string as left operand, not ", type_name(item)));
            TRY(heap.work(work_of_bytes(container.as_text().size())));
            return container.as_text().contains(item.as_text());
        case Kind::list:
            for (const Value& candidate : container.as_list().items) {
                TRY(const bool same, equal(heap, candidate, item));
                if (same) return true;
            }
            return false;
        case Kind::dict:
            if (item.is(Kind::list) || item.is(Kind::dict))
                return template_error(concat("unhashable type: '", type_name(item), "'"));
            return container.as_dict().find(item) != nullptr;
        default:
            break;
    }
    return template_error(concat("argument of type '", type_name(container), "' is not iterable"));
}

Result<std::span<const Value>> items_of(Heap& heap, Value value) {
    switch (value.kind()) {
        case Kind::undefined:
            return std::span<const Value>();
        case Kind::list:
            return std::span<const Value>(value.as_list().items);
        case Kind::dict: {
            TRY(heap.work(value.as_dict().size()));
            List* keys = heap.list();
            keys->items.reserve(value.as_dict().size());
            for (const auto& [key, item] : value.as_dict().entries())
                keys->items.push_back(key);
            return std::span<const Value>(keys->items);
        }
        case Kind::text: {
            const std::string_view text = value.as_text();
            TRY(heap.room_for(text.size() * sizeof(Value)));
            TRY(heap.work(text.size()));
            List* out = heap.list();
            for (size_t i = 0; i < text.size();) {
                out->items.push_back(Value::text(character_at(text, i).bytes));
                i += out->items.back().as_text().size();
            }
            return std::span<const Value>(out->items);
        }
        default:
            return template_error(concat("'", type_name(value), "' object is not iterable"));
    }
}

Result<int64_t> length_of(Value value) {
    switch (value.kind()) {
        case Kind::undefined:
            return int64_t{0};
        case Kind::text:
            return static_cast<int64_t>(length(value.as_text()));
        case Kind::list:
            return static_cast<int64_t>(value.as_list().items.size());
        case Kind::dict:
            return static_cast<int64_t>(value.as_dict().size());
        default:
            return template_error(concat("object of type '", type_name(value), "' has no len()"));
    }
}

}  // namespace brigada::jinja
