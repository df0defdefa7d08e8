#include "dialect/json_tree.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/concat.h"

namespace brigada {

namespace {

using simdjson::ondemand::json_type;

static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);

constexpr size_t kExcerpt = 60;
constexpr std::string_view kBlanks = " \t\r\n";

Error not_json(simdjson::error_code error) {
    if (error == simdjson::UTF8_ERROR)
        return {Code::invalid_argument, "the body is not valid UTF-8"};
    return {Code::invalid_argument,
            concat("the body is not a JSON object: ", simdjson::error_message(error))};
}

std::string_view trimmed(std::string_view token) {
    const size_t last = token.find_last_not_of(kBlanks);
    return token.substr(0, last + 1);
}

// --- strings ------------------------------------------------------------------------------------

enum class Escapes : uint8_t { none, good, lone_surrogate, bad };

/// The code unit of "\u0041", or -1.
int unit_at(std::string_view text) {
    unsigned unit = 0;
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
    return error == std::errc() && end == text.data() + 6 ? static_cast<int>(unit) : -1;
}

constexpr bool is_high(int unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}
constexpr bool is_low(int unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

struct Escape {
    size_t size = 0;  // 0: none
    bool lone = false;
};

constexpr bool is_simple(char c) {
    return c == 'n' || c == '"' || c == '\\' || c == 't' || c == '/' || c == 'r' || c == 'b' ||
           c == 'f';
}

/// The escape that `text` begins with; a pair of surrogates is one.
Escape first_escape(std::string_view text) {
    if (text.size() >= 2 && is_simple(text[1])) return {.size = 2};
    const int unit = unit_at(text);
    if (unit < 0) return {};
    if (is_high(unit) && is_low(unit_at(text.substr(6)))) return {.size = 12};
    return {.size = 6, .lone = is_high(unit) || is_low(unit)};
}

/// Of the next backslash from `at` on, or the end. Eight bytes at a time: in code the next one is
/// near, and a call of memchr for each costs more than the search.
size_t next_backslash(std::string_view text, size_t at) {
    constexpr uint64_t kOnes = 0x0101'0101'0101'0101, kHighs = kOnes * 0x80;
    for (; at + 8 <= text.size(); at += 8) {
        uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, 8);
        bytes ^= kOnes * '\\';
        if (const uint64_t zeros = (bytes - kOnes) & ~bytes & kHighs)
            return at + static_cast<size_t>(std::countr_zero(zeros)) / 8;
    }
    while (at < text.size() && text[at] != '\\')
        ++at;
    return at;
}

Escapes check_escapes(std::string_view inside) {
    Escapes out = Escapes::none;
    size_t at = 0;
    while ((at = next_backslash(inside, at)) < inside.size()) {
        const Escape escape = first_escape(inside.substr(at));
        if (escape.size == 0) return Escapes::bad;
        if (escape.lone)
            out = Escapes::lone_surrogate;
        else if (out == Escapes::none)
            out = Escapes::good;
        at += escape.size;
    }
    return out;
}

// --- numbers ------------------------------------------------------------------------------------

/// Takes the digits that `text` begins with and returns how many there are.
size_t take_digits(std::string_view& text) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits;
}

/// RFC 8259, section 6. No number is too large: it is passed on, not computed with.
bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const bool zero = text.starts_with('0');
    const size_t digits = take_digits(text);
    if (digits == 0 || (zero && digits > 1)) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (take_digits(text) == 0) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
        if (take_digits(text) == 0) return false;
    }
    return text.empty();
}

}  // namespace

// --- the tree -----------------------------------------------------------------------------------

/// Walks a document once and notes every value.
class TreeBuilder {
  public:
    TreeBuilder(std::string_view text, int depth) : text_(text), deepest_(depth) {}

    Result<JsonTree> build() {
        thread_local simdjson::ondemand::parser parser;  // keeps its buffers for the next text
        const simdjson::padded_string_view padded(text_, text_.size() + kJsonPadding);
        simdjson::ondemand::object top;
        if (auto error = parser.iterate(padded).get(document_)) return not_json(error);
        if (auto error = document_.get_object().get(top)) return not_json(error);
        const size_t begin = text_.find('{');
        const uint32_t at = add({}, JsonKind::object);
        TRY(add_fields(top, 1));
        const char* more = nullptr;
        if (!document_.current_location().get(more)) return not_json(simdjson::TRAILING_CONTENT);
        close(at, text_.data() + begin);
        return std::move(tree_);
    }

  private:
    uint32_t add(std::string_view key, JsonKind kind) {
        tree_.entries_.push_back({.text = {}, .key = key, .end = 0, .kind = kind});
        return static_cast<uint32_t>(tree_.entries_.size() - 1);
    }

    /// The container at `at` began at `begin` and ends before the token that is next.
    void close(uint32_t at, const char* begin) {
        const char* next = nullptr;
        if (document_.current_location().get(next)) next = text_.data() + text_.size();
        const std::string_view text(begin, static_cast<size_t>(next - begin));
        tree_.entries_[at].text = trimmed(text);
        tree_.entries_[at].end = static_cast<uint32_t>(tree_.entries_.size());
    }

    Result<void> add_fields(simdjson::ondemand::object& object, int depth) {
        for (auto field : object) {
            simdjson::ondemand::raw_json_string key;
            simdjson::ondemand::value value;
            if (auto error = field.key().get(key)) return not_json(error);
            if (auto error = field.value().get(value)) return not_json(error);
            TRY(const std::string_view name, key_text(key.raw()));
            TRY(add_value(name, value, depth));
        }
        return {};
    }

    /// `begin` is after the quote.
    Result<std::string_view> key_text(const char* begin) {
        const char* end = begin;
        while (*end != '"')
            end += *end == '\\' ? 2 : 1;
        const std::string_view inside(begin, static_cast<size_t>(end - begin));
        TRY(const bool plain, check_string(inside));
        return plain ? inside : std::string_view(tree_.keys_.emplace_back(unescaped({inside})));
    }

    /// Whether it has no escapes.
    static Result<bool> check_string(std::string_view inside) {
        switch (check_escapes(inside)) {
            case Escapes::none:
                return true;
            case Escapes::good:
                return false;
            case Escapes::lone_surrogate:
                return Error{Code::corrupt, "a surrogate stands alone"};
            case Escapes::bad:
                break;
        }
        return not_json(simdjson::STRING_ERROR);
    }

    Result<void> add_value(std::string_view key, simdjson::ondemand::value& value, int depth) {
        json_type type{};
        if (auto error = value.type().get(type)) return not_json(error);
        if (type == json_type::object || type == json_type::array)
            return add_container(key, value, type, depth);
        const std::string_view token = trimmed(value.raw_json_token());
        TRY(const JsonKind kind, scalar_kind(token, type));
        if (kind == JsonKind::string) {
            // One that is passed over would be taken for a key where a colon follows.
            simdjson::ondemand::raw_json_string taken;
            if (auto error = value.get_raw_json_string().get(taken)) return not_json(error);
        }
        const uint32_t at = add(key, kind);
        tree_.entries_[at].text = token;
        tree_.entries_[at].end = at + 1;
        return {};
    }

    static Result<JsonKind> scalar_kind(std::string_view token, json_type type) {
        if (type == json_type::string && token.size() >= 2 && token.ends_with('"')) {
            TRY(check_string(token.substr(1, token.size() - 2)));
            return JsonKind::string;
        }
        if (type == json_type::number && is_number(token)) return JsonKind::number;
        if (token == "true" || token == "false") return JsonKind::boolean;
        if (token == "null") return JsonKind::null;
        return not_json(type == json_type::number ? simdjson::NUMBER_ERROR : simdjson::TAPE_ERROR);
    }

    Result<void> add_container(std::string_view key, simdjson::ondemand::value& value,
                               json_type type, int depth) {
        if (depth >= deepest_)
            return Error{Code::invalid_argument, concat("the body is nested deeper than ", deepest_,
                                                        " levels, which is all that is read")};
        const char* begin = value.raw_json_token().data();
        const bool object = type == json_type::object;
        const uint32_t at = add(key, object ? JsonKind::object : JsonKind::array);
        TRY(object ? add_object(value, depth + 1) : add_array(value, depth + 1));
        close(at, begin);
        return {};
    }

    Result<void> add_object(simdjson::ondemand::value& value, int depth) {
        simdjson::ondemand::object object;
        if (auto error = value.get_object().get(object)) return not_json(error);
        return add_fields(object, depth);
    }

    Result<void> add_array(simdjson::ondemand::value& value, int depth) {
        simdjson::ondemand::array array;
        if (auto error = value.get_array().get(array)) return not_json(error);
        for (auto element : array) {
            simdjson::ondemand::value item;
            if (auto error = element.get(item)) return not_json(error);
            TRY(add_value({}, item, depth));
        }
        return {};
    }

    std::string_view text_;
    int deepest_;
    simdjson::ondemand::document document_;
    JsonTree tree_;
};

Result<JsonTree> JsonTree::parse(std::string_view text, int depth) {
    return TreeBuilder(text, depth).build();
}

JsonKind JsonNode::kind() const {
    return tree_->entries_[at_].kind;
}

RawJson JsonNode::raw() const {
    return {tree_->entries_[at_].text};
}

Escaped JsonNode::text() const {
    CHECK(is(JsonKind::string));
    const std::string_view quoted = raw().text;
    return {quoted.substr(1, quoted.size() - 2)};
}

std::string_view JsonNode::key() const {
    return tree_->entries_[at_].key;
}

JsonNode::Iterator& JsonNode::Iterator::operator++() {
    at_ = tree_->entries_[at_].end;
    return *this;
}

JsonNode::Iterator JsonNode::end() const {
    return {*tree_, tree_->entries_[at_].end};
}

std::optional<JsonNode> JsonNode::find(std::string_view name) const {
    std::optional<JsonNode> out;
    if (!is(JsonKind::object)) return out;
    for (const JsonNode field : *this)
        if (field.key() == name) out = field;
    return out && !out->is(JsonKind::null) ? out : std::nullopt;
}

std::string JsonNode::path() const {
    std::string out;
    JsonNode node = tree_->root();
    while (node.at_ != at_) {
        size_t index = 0;
        for (const JsonNode child : node) {
            if (at_ < tree_->entries_[child.at_].end) {
                if (node.is(JsonKind::array))
                    out += concat("[", index, "]");
                else
                    out += concat(out.empty() ? "" : ".", child.key());
                node = child;
                break;
            }
            ++index;
        }
    }
    return out;
}

std::string JsonNode::excerpt() const {
    const std::string_view text = raw().text;
    if (text.size() <= kExcerpt) return std::string(text);
    size_t cut = kExcerpt;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80)
        --cut;
    return std::string(text.substr(0, cut)) + "...";
}

std::string mended_surrogates(std::string_view json) {
    std::string out;
    out.reserve(json.size() + kJsonPadding);
    out = json;
    for (size_t at = out.find('\\'); at != out.npos; at = out.find('\\', at)) {
        const Escape escape = first_escape(std::string_view(out).substr(at));
        if (escape.lone) out.replace(at, 6, "\\ufffd");
        at += std::max<size_t>(escape.size, 1);
    }
    return out;
}

}  // namespace brigada
