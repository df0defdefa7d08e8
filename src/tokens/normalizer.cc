#include "tokens/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "base/concat.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

using Kind = NormalizerStep::Kind;

struct Range {
    char32_t first, last;
};

/// Ranges in which no character decomposes, composes with another of these ranges, or is reordered.
/// normalizer_test holds them against utf8proc.
constexpr Range kSurelyNfc[] = {
    {0x0000, 0x02ff}, {0x0400, 0x0482}, {0x2010, 0x205e},   {0x2190, 0x2328},
    {0x2500, 0x2adb}, {0x3001, 0x3029}, {0x4e00, 0x9fff},   {0xac00, 0xd7a3},
    {0xfe30, 0xfe6f}, {0xff01, 0xff9d}, {0x1f300, 0x1faff},
};

utf8proc_option_t options_of(Kind kind) {
    int options = UTF8PROC_STABLE;
    if (kind == Kind::nfc || kind == Kind::nfkc) options |= UTF8PROC_COMPOSE;
    if (kind == Kind::nfd || kind == Kind::nfkd) options |= UTF8PROC_DECOMPOSE;
    if (kind == Kind::nfkc || kind == Kind::nfkd) options |= UTF8PROC_COMPAT;
    return static_cast<utf8proc_option_t>(options);
}

/// Appends the normal form of valid UTF-8; a text that is not is appended as it is.
void append_normal_form(std::string_view text, Kind kind, std::string& out) {
    if (text.empty()) return;
    utf8proc_uint8_t* raw = nullptr;
    const auto size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &raw, options_of(kind));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> result(raw, &std::free);
    if (size < 0)
        out += text;
    else
        out.append(reinterpret_cast<const char*>(result.get()), static_cast<size_t>(size));
}

bool is_ascii(char c) {
    return static_cast<uint8_t>(c) < 0x80;
}

/// Normalises run by run: a run of other than ASCII with the ASCII character before it, which a
/// combining mark may change. What follows a run is ASCII and composes with nothing before it.
std::string normal_form(std::string_view text, Kind kind) {
    const bool may_skip = kind == Kind::nfc;
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    for (size_t at = 0; at < text.size();) {
        size_t begin = at;
        while (begin < text.size() && is_ascii(text[begin]))
            ++begin;
        size_t end = begin;
        while (end < text.size() && !is_ascii(text[end]))
            ++end;
        if (begin > at) --begin;
        out.append(text, at, begin - at);
        const std::string_view run = text.substr(begin, end - begin);
        if (may_skip && surely_nfc(run))
            out += run;
        else
            append_normal_form(run, kind, out);
        at = end;
    }
    return out;
}

bool needs_form(std::string_view text, Kind kind) {
    for (size_t at = 0; at < text.size(); ++at)
        if (!is_ascii(text[at])) return kind != Kind::nfc || !surely_nfc(text.substr(at));
    return false;
}

std::string lower_case(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const Char c = char_at(text, at);
        if (c.code == kNotACharacter)
            out += text[at];
        else if (c.code == 0x130)
            out += "i\xcc\x87";  // İ has two characters below
        else
            append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<int>(c.code))), out);
        at += c.bytes;
    }
    return out;
}

std::string_view strip(std::string_view text, bool left, bool right) {
    while (left && !text.empty()) {
        const Char c = char_at(text, 0);
        if (!(classes_of(c.code) & kSpace)) break;
        text.remove_prefix(c.bytes);
    }
    while (right && !text.empty()) {
        size_t last = text.size() - 1;
        while (last > 0 && (static_cast<uint8_t>(text[last]) & 0xc0) == 0x80)
            --last;
        const Char c = char_at(text, last);
        if (!(classes_of(c.code) & kSpace) || last + c.bytes != text.size()) break;
        text = text.substr(0, last);
    }
    return text;
}

std::string replace(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    for (size_t at = 0;;) {
        const size_t found = text.find(from, at);
        out.append(text, at, found == text.npos ? text.npos : found - at);
        if (found == text.npos) return out;
        out += to;
        at = found + from.size();
    }
}

std::string replace_matches(std::string_view text, const std::vector<Span>& matches,
                            std::string_view to) {
    std::string out;
    size_t at = 0;
    for (const Span match : matches) {
        out.append(text, at, match.begin - at).append(to);
        at = match.end;
    }
    return out.append(text, at);
}

std::string collapse_spaces(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace

bool surely_nfc(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
        if (is_ascii(text[at])) {
            ++at;
            continue;
        }
        const Char c = char_at(text, at);
        const auto holds = [&](Range r) { return c.code >= r.first && c.code <= r.last; };
        bool found = false;
        for (const Range& range : kSurelyNfc)
            found = found || holds(range);
        if (!found) return false;
        at += c.bytes;
    }
    return true;
}

Result<Normalizer> Normalizer::create(const std::vector<NormalizerStep>& steps) {
    Normalizer out;
    for (const NormalizerStep& spec : steps) {
        Step step{.spec = spec, .regex = std::nullopt};
        if (spec.kind == Kind::replace && spec.from.empty())
            return Error{Code::corrupt, "a normaliser that replaces the empty string"};
        if (spec.kind == Kind::replace_regex) {
            TRY(step.regex, Regex::compile(spec.from));
        }
        out.steps_.push_back(std::move(step));
    }
    return out;
}

std::string_view Normalizer::normalize(std::string_view text, std::string& storage) const {
    std::vector<Span> matches;
    for (const auto& [spec, regex] : steps_) {
        const auto becomes = [&](std::string changed) {
            storage = std::move(changed);
            text = storage;
        };
        switch (spec.kind) {
            case Kind::nfc:
            case Kind::nfd:
            case Kind::nfkc:
            case Kind::nfkd:
                if (needs_form(text, spec.kind)) becomes(normal_form(text, spec.kind));
                break;
            case Kind::lowercase:
                becomes(lower_case(text));
                break;
            case Kind::strip:
                text = strip(text, spec.left, spec.right);
                break;
            case Kind::prepend:
                if (!text.empty()) becomes(concat(spec.to, text));
                break;
            case Kind::replace:
                if (text.find(spec.from) != text.npos) becomes(replace(text, spec.from, spec.to));
                break;
            case Kind::replace_regex:
                matches.clear();
                regex->find_all(text, {0, text.size()}, matches);
                if (!matches.empty()) becomes(replace_matches(text, matches, spec.to));
                break;
            case Kind::collapse_spaces:
                becomes(collapse_spaces(text));
                break;
        }
    }
    return text;
}

}  // namespace brigada
