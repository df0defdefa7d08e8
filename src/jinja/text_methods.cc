// Methods of str. Results that are part of the text share its bytes.
#include <algorithm>
#include <limits>

#include "jinja/arguments.h"
#include "jinja/format.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/text_edit.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

// --- ends -------------------------------------------------------------------------------------

Result<Value> strip_ends(Value self, const Args& args, std::string_view name, bool left,
                         bool right) {
    TRY(const auto given, bind(name, args, {"chars"}));
    if (given[0].is_undefined() || given[0].is_none())
        return Value::text(strip(self.as_text(), nullptr, left, right));
    TRY(const std::string_view set, expect_text(given[0], "strip()'s argument"));
    return Value::text(strip(self.as_text(), &set, left, right));
}

Result<Value> strip_method(Heap&, Value self, const Args& args) {
    return strip_ends(self, args, "strip", true, true);
}
Result<Value> lstrip(Heap&, Value self, const Args& args) {
    return strip_ends(self, args, "lstrip", true, false);
}
Result<Value> rstrip(Heap&, Value self, const Args& args) {
    return strip_ends(self, args, "rstrip", false, true);
}

Result<Value> removeprefix(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("removeprefix", args, {"prefix"}, 1));
    TRY(const std::string_view prefix, expect_text(given[0], "removeprefix()'s argument"));
    std::string_view text = self.as_text();
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    return Value::text(text);
}

Result<Value> removesuffix(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("removesuffix", args, {"suffix"}, 1));
    TRY(const std::string_view suffix, expect_text(given[0], "removesuffix()'s argument"));
    std::string_view text = self.as_text();
    if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
    return Value::text(text);
}

/// The part of `text` between two optional code point indices, as str methods take them. Nothing
/// when the start is beyond the end.
struct Window {
    std::string_view text;
    size_t first = 0;  // code points before it
    bool is_valid = true;
};

Result<Window> window(std::string_view text, Value start, Value end) {
    if ((start.is_undefined() || start.is_none()) && (end.is_undefined() || end.is_none()))
        return Window{text};
    const auto size = static_cast<int64_t>(length(text));
    const auto clipped = [&](int64_t index) {
        return index < 0 ? std::max<int64_t>(index + size, 0) : index;
    };
    int64_t from = 0, to = size;
    if (!start.is_none()) {
        TRY(from, integer_or(start, 0, "the start"));
    }
    if (!end.is_none()) {
        TRY(to, integer_or(end, size, "the end"));
    }
    from = clipped(from);
    to = std::min(clipped(to), size);
    if (from > to) return Window{{}, 0, false};
    const size_t first = offset_of(text, static_cast<size_t>(from));
    const size_t bytes = offset_of(text.substr(first), static_cast<size_t>(to - from));
    return Window{text.substr(first, bytes), static_cast<size_t>(from)};
}

/// Whether `matches` holds for the text or, given a tuple, for any of its texts.
template <typename Matches>
Result<Value> any_affix(Value affix, std::string_view name, Matches matches) {
    if (affix.is_text()) return Value::boolean(matches(affix.as_text()));
    if (!affix.is(Kind::list) || !affix.as_list().is_tuple)
        return template_error(
            concat(name, " first arg must be str or a tuple of str, not ", type_name(affix)));
    for (const Value& one : affix.as_list().items) {
        TRY(const std::string_view text, expect_text(one, concat(name, "()'s argument")));
        if (matches(text)) return Value::boolean(true);
    }
    return Value::boolean(false);
}

Result<Value> startswith(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("startswith", args, {"prefix", "start", "end"}, 1));
    TRY(const Window in, window(self.as_text(), given[1], given[2]));
    return any_affix(given[0], "startswith", [&](std::string_view prefix) {
        return in.is_valid && in.text.starts_with(prefix);
    });
}

Result<Value> endswith(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("endswith", args, {"suffix", "start", "end"}, 1));
    TRY(const Window in, window(self.as_text(), given[1], given[2]));
    return any_affix(given[0], "endswith", [&](std::string_view suffix) {
        return in.is_valid && in.text.ends_with(suffix);
    });
}

// --- search -----------------------------------------------------------------------------------

/// Code points before the first or last occurrence; -1 when there is none.
Result<int64_t> find_in(Value self, const Args& args, std::string_view name, bool last) {
    TRY(const auto given, bind(name, args, {"sub", "start", "end"}, 1));
    TRY(const std::string_view part, expect_text(given[0], concat(name, "()'s argument")));
    TRY(const Window in, window(self.as_text(), given[1], given[2]));
    const size_t at = !in.is_valid ? std::string_view::npos
                      : last       ? in.text.rfind(part)
                                   : in.text.find(part);
    if (at == std::string_view::npos) return int64_t{-1};
    return static_cast<int64_t>(in.first + length(in.text.substr(0, at)));
}

Result<Value> find(Heap&, Value self, const Args& args) {
    TRY(const int64_t at, find_in(self, args, "find", false));
    return Value::integer(at);
}
Result<Value> rfind(Heap&, Value self, const Args& args) {
    TRY(const int64_t at, find_in(self, args, "rfind", true));
    return Value::integer(at);
}
Result<Value> index(Heap&, Value self, const Args& args) {
    TRY(const int64_t at, find_in(self, args, "index", false));
    if (at < 0) return template_error("substring not found");
    return Value::integer(at);
}
Result<Value> rindex(Heap&, Value self, const Args& args) {
    TRY(const int64_t at, find_in(self, args, "rindex", true));
    if (at < 0) return template_error("substring not found");
    return Value::integer(at);
}

Result<Value> count(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("count", args, {"sub", "start", "end"}, 1));
    TRY(const std::string_view part, expect_text(given[0], "count()'s argument"));
    TRY(const Window in, window(self.as_text(), given[1], given[2]));
    if (!in.is_valid) return Value::integer(0);
    if (part.empty()) return Value::integer(static_cast<int64_t>(length(in.text)) + 1);
    int64_t n = 0;
    for (size_t at = in.text.find(part); at != std::string_view::npos;
         at = in.text.find(part, at + part.size()))
        ++n;
    return Value::integer(n);
}

// --- split and join ---------------------------------------------------------------------------

struct SplitArguments {
    std::optional<std::string_view> separator;  // absent: white space
    int64_t max_splits;
};

Result<SplitArguments> split_arguments(const Args& args, std::string_view name) {
    TRY(const auto given, bind(name, args, {"sep", "maxsplit"}));
    TRY(const int64_t splits, integer_or(given[1], -1, "maxsplit"));
    const int64_t most = splits < 0 ? std::numeric_limits<int64_t>::max() : splits;
    if (given[0].is_undefined() || given[0].is_none()) return SplitArguments{{}, most};
    TRY(const std::string_view separator, expect_text(given[0], "split()'s separator"));
    if (separator.empty()) return template_error("empty separator");
    return SplitArguments{separator, most};
}

Result<Value> list_of_texts(Heap& heap, const std::vector<std::string_view>& texts) {
    TRY(heap.room_for(texts.size() * sizeof(Value)));
    TRY(heap.work(texts.size()));
    List* out = heap.list();
    out->items.reserve(texts.size());
    for (const std::string_view text : texts)
        out->items.push_back(Value::text(text));
    return Value(out);
}

Result<Value> split(Heap& heap, Value self, const Args& args) {
    TRY(const SplitArguments by, split_arguments(args, "split"));
    return list_of_texts(heap, by.separator ? split_at(self.as_text(), *by.separator, by.max_splits)
                                            : split_at_space(self.as_text(), by.max_splits));
}

Result<Value> rsplit(Heap& heap, Value self, const Args& args) {
    TRY(const SplitArguments by, split_arguments(args, "rsplit"));
    return list_of_texts(heap, by.separator
                                   ? split_at_from_end(self.as_text(), *by.separator, by.max_splits)
                                   : split_at_space_from_end(self.as_text(), by.max_splits));
}

Result<Value> splitlines(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("splitlines", args, {"keepends"}));
    return list_of_texts(heap, split_lines(self.as_text(), bool_or(given[0], false)));
}

Result<Value> partition_at(Heap& heap, Value self, const Args& args, bool last) {
    const std::string_view name = last ? "rpartition" : "partition";
    TRY(const auto given, bind(name, args, {"sep"}, 1));
    TRY(const std::string_view separator, expect_text(given[0], "the separator"));
    if (separator.empty()) return template_error("empty separator");
    const std::string_view text = self.as_text();
    const size_t at = last ? text.rfind(separator) : text.find(separator);
    const Value empty = Value::text("");
    if (at == std::string_view::npos) {
        const Value parts[] = {last ? empty : self, empty, last ? self : empty};
        return Value(heap.tuple(parts));
    }
    const Value parts[] = {Value::text(text.substr(0, at)), Value::text(separator),
                           Value::text(text.substr(at + separator.size()))};
    return Value(heap.tuple(parts));
}
Result<Value> partition(Heap& heap, Value self, const Args& args) {
    return partition_at(heap, self, args, false);
}
Result<Value> rpartition(Heap& heap, Value self, const Args& args) {
    return partition_at(heap, self, args, true);
}

Result<Value> join(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("join", args, {"iterable"}, 1));
    TRY(const std::span<const Value> items, items_of(heap, given[0]));
    TextBuilder out(heap);
    for (size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is_text())
            return template_error(concat("sequence item ", i, ": expected str instance, ",
                                         type_name(items[i]), " found"));
        if (i > 0) TRY(out.add(self.as_text()));
        TRY(out.add(items[i].as_text()));
    }
    return out.finish();
}

Result<Value> replace(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("replace", args, {"old", "new", "count"}, 2));
    TRY(const std::string_view old, expect_text(given[0], "replace()'s first argument"));
    TRY(const std::string_view with, expect_text(given[1], "replace()'s second argument"));
    TRY(const int64_t most, integer_or(given[2], -1, "replace()'s count"));
    return replace_all(heap, self.as_text(), old, with, most);
}

// --- case and padding -------------------------------------------------------------------------

template <std::string (*change)(std::string_view)>
Result<Value> changed(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("the method", args));
    return heap.text(change(self.as_text()));
}

Result<Value> padded(Heap& heap, Value self, const Args& args, std::string_view name, char align) {
    TRY(const auto given, bind(name, args, {"width", "fillchar"}, 1));
    TRY(const int64_t width, expect_integer(given[0], "the width"));
    TRY(const std::string_view fill, text_or(given[1], " ", "the fill character"));
    if (length(fill) != 1)
        return template_error("The fill character must be exactly one character long");
    return pad_text(heap, self.as_text(), width, fill, align);
}
Result<Value> ljust(Heap& heap, Value self, const Args& args) {
    return padded(heap, self, args, "ljust", '<');
}
Result<Value> rjust(Heap& heap, Value self, const Args& args) {
    return padded(heap, self, args, "rjust", '>');
}
Result<Value> center(Heap& heap, Value self, const Args& args) {
    return padded(heap, self, args, "center", '^');
}

Result<Value> zfill(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("zfill", args, {"width"}, 1));
    TRY(const int64_t width, expect_integer(given[0], "the width"));
    std::string_view digits = self.as_text();
    std::string_view sign = digits.substr(0, digits.starts_with('-') || digits.starts_with('+'));
    digits.remove_prefix(sign.size());
    TRY(const Value filled, pad_text(heap, digits, width - int64_t(sign.size()), "0", '>'));
    return heap.text(concat(sign, filled.as_text()));
}

Result<Value> format(Heap& heap, Value self, const Args& args) {
    return format_braces(heap, self.as_text(), args);
}

// --- what the text is made of -----------------------------------------------------------------

/// True when there are characters and all of them are so.
template <bool (*is)(char32_t)>
Result<Value> all_are(Heap&, Value self, const Args& args) {
    TRY(bind_nothing("the method", args));
    const std::string_view text = self.as_text();
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        if (!is(c.code)) return Value::boolean(false);
        i += c.bytes.size();
    }
    return Value::boolean(!text.empty());
}

bool is_letter_or_digit(char32_t code) {
    return is_letter(code) || is_digit(code);
}
bool is_ascii(char32_t code) {
    return code < 0x80;
}

/// True when there are letters with a case and all of them have `wanted`.
template <bool (*wanted)(char32_t), bool (*other)(char32_t)>
Result<Value> all_cased_are(Heap&, Value self, const Args& args) {
    TRY(bind_nothing("the method", args));
    const std::string_view text = self.as_text();
    bool found = false;
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        if (other(c.code)) return Value::boolean(false);
        found = found || wanted(c.code);
        i += c.bytes.size();
    }
    return Value::boolean(found);
}

Result<Value> isascii(Heap& heap, Value self, const Args& args) {
    if (self.as_text().empty()) return Value::boolean(true);
    return all_are<is_ascii>(heap, self, args);
}

}  // namespace

std::span<const NamedMethod> text_methods() {
    static constexpr NamedMethod kMethods[] = {{"strip", strip_method},
                                               {"lstrip", lstrip},
                                               {"rstrip", rstrip},
                                               {"removeprefix", removeprefix},
                                               {"removesuffix", removesuffix},
                                               {"startswith", startswith},
                                               {"endswith", endswith},
                                               {"find", find},
                                               {"rfind", rfind},
                                               {"index", index},
                                               {"rindex", rindex},
                                               {"count", count},
                                               {"split", split},
                                               {"rsplit", rsplit},
                                               {"splitlines", splitlines},
                                               {"partition", partition},
                                               {"rpartition", rpartition},
                                               {"join", join},
                                               {"replace", replace},
                                               {"upper", changed<upper>},
                                               {"lower", changed<lower>},
                                               {"casefold", changed<lower>},
                                               {"capitalize", changed<capitalize>},
                                               {"title", changed<title>},
                                               {"swapcase", changed<swap_case>},
                                               {"ljust", ljust},
                                               {"rjust", rjust},
                                               {"center", center},
                                               {"zfill", zfill},
                                               {"format", format},
                                               {"isspace", all_are<is_space>},
                                               {"isdigit", all_are<is_digit>},
                                               {"isdecimal", all_are<is_digit>},
                                               {"isnumeric", all_are<is_digit>},
                                               {"isalpha", all_are<is_letter>},
                                               {"isalnum", all_are<is_letter_or_digit>},
                                               {"isascii", isascii},
                                               {"isupper", all_cased_are<is_upper, is_lower>},
                                               {"islower", all_cased_are<is_lower, is_upper>}};
    return kMethods;
}

}  // namespace brigada::jinja
