// Filters of texts: case, trimming, replacing, layout and escaping. As in Jinja, a value that is no
// text is taken as str(value).
#include "jinja/arguments.h"
#include "jinja/filters.h"
#include "jinja/format.h"
#include "jinja/operators.h"
#include "jinja/text_edit.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

Result<Value> string(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("string", args));
    TRY(const std::string_view text, text_of(heap, value));
    return Value::text(text);
}

template <std::string (*change)(std::string_view)>
Result<Value> changed(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("the filter", args));
    TRY(const std::string_view text, text_of(heap, value));
    return heap.text(change(text));
}

/// Each word in title case, words being what stands between spaces, dashes and opening brackets.
std::string title_words(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        while (end < text.size()) {
            const Character c = character_at(text, end);
            if (is_space(c.code) || std::string_view("-({[<").contains(text[end])) break;
            end += c.bytes.size();
        }
        if (end > i) {
            const size_t first = character_at(text, i).bytes.size();
            out += upper(text.substr(i, first)) + lower(text.substr(i + first, end - i - first));
        }
        if (end == text.size()) break;
        out += character_at(text, end).bytes;
        i = end + character_at(text, end).bytes.size();
    }
    return out;
}

Result<Value> trim(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("trim", args, {"chars"}));
    TRY(const std::string_view text, text_of(heap, value));
    if (given[0].is_undefined() || given[0].is_none()) return Value::text(strip(text));
    TRY(const std::string_view set, expect_text(given[0], "trim's argument"));
    return Value::text(strip(text, &set, true, true));
}

Result<Value> replace(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("replace", args, {"old", "new", "count"}, 2));
    TRY(const std::string_view text, text_of(heap, value));
    TRY(const std::string_view old, text_of(heap, given[0]));
    TRY(const std::string_view with, text_of(heap, given[1]));
    const Value count = given[2].is_none() ? Value() : given[2];
    TRY(const int64_t most, integer_or(count, -1, "replace's count"));
    return replace_all(heap, text, old, with, most);
}

// --- layout -----------------------------------------------------------------------------------

constexpr int64_t kMaxIndent = 1000;

Result<std::string> indent_text(Value width) {
    if (width.is_text()) return std::string(width.as_text());
    TRY(const int64_t spaces, integer_or(width, 4, "indent's width"));
    if (spaces > kMaxIndent)
        return template_error(concat("indent's width is at most ", kMaxIndent, ", not ", spaces));
    return std::string(size_t(std::max<int64_t>(spaces, 0)), ' ');
}

Result<Value> indent(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("indent", args, {"width", "first", "blank"}));
    TRY(const std::string by, indent_text(given[0]));
    const bool first = bool_or(given[1], false);
    const bool blank = bool_or(given[2], false);
    TRY(const std::string_view text, text_of(heap, value));
    std::vector<std::string_view> lines = split_lines(text, false);
    // Jinja splits text + "\n": a text that ends its last line keeps that end as an empty line.
    const bool ends_a_line = !text.empty() && split_lines(text, true).back() != lines.back();
    if (text.empty() || ends_a_line) lines.push_back("");
    TextBuilder out(heap);
    for (size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) TRY(out.add("\n"));
        if (i == 0 ? first : (blank || !lines[i].empty())) TRY(out.add(by));
        TRY(out.add(lines[i]));
    }
    return out.finish();
}

Result<Value> center(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("center", args, {"width"}));
    TRY(const int64_t width, integer_or(given[0], 80, "center's width"));
    TRY(const std::string_view text, text_of(heap, value));
    return pad_text(heap, text, width, " ", '^');
}

Result<Value> truncate(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("truncate", args, {"length", "killwords", "end", "leeway"}));
    TRY(const int64_t most, integer_or(given[0], 255, "truncate's length"));
    TRY(const std::string_view end, text_or(given[2], "...", "truncate's end"));
    const Value leeway_given = given[3].is_none() ? Value() : given[3];
    TRY(const int64_t leeway, integer_or(leeway_given, 5, "truncate's leeway"));
    TRY(const std::string_view text, text_of(heap, value));
    const auto end_size = static_cast<int64_t>(length(end));
    if (most < end_size || leeway < 0)
        return template_error(concat("truncate needs a length of at least ", end_size,
                                     " and a leeway of at least 0"));
    const auto size = static_cast<int64_t>(length(text));
    if (size <= most || size - most <= leeway) return Value::text(text);
    std::string_view kept = text.substr(0, offset_of(text, static_cast<size_t>(most - end_size)));
    if (!bool_or(given[1], false)) kept = kept.substr(0, kept.rfind(' '));
    return heap.text(concat(kept, end));
}

Result<Value> wordcount(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("wordcount", args));
    TRY(const std::string_view text, text_of(heap, value));
    int64_t words = 0;
    bool inside = false;
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        const bool is_word = is_letter(c.code) || is_digit(c.code) || c.code == '_';
        words += is_word && !inside;
        inside = is_word;
        i += c.bytes.size();
    }
    return Value::integer(words);
}

Result<Value> format(Heap& heap, Value value, const Args& args) {
    if (!args.positional.empty() && !args.named.empty())
        return template_error("format takes positional or named arguments, not both");
    TRY(const std::string_view text, text_of(heap, value));
    if (args.named.empty()) return format_percent(heap, text, Value(heap.tuple(args.positional)));
    Dict* named = heap.dict();
    for (const auto& [name, argument] : args.named)
        named->set(Value::text(name), argument);
    return format_percent(heap, text, Value(named));
}

// --- escaping ---------------------------------------------------------------------------------

std::string escape_html(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '\'':
                out += "&#39;";
                break;
            case '"':
                out += "&#34;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

/// Percent-encodes all but letters, digits and _.-~; a path keeps its slashes, a query's spaces are
/// +.
std::string url_quote(std::string_view text, bool in_query) {
    std::string out;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || std::string_view("_.-~").contains(c);
        if (is_plain || (c == '/' && !in_query))
            out += c;
        else if (c == ' ' && in_query)
            out += '+';
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

Result<void> add_query_pair(Heap& heap, TextBuilder& out, Value key, Value value) {
    TRY(const std::string_view name, text_of(heap, key));
    TRY(const std::string_view text, text_of(heap, value));
    if (!out.text().empty()) TRY(out.add("&"));
    TRY(out.add(url_quote(name, true)));
    TRY(out.add("="));
    return out.add(url_quote(text, true));
}

Result<Value> urlencode(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("urlencode", args));
    TextBuilder out(heap);
    if (value.is(Kind::dict)) {
        for (const auto& [key, item] : value.as_dict().entries())
            TRY(add_query_pair(heap, out, key, item));
        return out.finish();
    }
    if (value.is(Kind::list)) {
        for (const Value& pair : value.as_list().items) {
            TRY(const std::span<const Value> entry, items_of(heap, pair));
            if (entry.size() != 2)
                return template_error("urlencode needs pairs of a key and a value");
            TRY(add_query_pair(heap, out, entry[0], entry[1]));
        }
        return out.finish();
    }
    TRY(const std::string_view text, text_of(heap, value));
    return heap.text(url_quote(text, false));
}

}  // namespace

std::span<const NamedFilter> text_filters() {
    static constexpr NamedFilter kFilters[] = {{"string", string},
                                               {"safe", string},  // nothing is escaped here
                                               {"escape", changed<escape_html>},
                                               {"e", changed<escape_html>},
                                               {"forceescape", changed<escape_html>},
                                               {"upper", changed<upper>},
                                               {"lower", changed<lower>},
                                               {"capitalize", changed<capitalize>},
                                               {"title", changed<title_words>},
                                               {"trim", trim},
                                               {"replace", replace},
                                               {"indent", indent},
                                               {"center", center},
                                               {"truncate", truncate},
                                               {"wordcount", wordcount},
                                               {"format", format},
                                               {"urlencode", urlencode}};
    return kFilters;
}

}  // namespace brigada::jinja
