#include "dialect/volatile_block.h"

#include <algorithm>

#include "base/concat.h"
#include "dialect/json_slices.h"

namespace brigada {

namespace {

/// A block of an array, with the text that is left of its own.
void append_block(std::string& out, SliceObject block) {
    const std::string_view raw = block.raw().text;
    const std::string_view text = block.text("text").raw;
    const std::string_view left = without_volatile_line({text}).raw;
    if (!text.empty() && left.empty()) return;
    if (out.size() > 1) out += ',';
    if (left.size() == text.size()) {
        out += raw;
        return;
    }
    const size_t at = static_cast<size_t>(text.data() - raw.data());
    out += raw.substr(0, at);
    out += left;
    out += raw.substr(at + text.size());
}

}  // namespace

Escaped without_volatile_line(Escaped system) {
    const bool is_volatile = std::ranges::any_of(
        kVolatileLines, [&](std::string_view line) { return system.raw.starts_with(line); });
    if (!is_volatile) return system;
    size_t end = system.raw.find('\\');
    while (end != system.raw.npos && system.raw.substr(end, 2) != "\\n")
        end = system.raw.find('\\', end + 2);
    if (end == system.raw.npos) return {};
    std::string_view rest = system.raw.substr(end);
    while (rest.starts_with("\\n"))
        rest.remove_prefix(2);
    return {rest};
}

std::optional<std::string> system_without_volatile_lines(std::string_view system) {
    constexpr size_t kMostBefore = 128;  // of a first text: brackets, its type
    const std::string_view beginning = system.substr(0, kMostBefore);
    if (std::ranges::none_of(kVolatileLines, [&](std::string_view line) {
            return beginning.find(line) != beginning.npos;
        }))
        return std::nullopt;
    SliceDocument document;
    const auto wrapped = document.parse(concat(R"({"system":)", system, "}"));
    if (!wrapped.ok()) return std::nullopt;
    if (const Escaped text = wrapped->text("system"); !text.empty())
        return concat('"', without_volatile_line(text).raw, '"');
    std::string out = "[";
    wrapped->each("system", [&](SliceObject block) { append_block(out, block); });
    return out += ']';
}

}  // namespace brigada
