#include "grammar/json_numbers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/concat.h"
#include "grammar/code_point_dfa.h"
#include "grammar/decimal.h"

namespace brigada {

namespace {

/// So many significant digits come back from a double as they went in.
constexpr size_t kExactDigits = 15;

/// Multiples between bounds are written out one by one up to so many.
constexpr __int128 kMaxListed = 256;

/// The remainders that a multiple's automaton counts in.
constexpr int64_t kMaxDivisor = 1000;

struct Limit {
    Decimal at;
    bool exclusive = false;
};

/// The magnitudes from `low` to `high`; nullopt: up to kMaxIntegerDigits digits.
struct Magnitudes {
    Limit low;
    std::optional<Limit> high;
};

Expr digit_range(GrammarBuilder& b, char first, char last) {
    return b.one_of({{static_cast<char32_t>(first), static_cast<char32_t>(last)}});
}

class NumberWriter {
  public:
    NumberWriter(GrammarBuilder& builder, size_t fraction_digits)
        : b_(builder), fraction_digits_(fraction_digits) {}

    Expr between(const std::optional<Limit>& low, const std::optional<Limit>& high) {
        const Decimal zero;
        std::vector<Expr> out;
        if (!high || compare(high->at, zero) >= 0)
            out.push_back(magnitudes({low && !low->at.negative ? *low : Limit{zero, false}, high}));
        if (!low || low->at.negative) {
            Magnitudes below{{zero, true}, {}};
            if (high && high->at.negative) below.low = {high->at.negated(), high->exclusive};
            if (low) below.high = {low->at.negated(), low->exclusive};
            out.push_back(b_.sequence({b_.literal("-"), magnitudes(below)}));
        }
        return b_.either(std::move(out));
    }

  private:
    Expr magnitudes(const Magnitudes& range) {
        const std::string& low = range.low.at.whole;
        const Limit* high = range.high ? &*range.high : nullptr;
        if (high && high->at.whole.size() > kMaxIntegerDigits) high = nullptr;
        if (low.size() > kMaxIntegerDigits) return b_.never();
        if (high && compare_digits(high->at.whole, low) < 0) return b_.never();
        if (high && high->at.whole == low)
            return b_.sequence({b_.literal(low), fraction(&range.low, high)});
        std::vector<Expr> out = {b_.sequence({b_.literal(low), fraction(&range.low, nullptr)})};
        const std::string last =
            high ? decremented(high->at.whole) : std::string(kMaxIntegerDigits, '9');
        out.push_back(b_.sequence({wholes(incremented(low), last), fraction(nullptr, nullptr)}));
        if (high) out.push_back(b_.sequence({b_.literal(high->at.whole), fraction(nullptr, high)}));
        return b_.either(std::move(out));
    }

    /// Whole numbers from `low` to `high`, by their number of digits.
    Expr wholes(const std::string& low, const std::string& high) {
        std::vector<Expr> out;
        for (size_t n = low.size(); n <= high.size(); ++n) {
            std::string first = n == low.size() ? low : "1" + std::string(n - 1, '0');
            std::string last = n == high.size() ? high : std::string(n, '9');
            if (first <= last) out.push_back(same_length(first, last));
        }
        return b_.either(std::move(out));
    }

    Expr same_length(std::string_view low, std::string_view high) {
        const auto length = static_cast<uint32_t>(low.size());
        if (low == zeros(length) && high == nines(length))
            return b_.repeat(digit_range(b_, '0', '9'), length, length);
        if (low[0] == high[0])
            return b_.sequence(
                {b_.literal(low.substr(0, 1)), same_length(low.substr(1), high.substr(1))});
        std::vector<Expr> out = {b_.sequence({b_.literal(low.substr(0, 1)),
                                              same_length(low.substr(1), nines(low.size() - 1))}),
                                 b_.sequence({b_.literal(high.substr(0, 1)),
                                              same_length(zeros(low.size() - 1), high.substr(1))})};
        if (low[0] + 1 < high[0])
            out.push_back(b_.sequence(
                {digit_range(b_, static_cast<char>(low[0] + 1), static_cast<char>(high[0] - 1)),
                 b_.repeat(digit_range(b_, '0', '9'), length - 1, length - 1)}));
        return b_.either(std::move(out));
    }
    std::string_view nines(size_t n) const { return std::string_view(kNines).substr(0, n); }
    std::string_view zeros(size_t n) const { return std::string_view(kZeros).substr(0, n); }

    /// A point and digits, or nothing, behind a whole part that equals that of the limits given.
    Expr fraction(const Limit* low, const Limit* high) {
        ExprGraph graph{.states = 1 + static_cast<uint32_t>(4 * (fraction_digits_ + 1))};
        const uint32_t first = state_of(0, low, high) + 1;
        if (may_end(0, low, high)) graph.ends.push_back(0);
        if (fraction_digits_ > 0) graph.edges.push_back({0, b_.literal("."), first});
        for (size_t digits = 0; digits <= fraction_digits_; ++digits) {
            for (const Limit* l : {static_cast<const Limit*>(nullptr), low}) {
                for (const Limit* h : {static_cast<const Limit*>(nullptr), high}) {
                    const uint32_t state = state_of(digits, l, h) + 1;
                    if (digits > 0 && may_end(digits, l, h)) graph.ends.push_back(state);
                    if (digits < fraction_digits_) add_digits(graph, state, digits, l, h);
                    if (!high) break;
                }
                if (!low) break;
            }
        }
        return b_.graph(std::move(graph));
    }

    static uint32_t state_of(size_t digits, const Limit* low, const Limit* high) {
        return static_cast<uint32_t>(4 * digits + (low ? 2 : 0) + (high ? 1 : 0));
    }

    /// A limit that is still equal to the digits so far decides by what it has behind them.
    static bool may_end(size_t digits, const Limit* low, const Limit* high) {
        const bool above = !low || (digits >= low->at.fraction.size() && !low->exclusive);
        const bool below = !high || digits < high->at.fraction.size() || !high->exclusive;
        return above && below;
    }

    void add_digits(ExprGraph& graph, uint32_t from, size_t digits, const Limit* low,
                    const Limit* high) {
        for (char d = '0'; d <= '9'; ++d) {
            const char at_low = low ? digit_at(*low, digits) : '0';
            const char at_high = high ? digit_at(*high, digits) : '9';
            if (d < at_low || d > at_high) continue;
            const uint32_t to = state_of(digits + 1, low && d == at_low ? low : nullptr,
                                         high && d == at_high ? high : nullptr) +
                                1;
            graph.edges.push_back({from, digit_range(b_, d, d), to});
        }
    }
    static char digit_at(const Limit& limit, size_t i) {
        return i < limit.at.fraction.size() ? limit.at.fraction[i] : '0';
    }

    static constexpr std::string_view kNines = "99999999999999999999";
    static constexpr std::string_view kZeros = "00000000000000000000";

    GrammarBuilder& b_;
    size_t fraction_digits_;
};

/// The tightest of bounds; `sign` 1 takes the greatest, -1 the least.
std::optional<Limit> tightest(const std::vector<NumberBounds::Bound>& bounds, int sign) {
    std::optional<Limit> out;
    for (const NumberBounds::Bound& bound : bounds) {
        const Limit limit{Decimal::of(bound.value), bound.exclusive};
        const auto order = out ? compare(limit.at, out->at) : std::strong_ordering::equal;
        const bool tighter = sign > 0 ? order > 0 : order < 0;
        if (!out || tighter || (order == 0 && limit.exclusive)) out = limit;
    }
    return out;
}

std::optional<__int128> whole_value(const std::string& digits) {
    if (digits.size() > kMaxIntegerDigits) return std::nullopt;
    __int128 out = 0;
    for (char digit : digits)
        out = out * 10 + (digit - '0');
    return out;
}

std::string to_text(__int128 value) {
    const bool negative = value < 0;
    std::string out;
    for (__int128 left = negative ? -value : value; left > 0 || out.empty(); left /= 10)
        out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    return negative ? "-" + out : out;
}

/// The least integer at or above a limit (sign 1), the greatest at or below it (-1).
std::optional<__int128> whole_inside(const Limit& limit, int sign) {
    auto value = whole_value(limit.at.whole);
    if (!value) return std::nullopt;
    if (limit.at.negative) *value = -*value;
    const bool past = limit.at.fraction.empty() ? limit.exclusive : limit.at.negative == (sign < 0);
    return past ? *value + sign : *value;
}

/// 0.1, 0.01, 0.001 and so on, with one of `digits` in place of the 1.
bool is_tenths(const Decimal& d, std::string_view digits) {
    return d.whole == "0" && !d.fraction.empty() && !d.negative &&
           d.fraction.find_first_not_of('0') == d.fraction.size() - 1 &&
           digits.find(d.fraction.back()) != digits.npos;
}

/// The whole number whose multiples an integer must be; 1 where any will do.
Result<int64_t> divisor_of(const std::vector<Json>& multiples) {
    int64_t out = 1;
    for (const Json& multiple : multiples) {
        const Decimal d = Decimal::of(multiple);
        if (is_tenths(d, "125")) continue;  // every integer is a multiple of those
        const auto whole = whole_value(d.whole);
        if (!d.fraction.empty() || d.negative || !whole || *whole == 0)
            return Error{Code::unsupported,
                         concat("multiples of ", dump_json(multiple),
                                " are not understood; whole numbers and 0.1, 0.01, ... are")};
        if (*whole > kMaxDivisor || std::lcm(out, static_cast<int64_t>(*whole)) > kMaxDivisor)
            return Error{Code::too_large,
                         concat("multiples of more than ", kMaxDivisor, " are not counted")};
        out = std::lcm(out, static_cast<int64_t>(*whole));
    }
    return out;
}

/// Integers with remainder 0, of any length.
Expr multiples_of(GrammarBuilder& b, int64_t divisor) {
    enum : uint32_t { kStart, kMinus, kZero, kFirst };  // kFirst + remainder
    ExprGraph graph{.states = kFirst + static_cast<uint32_t>(divisor)};
    graph.edges.push_back({kStart, b.literal("-"), kMinus});
    graph.edges.push_back({kStart, b.literal("0"), kZero});
    const auto add = [&](uint32_t from, int64_t remainder, int first_digit) {
        for (int digit = first_digit; digit <= 9; ++digit)
            graph.edges.push_back(
                {from, b.literal(std::string(1, static_cast<char>('0' + digit))),
                 kFirst + static_cast<uint32_t>((remainder * 10 + digit) % divisor)});
    };
    add(kStart, 0, 1);
    add(kMinus, 0, 1);
    for (int64_t remainder = 0; remainder < divisor; ++remainder)
        add(kFirst + static_cast<uint32_t>(remainder), remainder, 0);
    graph.ends = {kZero, kFirst};
    return b.graph(std::move(graph));
}

/// The multiples between two limits, written out; nullopt when they are too many.
std::optional<Expr> listed(GrammarBuilder& b, const Limit& low, const Limit& high,
                           __int128 divisor) {
    const auto first = whole_inside(low, 1);
    const auto last = whole_inside(high, -1);
    if (!first || !last || (*last - *first) / divisor > kMaxListed) return std::nullopt;
    std::vector<Expr> out;
    __int128 value = *first / divisor * divisor;
    if (value < *first) value += divisor;
    for (; value <= *last; value += divisor)
        out.push_back(b.literal(to_text(value)));
    return b.either(std::move(out));
}

}  // namespace

Result<Expr> bounded_integer(JsonText& json, const NumberBounds& bounds) {
    GrammarBuilder& b = json.builder();
    TRY(const int64_t divisor, divisor_of(bounds.multiple_of));
    const auto low = tightest(bounds.low, 1);
    const auto high = tightest(bounds.high, -1);
    if (divisor > 1 && low && high)
        if (const auto all = listed(b, *low, *high, divisor)) return *all;
    if (divisor == 1) return NumberWriter(b, 0).between(low, high);
    const Limit end{{false, std::string(kExactDigits, '9')}, false};
    const Expr range = NumberWriter(b, 0).between(low.value_or(Limit{end.at.negated(), false}),
                                                  high.value_or(end));
    TRY(const CodePointDfa in_range, CodePointDfa::from(b, range));
    TRY(const CodePointDfa multiples, CodePointDfa::from(b, multiples_of(b, divisor)));
    TRY(const CodePointDfa both, CodePointDfa::both(in_range, multiples));
    return both.to_expr(b);
}

Result<Expr> bounded_number(JsonText& json, const NumberBounds& bounds) {
    size_t digits = kExactDigits;
    std::vector<Json> whole_multiples;
    for (const Json& multiple : bounds.multiple_of) {
        const Decimal d = Decimal::of(multiple);
        if (is_tenths(d, "1"))
            digits = std::min(digits, d.fraction.size());
        else
            whole_multiples.push_back(multiple);
    }
    if (!whole_multiples.empty()) {
        const bool parts = std::any_of(whole_multiples.begin(), whole_multiples.end(),
                                       [](const Json& m) { return Decimal::of(m).whole == "0"; });
        if (parts)
            return Error{Code::unsupported,
                         "multiples of parts of 1 are understood for 0.1, 0.01, "
                         "0.001 and so on"};
        return bounded_integer(json, bounds);
    }
    const auto low = tightest(bounds.low, 1);
    const auto high = tightest(bounds.high, -1);
    for (const auto& limit : {low, high})
        if (limit)
            digits =
                std::min(digits, kExactDigits - std::min(kExactDigits - 1, limit->at.whole.size()));
    return NumberWriter(json.builder(), digits).between(low, high);
}

}  // namespace brigada
