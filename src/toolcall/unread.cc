#include "toolcall/unread.h"

#include <algorithm>

namespace brigada {

namespace {

/// Letters of any script, digits, and what names of tools and their servers are put together with.
bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c & 0x80) != 0 || std::string_view("_-.:/@$").contains(c);
}

constexpr size_t kLongestName = 256;

}  // namespace

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, is_name_byte);
}

void Unread::use(size_t bytes) {
    at_ += bytes;
    searched_ = std::max(searched_, at_);
}

Taken Unread::take(std::string_view literal) {
    if (text().starts_with(literal)) {
        use(literal.size());
        return Taken::yes;
    }
    return !ended_ && literal.starts_with(text()) ? Taken::wait : Taken::no;
}

std::optional<std::string> Unread::take_until(std::string_view literal) {
    const size_t found = text_.find(literal, std::max(searched_, at_));
    if (found == std::string::npos) {
        const size_t overlap = std::min(literal.size() - 1, text().size());
        searched_ = text_.size() - overlap;
        return std::nullopt;
    }
    std::string out = text_.substr(at_, found - at_);
    at_ = searched_ = found + literal.size();
    return out;
}

Taken Unread::take_name(std::string& out) {
    const std::string_view rest = text();
    const size_t size =
        static_cast<size_t>(std::ranges::find_if_not(rest, is_name_byte) - rest.begin());
    if (size > kLongestName) return Taken::no;
    if (size == rest.size() && !ended_) return Taken::wait;
    if (size == 0) return Taken::no;
    out = rest.substr(0, size);
    use(size);
    return Taken::yes;
}

void Unread::skip_space() {
    use(std::min(text().find_first_not_of(kWhiteSpace), text().size()));
}

void Unread::mark() {
    text_.erase(0, at_);
    mark_ = at_ = searched_ = 0;
}

std::string_view without_space_at_end(std::string_view text) {
    const size_t last = text.find_last_not_of(kWhiteSpace);
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

size_t unfinished_literal(std::string_view text, std::string_view literal) {
    for (size_t size = std::min(text.size(), literal.size() - 1); size > 0; --size)
        if (text.ends_with(literal.substr(0, size))) return size;
    return 0;
}

LiteralPlace find_first(std::string_view text, std::span<const std::string_view> literals) {
    LiteralPlace out{text.size()};
    for (const std::string_view literal : literals)
        if (const size_t found = text.find(literal); found < out.at) out = {found, literal};
    if (!out.literal.empty()) return out;
    for (const std::string_view literal : literals)
        out.at = std::min(out.at, text.size() - unfinished_literal(text, literal));
    return out;
}

}  // namespace brigada
