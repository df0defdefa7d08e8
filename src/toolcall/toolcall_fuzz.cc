// Any bytes as an answer, in any format. The first byte chooses the format and whether a text calls
// nobody, the second how the answer begins and how it is cut; the rest is the answer. However it is
// cut the pieces must be the same, complete calls must be JSON, and what is no call must come back
// byte for byte.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "toolcall/parsing_for_tests.h"

namespace brigada {
namespace {

std::vector<std::string_view> portions(std::string_view text, size_t size) {
    std::vector<std::string_view> out;
    for (size_t at = 0; at < text.size(); at += size)
        out.push_back(text.substr(at, size));
    return out;
}

/// The engine's text is UTF-8, the fuzzer's is not; inside strings only that differs.
std::string ascii(std::string text) {
    for (char& c : text)
        if (c & 0x80) c = '?';
    return text;
}

void try_answer(uint8_t choice, uint8_t how, std::string_view answer) {
    const ToolFormat& tool_format = tool_formats()[(choice & 0x7f) % tool_formats().size()];
    AnswerFormat format{.tools = &tool_format};
    const bool thinks = !format.is_harmony() && how & 1;
    if (thinks) format.reasoning = &reasoning_formats()[1];
    const AnswerRules rules{.starts_in_reasoning = (how & 2) != 0,
                            .continues_text = (how & 4) != 0,
                            .one_call_only = (how & 8) != 0,
                            .calls_or_text = (choice & 0x80) != 0};
    static const ToolList tools(some_tools());
    const ParsedAnswer whole = parse_answer(format, rules, tools, {answer});
    const size_t size = 1 + how / 16;
    CHECK(parse_answer(format, rules, tools, portions(answer, size)) == whole, tool_format.name);
    bool has_call = false;
    for (const ParsedAnswer::Call& call : whole.calls) {
        if (call.is_broken) continue;
        has_call = true;
        CHECK(parse_json(ascii(call.arguments), "arguments").ok(), call.arguments);
    }
    if (!has_call && !thinks && !format.is_harmony() && !rules.one_call_only)
        CHECK(whole.text == answer, whole.text);
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    brigada::try_answer(data[0], data[1], {reinterpret_cast<const char*>(data) + 2, size - 2});
    return 0;
}
