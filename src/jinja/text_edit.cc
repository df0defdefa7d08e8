#include "jinja/text_edit.h"

#include <algorithm>

#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

/// Bytes of white space at the start; of other characters when `space` is false.
size_t run_length(std::string_view text, bool space) {
    size_t i = 0;
    while (i < text.size()) {
        const Character c = character_at(text, i);
        if (is_space(c.code) != space) break;
        i += c.bytes.size();
    }
    return i;
}

}  // namespace

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator,
                                       int64_t max_splits) {
    std::vector<std::string_view> out;
    while (static_cast<int64_t>(out.size()) < max_splits) {
        const size_t at = text.find(separator);
        if (at == std::string_view::npos) break;
        out.push_back(text.substr(0, at));
        text.remove_prefix(at + separator.size());
    }
    out.push_back(text);
    return out;
}

std::vector<std::string_view> split_at_from_end(std::string_view text, std::string_view separator,
                                                int64_t max_splits) {
    std::vector<std::string_view> out;
    while (static_cast<int64_t>(out.size()) < max_splits) {
        const size_t at = text.rfind(separator);
        if (at == std::string_view::npos) break;
        out.push_back(text.substr(at + separator.size()));
        text = text.substr(0, at);
    }
    out.push_back(text);
    std::ranges::reverse(out);
    return out;
}

std::vector<std::string_view> split_at_space(std::string_view text, int64_t max_splits) {
    std::vector<std::string_view> out;
    for (text.remove_prefix(run_length(text, true)); !text.empty();
         text.remove_prefix(run_length(text, true))) {
        if (static_cast<int64_t>(out.size()) == max_splits) {
            out.push_back(text);  // with the white space at its end, as Python does
            break;
        }
        out.push_back(text.substr(0, run_length(text, false)));
        text.remove_prefix(out.back().size());
    }
    return out;
}

std::vector<std::string_view> split_at_space_from_end(std::string_view text, int64_t max_splits) {
    std::vector<std::string_view> words =
        split_at_space(text, static_cast<int64_t>(text.size()) + 1);
    if (static_cast<int64_t>(words.size()) - 1 <= max_splits) return words;
    // The first words stay one piece, with all that stands before and between them.
    const auto joined = static_cast<ptrdiff_t>(words.size()) - static_cast<ptrdiff_t>(max_splits);
    const std::string_view last = words[static_cast<size_t>(joined - 1)];
    const auto end = static_cast<size_t>(last.data() + last.size() - text.data());
    words.erase(words.begin(), words.begin() + joined - 1);
    words.front() = text.substr(0, end);
    return words;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
    std::vector<std::string_view> out;
    size_t start = 0;
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        const size_t end = i;
        i += c.bytes.size();
        if (!is_line_end(c.code)) continue;
        if (c.code == '\r' && text.substr(i).starts_with('\n')) ++i;
        out.push_back(text.substr(start, (keep_ends ? i : end) - start));
        start = i;
    }
    if (start < text.size()) out.push_back(text.substr(start));
    return out;
}

namespace {

/// replace with nothing to look for: `with` before each character and at the end.
Result<Value> insert_between(Heap& heap, std::string_view text, std::string_view with,
                             int64_t most) {
    TextBuilder out(heap);
    size_t i = 0;
    for (; most != 0; --most) {
        TRY(out.add(with));
        if (i == text.size()) break;
        TRY(out.add(character_at(text, i).bytes));
        i += character_at(text, i).bytes.size();
    }
    TRY(out.add(text.substr(i)));
    return out.finish();
}

}  // namespace

Result<Value> replace_all(Heap& heap, std::string_view text, std::string_view old,
                          std::string_view with, int64_t most) {
    if (old.empty()) return insert_between(heap, text, with, most);
    size_t at = text.find(old);
    if (at == std::string_view::npos || most == 0) return Value::text(text);
    TextBuilder out(heap);
    for (; at != std::string_view::npos && most != 0; at = text.find(old), --most) {
        TRY(out.add(text.substr(0, at)));
        TRY(out.add(with));
        text.remove_prefix(at + old.size());
    }
    TRY(out.add(text));
    return out.finish();
}

Result<Value> pad_text(Heap& heap, std::string_view text, int64_t width, std::string_view fill,
                       char align) {
    const auto size = static_cast<int64_t>(length(text));
    if (width <= size) return Value::text(text);
    const int64_t missing = width - size;
    // Python puts the odd one on the left when the width is odd.
    const int64_t around = missing / 2 + (missing & width & 1);
    const int64_t left = align == '>' ? missing : align == '^' ? around : 0;
    TRY(heap.room_for(static_cast<size_t>(missing)));
    TextBuilder out(heap);
    for (int64_t i = 0; i < left; ++i)
        TRY(out.add(fill));
    TRY(out.add(text));
    for (int64_t i = left; i < missing; ++i)
        TRY(out.add(fill));
    return out.finish();
}

}  // namespace brigada::jinja
