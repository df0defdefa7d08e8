#include "jinja/format.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/concat.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

constexpr int kMaxWidth = 10'000;  // and precision: what a template could mean is far below

/// How one value is to be written; the common ground of % and format().
struct Spec {
    std::string_view fill = " ";
    char align = 0;       // < > ^ =; 0: numbers right, texts left
    char sign = '-';      // '+' or ' ' for numbers that are not negative
    bool prefix = false;  // 0x, 0o, 0b
    bool group = false;   // thousands, with commas
    int width = 0;
    int precision = -1;  // -1: not given
    char type = 0;
};

/// Reads digits at `at`; 0 when there are none.
Result<int> read_number(std::string_view text, size_t& at) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + at, end, value);
    if (error == std::errc::invalid_argument) return 0;
    at = static_cast<size_t>(stop - text.data());
    if (error != std::errc() || value < 0 || value > kMaxWidth)
        return template_error(concat("a format's width and precision are at most ", kMaxWidth));
    return value;
}

// --- writing one value ------------------------------------------------------------------------

std::string grouped(std::string digits) {
    size_t end = digits.find_first_not_of("0123456789");
    if (end == std::string::npos) end = digits.size();
    for (size_t i = end; i > 3;)
        digits.insert(i -= 3, ",");
    return digits;
}

std::string integer_digits(uint64_t size, char type) {
    switch (type) {
        case 'x':
            return fmt::format("{:x}", size);
        case 'X':
            return fmt::format("{:X}", size);
        case 'o':
            return fmt::format("{:o}", size);
        case 'b':
            return fmt::format("{:b}", size);
        default:
            return fmt::format("{}", size);
    }
}

std::string real_digits(double size, const Spec& spec) {
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    switch (spec.type) {
        case 'e':
            return fmt::format("{:.{}e}", size, precision);
        case 'E':
            return fmt::format("{:.{}E}", size, precision);
        case 'g':
            return fmt::format("{:.{}g}", size, std::max(precision, 1));
        case 'G':
            return fmt::format("{:.{}G}", size, std::max(precision, 1));
        case 'f':
        case 'F':
            return fmt::format("{:.{}f}", size, precision);
        case '%':
            return fmt::format("{:.{}f}%", size * 100, precision);
        default:
            break;
    }
    if (spec.precision < 0) return real_text(size);
    return fmt::format("{:.{}g}", size, std::max(precision, 1));
}

Result<void> pad(TextBuilder& out, const Spec& spec, std::string_view sign, std::string_view body,
                 char default_align) {
    const size_t size = sign.size() + length(body);
    const size_t missing = size < size_t(spec.width) ? size_t(spec.width) - size : 0;
    const char align = spec.align ? spec.align : default_align;
    const size_t left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    const size_t inside = align == '=' ? missing : 0;
    for (size_t i = 0; i < left; ++i)
        TRY(out.add(spec.fill));
    TRY(out.add(sign));
    for (size_t i = 0; i < inside; ++i)
        TRY(out.add(spec.fill));
    TRY(out.add(body));
    for (size_t i = left + inside; i < missing; ++i)
        TRY(out.add(spec.fill));
    return {};
}

std::string sign_of(bool is_negative, const Spec& spec) {
    if (is_negative) return "-";
    return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

Result<void> write_number(TextBuilder& out, Value value, const Spec& spec) {
    const bool as_real = value.is(Kind::real) || std::string_view("eEfFgG%").contains(spec.type);
    std::string sign, digits;
    if (as_real && (spec.type == 0 || std::string_view("eEfFgG%").contains(spec.type))) {
        const double number = value.as_real();
        sign = sign_of(std::signbit(number), spec);
        digits = real_digits(std::abs(number), spec);
    } else if (value.is_integral()) {
        const int64_t number = value.as_integer();
        sign = sign_of(number < 0, spec);
        if (spec.prefix && std::string_view("xXob").contains(spec.type))
            sign += concat("0", std::string(1, spec.type));
        digits = integer_digits(number < 0 ? -uint64_t(number) : uint64_t(number), spec.type);
    } else {
        return template_error(concat("format code '", std::string(1, spec.type),
                                     "' needs an integer, not ", type_name(value)));
    }
    if (spec.group) digits = grouped(std::move(digits));
    return pad(out, spec, sign, digits, '>');
}

Result<void> write_padded_text(TextBuilder& out, std::string_view text, const Spec& spec) {
    if (spec.precision >= 0) text = text.substr(0, offset_of(text, size_t(spec.precision)));
    return pad(out, spec, "", text, '<');
}

Result<void> write_character(TextBuilder& out, Value value, const Spec& spec) {
    std::string text;
    if (value.is_text() && length(value.as_text()) == 1)
        text = value.as_text();
    else if (value.is_integral() && value.as_integer() >= 0 && value.as_integer() <= 0x10FFFF)
        append_code(text, static_cast<char32_t>(value.as_integer()));
    else
        return template_error("%c requires an integer of a character or a single character");
    return pad(out, spec, "", text, '<');
}

// --- % ----------------------------------------------------------------------------------------

class PercentFormat {
  public:
    PercentFormat(Heap& heap, std::string_view format, Value value)
        : heap_(heap), format_(format), value_(value), out_(heap) {}

    Result<Value> run() {
        while (at_ < format_.size()) {
            const size_t percent = std::min(format_.find('%', at_), format_.size());
            TRY(out_.add(format_.substr(at_, percent - at_)));
            at_ = percent;
            if (at_ < format_.size()) TRY(conversion());
        }
        const bool many = is_tuple() && used_ < value_.as_list().items.size();
        const bool one = !is_tuple() && !value_.is(Kind::dict) && used_ == 0;
        if (many || one)
            return template_error("not all arguments converted during string formatting");
        return out_.finish();
    }

  private:
    bool is_tuple() const { return value_.is(Kind::list) && value_.as_list().is_tuple; }

    Result<void> conversion() {
        ++at_;
        std::optional<Value> named;
        if (at_ < format_.size() && format_[at_] == '(') {
            TRY(named, named_value());
        }
        TRY(Spec spec, read_spec());
        if (spec.type == '%') return out_.add("%");
        if (named) return write(*named, spec);
        TRY(const Value value, next_value());
        return write(value, spec);
    }

    Result<Value> named_value() {
        const size_t close = format_.find(')', at_);
        if (close == std::string_view::npos) return template_error("incomplete format key");
        const std::string_view key = format_.substr(at_ + 1, close - at_ - 1);
        at_ = close + 1;
        if (!value_.is(Kind::dict)) return template_error("format requires a mapping");
        const Value* found = value_.as_dict().find(key);
        if (!found) return template_error(concat("the format's key '", key, "' is missing"));
        return *found;
    }

    Result<Value> next_value() {
        if (!is_tuple() && used_++ == 0) return value_;
        if (is_tuple() && used_ < value_.as_list().items.size())
            return value_.as_list().items[used_++];
        return template_error("not enough arguments for format string");
    }

    Result<Spec> read_spec() {
        Spec spec;
        bool zero = false;
        for (; at_ < format_.size() && std::string_view("-+ #0").contains(format_[at_]); ++at_) {
            const char flag = format_[at_];
            if (flag == '-')
                spec.align = '<';
            else if (flag == '#')
                spec.prefix = true;
            else if (flag == '0')
                zero = true;
            else if (spec.sign != '+')
                spec.sign = flag;
        }
        if (zero && spec.align == 0) {
            spec.fill = "0";
            spec.align = '=';
        }
        TRY(spec.width, read_number(format_, at_));
        if (at_ < format_.size() && format_[at_] == '.') {
            ++at_;
            TRY(spec.precision, read_number(format_, at_));
        }
        while (at_ < format_.size() && std::string_view("hlL").contains(format_[at_]))
            ++at_;
        if (at_ == format_.size()) return template_error("incomplete format");
        spec.type = format_[at_++];
        return spec;
    }

    Result<void> write(Value value, Spec spec) {
        if (std::string_view("sra").contains(spec.type)) {
            if (spec.align == 0 || spec.align == '=') spec.align = '>';
            if (spec.fill == "0") spec.fill = " ";
            if (spec.type == 's') {
                TRY(const std::string_view text, text_of(heap_, value));
                return write_padded_text(out_, text, spec);
            }
            TextBuilder repr(heap_);
            TRY(write_repr(repr, value));
            return write_padded_text(out_, repr.text(), spec);
        }
        if (spec.type == 'c') return write_character(out_, value, spec);
        if (!std::string_view("diuxXoeEfFgG").contains(spec.type))
            return template_error(
                concat("unsupported format character '", std::string(1, spec.type), "'"));
        if (!value.is_number())
            return template_error(concat("%", std::string(1, spec.type),
                                         " format: a real number is required, not ",
                                         type_name(value)));
        if (!std::string_view("diu").contains(spec.type)) return write_number(out_, value, spec);
        spec.type = 'd';
        if (value.is(Kind::real)) {
            const double number = std::trunc(value.as_real());
            if (!(std::abs(number) < 9e18))
                return template_error("%d format: the number is too large");
            value = Value::integer(static_cast<int64_t>(number));
        }
        return write_number(out_, value, spec);
    }

    Heap& heap_;
    std::string_view format_;
    Value value_;
    TextBuilder out_;
    size_t at_ = 0;
    size_t used_ = 0;
};

// --- format() ---------------------------------------------------------------------------------

class BraceFormat {
  public:
    BraceFormat(Heap& heap, std::string_view format, const Args& args)
        : heap_(heap), format_(format), args_(args), out_(heap) {}

    Result<Value> run() {
        while (at_ < format_.size()) {
            const size_t brace = std::min(format_.find_first_of("{}", at_), format_.size());
            TRY(out_.add(format_.substr(at_, brace - at_)));
            at_ = brace;
            if (at_ == format_.size()) break;
            const char c = format_[at_++];
            if (at_ < format_.size() && format_[at_] == c) {
                TRY(out_.add(format_.substr(at_++, 1)));
            } else if (c == '}') {
                return template_error("Single '}' encountered in format string");
            } else {
                TRY(field());
            }
        }
        return out_.finish();
    }

  private:
    Result<void> field() {
        const size_t close = format_.find('}', at_);
        if (close == std::string_view::npos)
            return template_error("expected '}' before end of string");
        std::string_view body = format_.substr(at_, close - at_);
        at_ = close + 1;
        std::string_view spec_text;
        if (const size_t colon = body.find(':'); colon != std::string_view::npos) {
            spec_text = body.substr(colon + 1);
            body = body.substr(0, colon);
        }
        std::string_view conversion;
        if (const size_t mark = body.find('!'); mark != std::string_view::npos) {
            conversion = body.substr(mark + 1);
            body = body.substr(0, mark);
        }
        TRY(Value value, find(body));
        TRY(value, convert(value, conversion));
        TRY(const Spec spec, parse_spec(spec_text));
        return write(value, spec);
    }

    Result<Value> find(std::string_view name) {
        size_t index = next_;
        if (name.empty()) ++next_;
        const char* end = name.data() + name.size();
        const bool is_index = name.empty() || std::from_chars(name.data(), end, index).ptr == end;
        if (is_index && index < args_.positional.size()) return args_.positional[index];
        if (is_index)
            return template_error(
                concat("Replacement index ", index, " out of range for positional args tuple"));
        for (const auto& [known, value] : args_.named)
            if (known == name) return value;
        return template_error(concat("format() got no argument '", name, "'"));
    }

    Result<Value> convert(Value value, std::string_view conversion) {
        if (conversion.empty()) return value;
        TextBuilder text(heap_);
        if (conversion == "s")
            TRY(write_text(text, value));
        else if (conversion == "r")
            TRY(write_repr(text, value));
        else
            return template_error(concat("Unknown conversion specifier '", conversion, "'"));
        return text.finish();
    }

    /// [[fill]align][sign][#][0][width][,][.precision][type]
    static Result<Spec> parse_spec(std::string_view text) {
        constexpr std::string_view kAligns = "<>^=";
        Spec spec;
        size_t at = 0;
        if (!text.empty()) {
            const size_t first = character_at(text, 0).bytes.size();
            if (first < text.size() && kAligns.contains(text[first])) {
                spec.fill = text.substr(0, first);
                spec.align = text[first];
                at = first + 1;
            } else if (kAligns.contains(text[0])) {
                spec.align = text[at++];
            }
        }
        const auto take = [&](std::string_view any) {
            return at < text.size() && any.contains(text[at]) ? text[at++] : char(0);
        };
        if (const char sign = take("+- ")) spec.sign = sign;
        spec.prefix = take("#") != 0;
        if (take("0") != 0 && spec.align == 0) {
            spec.fill = "0";
            spec.align = '=';
        }
        TRY(spec.width, read_number(text, at));
        spec.group = take(",") != 0;
        if (take(".") != 0) {
            TRY(spec.precision, read_number(text, at));
        }
        spec.type = take("sdxXobeEfFgG%c");
        if (at != text.size())
            return template_error(concat("Invalid format specifier '", text, "'"));
        return spec;
    }

    Result<void> write(Value value, const Spec& spec) {
        if (spec.type == 'c') return write_character(out_, value, spec);
        if (value.is_number() && !(value.is(Kind::boolean) && spec.type == 0) && spec.type != 's')
            return write_number(out_, value, spec);
        if (spec.type != 0 && spec.type != 's')
            return template_error(concat("Unknown format code '", std::string(1, spec.type),
                                         "' for object of type '", type_name(value), "'"));
        TRY(const std::string_view text, text_of(heap_, value));
        return write_padded_text(out_, text, spec);
    }

    Heap& heap_;
    std::string_view format_;
    const Args& args_;
    TextBuilder out_;
    size_t at_ = 0;
    size_t next_ = 0;
};

}  // namespace

Result<Value> format_percent(Heap& heap, std::string_view format, Value value) {
    return PercentFormat(heap, format, value).run();
}

Result<Value> format_braces(Heap& heap, std::string_view format, const Args& args) {
    return BraceFormat(heap, format, args).run();
}

}  // namespace brigada::jinja
