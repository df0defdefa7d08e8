#include "gateway/prompt_keys.h"

#include <xxh_x86dispatch.h>

#include "base/json.h"

namespace brigada {

namespace {

constexpr size_t kPieceBytes = kPieceTokens * kBytesPerToken;

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

constexpr std::string_view kMark = "\"cache_control\"";
constexpr size_t kWindow = 64;

/// Whether the mark may begin in the window at `text`: the compiler makes a few vector compares of
/// it, and hardly anything but the mark has quotes and an underscore so far apart.
bool may_begin_in_window(const char* text) {
    constexpr size_t kUnderscore = kMark.find('_'), kLast = kMark.size() - 1;
    uint8_t any = 0;
    for (size_t i = 0; i < kWindow; ++i)
        any |= (text[i] == '"') & (text[i + kUnderscore] == '_') & (text[i + kLast] == '"');
    return any != 0;
}

}  // namespace

/// JSON is full of quotes, so looking for the first one and then for the rest costs a quarter of a
/// millisecond in 400 KB.
size_t find_cache_mark(std::string_view text) {
    size_t at = 0;
    for (; at + kWindow + kMark.size() <= text.size(); at += kWindow) {
        if (!may_begin_in_window(text.data() + at)) continue;
        const size_t found = text.substr(at, kWindow + kMark.size() - 1).find(kMark);
        if (found != text.npos) return at + found;
    }
    return text.find(kMark, at);
}

PromptChain::PromptChain(std::string_view salt) : parent_(scope_key(salt, {})) {}

void PromptChain::reserve(size_t bytes) {
    out_.keys.reserve(bytes / kPieceBytes);
}

size_t PromptChain::bytes() const {
    return sizeof(*this) + piece_.capacity() + out_.keys.capacity() * sizeof(BlockKey);
}

void PromptChain::add(std::string_view part, Dialect dialect) {
    if (is_anthropic(dialect))
        add_without_marks(part);
    else
        add_text(part);
}

void PromptChain::add_text(std::string_view text) {
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

/// The text without its "cache_control": {...} members.
void PromptChain::add_without_marks(std::string_view text) {
    for (size_t at = find_cache_mark(text); at != text.npos; at = find_cache_mark(text)) {
        size_t from = at;  // with the comma before it
        while (from > 0 && (text[from - 1] <= ' ' || text[from - 1] == ','))
            --from;
        add_text(text.substr(0, from));
        const size_t colon = text.find_first_not_of(kJsonBlanks, at + kMark.size());
        if (colon == text.npos || text[colon] != ':') {  // a string's content, not a member
            add_text(text.substr(from, at + kMark.size() - from));
            text.remove_prefix(at + kMark.size());
            continue;
        }
        const size_t value = text.find_first_not_of(kJsonBlanks, colon + 1);
        text.remove_prefix(value == text.npos ? text.size() : value_end(text, value));
    }
    add_text(text);
}

void PromptChain::close(std::string_view piece) {
    parent_ = chain_key(parent_, XXH3_64bits(piece.data(), piece.size()));
    out_.keys.push_back(*parent_);
}

PromptKeys prompt_keys(const CallBody& body, Dialect dialect, std::string_view salt) {
    PromptChain chain(salt);
    chain.reserve(body.prompt_bytes());
    for (const std::string_view part : body.prompt)
        chain.add(part, dialect);
    return chain.take();
}

}  // namespace brigada
