#define PCRE2_CODE_UNIT_WIDTH 8
#include "tokens/regex.h"

#include <pcre2.h>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kJitStackBytes = 1 << 20;
constexpr size_t kLongestPattern = 1 << 16;

template <auto release>
struct Release {
    void operator()(auto* p) const { release(p); }
};
using CodePtr = std::unique_ptr<pcre2_code, Release<pcre2_code_free>>;
using DataPtr = std::unique_ptr<pcre2_match_data, Release<pcre2_match_data_free>>;
using ContextPtr = std::unique_ptr<pcre2_match_context, Release<pcre2_match_context_free>>;
using StackPtr = std::unique_ptr<pcre2_jit_stack, Release<pcre2_jit_stack_free>>;

/// Oniguruma's pattern in PCRE2's words: \s and \S mean White_Space, which PCRE2's own lack U+0085
/// of.
Result<std::string> translate(std::string_view pattern) {
    std::string out;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.substr(i).starts_with("&&"))
            return Error{Code::unsupported,
                         concat("pattern ", pattern, ": the intersection && of classes")};
        if (pattern[i] != '\\' || i + 1 == pattern.size()) {
            out += pattern[i];
            continue;
        }
        const char letter = pattern[++i];
        if (letter == 's')
            out += "\\p{White_Space}";
        else if (letter == 'S')
            out += "\\P{White_Space}";
        else if (letter == 'h' || letter == 'H')
            return Error{Code::unsupported,
                         concat("pattern ", pattern, ": \\h, hexadecimal digits")};
        else
            (out += '\\') += letter;
    }
    return out;
}

}  // namespace

struct Regex::Compiled {
    CodePtr code;
};

Regex::Regex(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern) {
    if (pattern.empty() || pattern.size() > kLongestPattern)
        return Error{Code::unsupported, concat("a pattern of ", pattern.size(), " bytes; 1 to ",
                                               kLongestPattern, " are read")};
    TRY(const std::string text, translate(pattern));
    int error = 0;
    PCRE2_SIZE where = 0;
    CodePtr code(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
                      &error, &where, nullptr));
    if (!code) {
        char message[256] = {};
        pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(message), sizeof message);
        return Error{Code::unsupported,
                     concat("pattern ", pattern, ": ", message, " at byte ", where)};
    }
    pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // without JIT it is slower, not wrong
    return Regex(std::make_unique<const Compiled>(Compiled{std::move(code)}));
}

void Regex::find_all(std::string_view text, Span range, std::vector<Span>& matches) const {
    const DataPtr data(pcre2_match_data_create_from_pattern(compiled_->code.get(), nullptr));
    const ContextPtr context(pcre2_match_context_create(nullptr));
    const StackPtr stack(pcre2_jit_stack_create(32 * 1024, kJitStackBytes, nullptr));
    pcre2_set_match_limit(context.get(), kMatchSteps);
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());

    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data() + range.begin);
    const size_t size = range.end - range.begin;
    for (size_t at = 0; at < size;) {
        const int found = pcre2_match(compiled_->code.get(), subject, size, at, PCRE2_NOTEMPTY,
                                      data.get(), context.get());
        if (found < 0) return;
        const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(data.get());
        if (bounds[1] <= bounds[0] || bounds[1] <= at) return;  // \K can make a match end early
        matches.push_back({range.begin + bounds[0], range.begin + bounds[1]});
        at = bounds[1];
    }
}

}  // namespace brigada
