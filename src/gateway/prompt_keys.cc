#include "gateway/prompt_keys.h"

#include <simdjson.h>
#include <xxhash.h>

#include <array>
#include <string>

#include "net/http.h"

namespace brigada {

namespace {

constexpr size_t kPieceBytes = kBlockTokens * kBytesPerToken;

/// In the order in which chat templates render them.
constexpr std::array<std::string_view, 6> kPromptFields = {"tools",    "system", "instructions",
                                                           "messages", "input",  "prompt"};

/// Cuts text into pieces as it comes and chains their keys.
class PieceChain {
  public:
    explicit PieceChain(std::string_view salt) : parent_(scope_key(salt, {})) {}

    void add(std::string_view text) {
        out_.bytes += static_cast<int64_t>(text.size());
        while (piece_.size() + text.size() >= kPieceBytes) {
            const size_t missing = kPieceBytes - piece_.size();
            if (piece_.empty()) {
                close(text.substr(0, missing));
            } else {
                piece_ += text.substr(0, missing);
                close(piece_);
                piece_.clear();
            }
            text.remove_prefix(missing);
        }
        piece_ += text;
    }

    PromptKeys take() { return std::move(out_); }

  private:
    void close(std::string_view piece) {
        parent_ =
            chain_key(parent_, XXH3_64bits_withSeed(piece.data(), piece.size(), kBlockKeySeed));
        out_.keys.push_back(*parent_);
    }

    std::optional<BlockKey> parent_;
    std::string piece_;
    PromptKeys out_;
};

/// One past the end of the JSON value at `at`: braces counted, strings stepped over.
size_t value_end(std::string_view text, size_t at) {
    int depth = 0;
    for (bool in_string = false; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            if (c == '\\') ++at;
            in_string = c != '"';
            if (!in_string && depth == 0) return at + 1;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
        } else if (c == ',' && depth == 0) {
            return at;
        }
    }
    return text.size();
}

/// The text without its "cache_control": {...} members.
void add_without_marks(std::string_view text, PieceChain& chain) {
    constexpr std::string_view kMark = "\"cache_control\"";
    for (size_t at = text.find(kMark); at != text.npos; at = text.find(kMark)) {
        size_t from = at;  // with the comma before it
        while (from > 0 && (text[from - 1] <= ' ' || text[from - 1] == ','))
            --from;
        chain.add(text.substr(0, from));
        const size_t colon = text.find_first_not_of(" \t\r\n", at + kMark.size());
        if (colon == text.npos || text[colon] != ':') {  // a string's content, not a member
            chain.add(text.substr(from, at + kMark.size() - from));
            text.remove_prefix(at + kMark.size());
            continue;
        }
        const size_t value = text.find_first_not_of(" \t\r\n", colon + 1);
        text.remove_prefix(value == text.npos ? text.size() : value_end(text, value));
    }
    chain.add(text);
}

/// The value's own bytes. Arrays and objects are skipped by simdjson's index, not byte by byte.
std::string_view raw(simdjson::ondemand::value& value) {
    simdjson::ondemand::json_type type{};
    std::string_view out;
    if (value.type().get(type)) return {};
    if (type == simdjson::ondemand::json_type::array) {
        simdjson::ondemand::array array;
        return value.get_array().get(array) || array.raw_json().get(out) ? std::string_view() : out;
    }
    if (type == simdjson::ondemand::json_type::object) {
        simdjson::ondemand::object object;
        return value.get_object().get(object) || object.raw_json().get(out) ? std::string_view()
                                                                            : out;
    }
    out = value.raw_json_token();  // up to the next token
    while (!out.empty() && out.back() <= ' ')
        out.remove_suffix(1);
    return out;
}

}  // namespace

PromptKeys prompt_keys(std::string_view body, Dialect dialect, std::string_view salt) {
    std::array<std::string_view, kPromptFields.size()> parts;
    thread_local simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::object top;
    const simdjson::padded_string_view padded(body, body.size() + kBodyPadding);
    if (parser.iterate(padded).get(document) || document.get_object().get(top)) return {};
    for (auto field : top) {
        std::string_view key;
        simdjson::ondemand::value value;
        if (field.unescaped_key().get(key) || field.value().get(value)) return {};
        for (size_t i = 0; i < kPromptFields.size(); ++i)
            if (key == kPromptFields[i]) parts[i] = raw(value);
    }
    PieceChain chain(salt);
    for (const std::string_view part : parts) {
        if (is_anthropic(dialect))
            add_without_marks(part, chain);
        else
            chain.add(part);
    }
    return chain.take();
}

}  // namespace brigada
