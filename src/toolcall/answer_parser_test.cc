// Answers written by hand: what models get wrong, and what is not a call.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "toolcall/parsing_for_tests.h"

namespace brigada {
namespace {

const ToolList& tools() {
    static const ToolList list(some_tools());
    return list;
}

/// The answer's summary, and that cutting it at every byte gives the same.
std::string parsed(const AnswerFormat& format, std::string_view answer,
                   const AnswerRules& rules = {}) {
    const ParsedAnswer whole = parse_answer(format, rules, tools(), {answer});
    EXPECT_EQ(parse_answer(format, rules, tools(), byte_by_byte(answer)), whole) << answer;
    return whole.summary();
}

struct Case {
    const char* format;
    const char* answer;
    const char* summary;  // text|reasoning|calls
};

TEST(Calls, in_every_format) {
    const Case cases[] = {
        {"hermes", R"(<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>)",
         R"(||f({"a": 1}))"},
        {"hermes", R"(<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>)",
         R"(||f({"a": 1}))"},
        {"hermes", R"(<tool_call>{"name": "f", "arguments": "{\"a\": 1}"}</tool_call>)",
         R"(||f({"a": 1}))"},
        {"hermes", R"(<tool_call>{"name": "f"}</tool_call>)", "||f({})"},
        {"hermes", R"(<tool_call>{"id": [1, {}], "name": "f", "arguments": null}</tool_call>)",
         "||f({})"},
        {"hermes", R"(<tool_call>{"name": "f", "arguments": {}})", "||f({})"},
        {"hermes",
         "One \n\n<tool_call>{\"name\": \"f\", \"parameters\": {}}</tool_call>\n two  <tool_call>"
         "{\"name\": \"g\", \"arguments\": {}}</tool_call>\n",
         "Onetwo||f({})g({})"},
        {"hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"s\": \"a\nb\"}}</tool_call>",
         R"(||f({"s": "a\nb"}))"},
        {"llama3_json", R"({"name": "f", "parameters": {"a": 1}})", R"(||f({"a": 1}))"},
        {"llama3_json",
         R"({"type": "function", "name": "f", "parameters": {}}; {"name": "g", "parameters": {}})",
         "||f({})g({})"},
        {"llama3_json", R"(Well: <|python_tag|>{"name": "f", "parameters": {}})", "Well:||f({})"},
        {"json", R"([{"name": "f", "arguments": {}}, {"name": "g"}])", "||f({})g({})"},
        {"json", "\n{\"name\": \"f\", \"arguments\": {\"a\": 2}}\n", R"(||f({"a": 2}))"},
        {"pythonic", R"([f(a=1, s="x'y", list=[1, 'two', (3,), {'k': None}]), g()])",
         R"(||f({"a": 1, "s": "x'y", "list": [1, "two", [3], {"k": null}]})g({}))"},
        {"pythonic", R"([f(s='a"b\n\'\x41\u00e9\U0001F600\d', a=-1.5e3, list=[True, False,],)])",
         R"(||f({"s": "a\"b\n'\u0041\u00e9\ud83d\ude00\\d", "a": -1.5e3, "list": [true, false]}))"},
        {"pythonic", "[g(x='),]')", R"(||g({"x": "),]"}))"},
        {"mistral", R"([TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}, "id": "123456789"}])",
         R"(||f({"a": 1}))"},
        {"mistral", R"([TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g[CALL_ID]abc[ARGS]{})",
         R"(||f({"a": 1})g({}))"},
        {"mistral", R"(So.[TOOL_CALLS]{"name": "f", "arguments": {}} and more)",
         "So.and more||f({})"},
        {"deepseek_v31",
         "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜>"
         "\n<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
         R"(||f({"a": 1})g({}))"},
        {"deepseek_v32",
         "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"s\" "
         "string=\"true\">1"
         "</｜DSML｜parameter><｜DSML｜parameter name=\"x\" "
         "string=\"false\">[1]</｜DSML｜parameter>"
         "</｜DSML｜invoke></｜DSML｜function_calls>",
         R"(||f({"s": "1", "x": [1]}))"},
        {"glm45",
         "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>s</"
         "arg_key>\n<arg_value>1"
         "</arg_value>\n</tool_call>",
         R"(||f({"a": 1, "s": "1"}))"},
        {"kimi_k2",
         "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:7<|tool_call_argument_begin|>{"
         "}"
         "<|tool_call_end|><|tool_calls_section_end|>",
         "||f({})"},
        {"minimax_m2",
         "<minimax:tool_call><invoke name=\"f\"><parameter name=\"a\">1</parameter></invoke>"
         "<invoke name=\"g\"></invoke></minimax:tool_call>",
         R"(||f({"a": 1})g({}))"},
        {"qwen3_coder",
         "<function=f>\n<parameter=s>\n\n x\n\n</parameter>\n</function>\n</tool_call>",
         R"(||f({"s": "\n x\n"}))"},
        {"qwen3_coder",
         "<function=f><parameter=a>1</parameter><parameter=z>[1, 2]</parameter></function> end",
         R"(end||f({"a": 1, "z": [1, 2]}))"},
        {"harmony",
         "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|"
         ">I go."
         "<|end|><|start|>assistant<|channel|>commentary to=functions.f "
         "<|constrain|>json<|message|>{\"a\": 1}"
         "<|call|>",
         R"(I go.|Hm.|f({"a": 1}))"},
        {"harmony", "<|channel|>final<|message|>Yes.", "Yes.||"},
        {"harmony",
         "<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>analysis<|message|>B",
         "|A\nB|"},
        {"harmony", "Just talk.", "Just talk.||"},
    };
    for (const Case& one : cases)
        EXPECT_EQ(parsed(format_named(one.format), one.answer), one.summary) << one.answer;
}

TEST(Calls, what_is_none_comes_back_as_it_was) {
    const Case cases[] = {
        {"hermes", "<tool_call>nothing</tool_call>", "<tool_call>nothing</tool_call>||"},
        {"hermes", "a\n<tool_call>\n{\"name\": \"\"}</tool_call>",
         "a\n<tool_call>\n{\"name\": \"\"}</tool_call>||"},
        {"hermes", "<tool_call>{\"arguments\": {}}</tool_call>",
         "<tool_call>{\"arguments\": {}}</tool_call>||"},
        {"hermes", "<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>",
         "<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>||"},
        {"hermes", " <tool_call> <tool_call>{\"name\": \"f\"}</tool_call>", " <tool_call> ||f({})"},
        {"hermes", "5 < 6 <tool", "5 < 6 <tool||"},
        {"llama3_json", R"({"city": "Madrid"})", R"({"city": "Madrid"}||)"},
        {"llama3_json", R"({"name": "nobody", "parameters": {}})",
         R"({"name": "nobody", "parameters": {}}||)"},
        {"llama3_json", R"(Call {"name": "f", "parameters": {}})",
         R"(Call {"name": "f", "parameters": {}}||)"},
        {"llama3_json", "<|python_tag|>print(1)", "<|python_tag|>print(1)||"},
        {"json", "[1, 2]", "[1, 2]||"},
        {"pythonic", "[f, g]", "[f, g]||"},
        {"pythonic", "[nobody(a=1)]", "[nobody(a=1)]||"},
        {"mistral", "[TOOL_CALLS]no such thing", "[TOOL_CALLS]no such thing||"},
        {"qwen3_coder", "<tool_call>\n<function>", "<tool_call>\n<function>||"},
        {"glm45", "<tool_call> <b>", "<tool_call> <b>||"},
        {"kimi_k2", "<|tool_calls_section_begin|><|tool_calls_section_end|>",
         "<|tool_calls_section_begin|><|tool_calls_section_end|>||"},
        {"harmony", "<|channel|>commentary to=python<|message|>1+1<|call|>",
         "<|channel|>commentary to=python<|message|>1+1||"},
        {"harmony", "<|channel|>commentary to=functions.f",
         "<|channel|>commentary to=functions.f||"},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(parsed(format_named(one.format), one.answer), one.summary) << one.answer;
    }
}

TEST(Calls, one_that_breaks_after_it_was_announced_is_told_so_and_comes_as_text) {
    const Case cases[] = {
        {"hermes", "Hm. <tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1, oops}}</tool_call>",
         "Hm. <tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1, "
         "oops}}</tool_call>||!f({\"a\": 1, )"},
        {"hermes", R"(<tool_call>{"name": "f", "arguments": {"s": "cut o)",
         R"(<tool_call>{"name": "f", "arguments": {"s": "cut o||!f({"s": "cut o))"},
        {"qwen3_coder", "<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=s>\ncut",
         "<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=s>\ncut||!f({\"a\": 1)"},
        {"pythonic", "[g(), f(a=1, s=x y)]", ", f(a=1, s=x y)]||g({})!f({\"a\": 1)"},
        {"harmony", "<|channel|>commentary to=functions.f<|message|>{\"a\": }<|call|>",
         "<|channel|>commentary to=functions.f<|message|>{\"a\": }||!f({\"a\": )"},
    };
    for (const Case& one : cases)
        EXPECT_EQ(parsed(format_named(one.format), one.answer), one.summary) << one.answer;
}

TEST(Calls, a_reason_is_given_for_each_that_is_none) {
    const auto reasons = [](const char* format, const char* answer) {
        return parse_answer(format_named(format), {}, tools(), {answer}).reasons;
    };
    using Reasons = std::vector<std::string>;
    EXPECT_EQ(reasons("llama3_json", R"({"name": "x", "parameters": {}})"),
              Reasons{"no tool has this name"});
    EXPECT_EQ(reasons("hermes", R"(<tool_call>{"name": "f", )"), Reasons{std::string(kCutOff)});
    EXPECT_EQ(reasons("hermes", R"(<tool_call>{"name": "f", "arguments": {]}</tool_call>)"),
              Reasons{"the arguments are not a JSON object"});
    EXPECT_EQ(reasons("hermes", R"(<tool_call>{"name": "f"}</tool_call>)"), Reasons{});
}

TEST(Calls, only_one_where_only_one_is_asked_for) {
    const AnswerRules rules{.one_call_only = true};
    EXPECT_EQ(parsed(format_named("hermes"),
                     "<tool_call>{\"name\": \"f\"}</tool_call> and <tool_call>{\"name\": "
                     "\"g\"}</tool_call>!",
                     rules),
              "and!||f({})");
    EXPECT_EQ(parsed(format_named("pythonic"), "[f(a=1), g()]", rules), "||f({\"a\": 1})");
}

TEST(Calls, ids_differ_between_calls_and_answers_and_are_what_a_template_wants) {
    const char* two = R"([TOOL_CALLS]f[ARGS]{}[TOOL_CALLS]g[ARGS]{})";
    const AnswerFormat mistral = format_named("mistral");
    const auto first = parse_answer(mistral, {.id_salt = "a"}, tools(), {two}).calls;
    const auto other = parse_answer(mistral, {.id_salt = "b"}, tools(), {two}).calls;
    EXPECT_EQ(first[0].id.size(), 9u);
    EXPECT_NE(first[0].id, first[1].id);
    EXPECT_NE(first[0].id, other[0].id);
    const auto named =
        parse_answer(mistral, {}, tools(), {"[TOOL_CALLS]f[CALL_ID]abc123xyz[ARGS]{}"});
    EXPECT_EQ(named.calls[0].id, "abc123xyz");
    const auto kimi = parse_answer(format_named("kimi_k2"), {}, tools(),
                                   {"<|tool_calls_section_begin|><|tool_call_begin|>functions.f:3"
                                    "<|tool_call_argument_begin|>{}<|tool_call_end|>"});
    EXPECT_EQ(kimi.calls[0].id, "functions.f:3");
    const auto hermes = parse_answer(format_named("hermes"), {}, tools(),
                                     {"<tool_call>{\"name\": \"f\"}</tool_call>"});
    EXPECT_TRUE(hermes.calls[0].id.starts_with("call_"));
}

TEST(Calls, arguments_are_sent_while_they_are_written) {
    const auto parser = make_answer_parser(format_named("hermes"), {}, tools());
    AnswerPieces pieces;
    parser->feed(R"(<tool_call>{"name": "f", "arguments": {"s": "beg)", pieces);
    ASSERT_EQ(pieces.size(), 2u);
    EXPECT_EQ(pieces[0].name, "f");
    EXPECT_EQ(pieces[1].text, R"({"s": "beg)");
    EXPECT_EQ(parser->calls(), 0u);
    parser->feed(R"(in"}}</tool_call>)", pieces);
    EXPECT_EQ(parser->calls(), 1u);
}

/// f(a = 1), as the shape says.
std::string call_in(const CallShape& shape) {
    std::string arguments = R"({"a": 1})";
    if (shape.arguments == CallShape::Arguments::python) arguments = "a=1";
    if (shape.arguments == CallShape::Arguments::tagged) {
        const TagShape& tags = shape.tags;
        const std::string_view line = tags.lines_of_their_own ? "\n" : "";
        arguments = concat(tags.key, 'a', tags.key_end, tags.json.empty() ? tags.text : tags.json,
                           line, '1', line, tags.end);
    }
    return concat(shape.opening, shape.first, 'f', shape.numbered_name ? ":0" : "",
                  shape.before_arguments, arguments, shape.end, shape.close);
}

/// A whole call in a format.
std::string call_in(const ToolFormat& format) {
    if (format.make_reader) return call_in(format.shapes.front());
    return R"(<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>)";
}

TEST(Calls, are_read_as_their_formats_shapes_write_them) {
    for (const ToolFormat& format : tool_formats()) {
        const AnswerFormat answers = format_named(std::string(format.name));
        EXPECT_EQ(parsed(answers, call_in(format)), R"(||f({"a": 1}))");
        for (const CallShape& shape : format.shapes)
            if (format.make_reader)
                EXPECT_EQ(parsed(answers, call_in(shape)), R"(||f({"a": 1}))") << call_in(shape);
    }
}

TEST(Reasoning, stands_at_the_start_only) {
    const AnswerFormat think = format_named("hermes", "think");
    EXPECT_EQ(parsed(think, "<think>\n\nWhy?\n</think>\n\nBecause."), "Because.|Why?|");
    EXPECT_EQ(parsed(think, "\n <think></think>Yes. "), "Yes. ||");
    EXPECT_EQ(parsed(think, "I <think>so</think>."), "I <think>so</think>.||");
    EXPECT_EQ(parsed(think, "<think>never ends "), "|never ends |");
    EXPECT_EQ(parsed(think, "<thin"), "<thin||");
    EXPECT_EQ(parsed(think, "<think>a </thi b</think>c"), "c|a </thi b|");
    EXPECT_EQ(parsed(think, "so it is</think>\nYes.", {.starts_in_reasoning = true}),
              "Yes.|so it is|");
    EXPECT_EQ(parsed(think, "<think>a</think>b", {.continues_text = true}), "<think>a</think>b||");
    EXPECT_EQ(parsed(format_named("mistral", "mistral"), "[THINK]a[/THINK]b"), "b|a|");
    EXPECT_EQ(parsed(format_named("hermes", "none"), "<think>a</think>b"), "<think>a</think>b||");
    EXPECT_EQ(parsed(think, "<think>a<tool_call></think><tool_call>{\"name\": \"f\"}</tool_call>"),
              "|a<tool_call>|f({})");
}

TEST(Reasoning, is_known_to_be_open_by_the_prompts_end) {
    const AnswerFormat think = format_named("none", "think");
    EXPECT_TRUE(think.opens_reasoning("<|assistant|>\n<think>\n"));
    EXPECT_FALSE(think.opens_reasoning("<|assistant|>\n<think>\n\n</think>\n\n"));
    EXPECT_FALSE(format_named("none").opens_reasoning("<think>"));
}

TEST(Formats, wishes_that_cannot_be_are_refused_with_the_names) {
    const auto error = [](const std::string& tool, const std::string& reasoning) {
        return choose_answer_format("", {tool, reasoning}).error().message;
    };
    EXPECT_TRUE(error("nonsense", "auto").contains("\"nonsense\"; there are harmony, kimi_k2"));
    EXPECT_TRUE(error("auto", "nonsense").contains("none, think, mistral, harmony"));
    EXPECT_TRUE(error("harmony", "think").contains("not think"));
    EXPECT_TRUE(error("hermes", "harmony").contains("not hermes"));
    EXPECT_EQ(format_named("openai").tools->name, "harmony");
    EXPECT_EQ(format_named("none", "deepseek_r1").reasoning->name, "think");
}

// --- any text ---------------------------------------------------------------------------------

/// Text made of what the formats are made of.
std::string random_answer(Rng& rng, const AnswerFormat& format) {
    std::vector<std::string_view> bits = {"{\"name\": \"f\", \"arguments\": ",
                                          "{\"a\": 1}",
                                          "}",
                                          "f",
                                          "g",
                                          "{}",
                                          " ",
                                          "\n",
                                          "text",
                                          "é",
                                          "<",
                                          "[",
                                          "(",
                                          ")",
                                          "]",
                                          "a=1",
                                          ", ",
                                          "\"x\"",
                                          ";",
                                          "{\"name\": \"g\"}",
                                          "</tool_call>",
                                          "<parameter=a>",
                                          "</parameter>",
                                          "</function>",
                                          ">",
                                          "<arg_key>a</arg_key>",
                                          "<arg_value>1</arg_value>",
                                          "<think>",
                                          "</think>",
                                          " to=functions.f",
                                          "analysis",
                                          "final"};
    const std::string call = call_in(*format.tools);
    bits.insert(bits.end(), 6, call);
    for (const auto& list : {format.tools->openings, format.tools->controls})
        for (int weight = 0; weight < 3; ++weight)
            bits.insert(bits.end(), list.begin(), list.end());
    std::string out;
    for (uint64_t i = rng.below(14); i > 0; --i)
        out += bits[rng.below(bits.size())];
    return out;
}

std::string without_space(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (!kWhiteSpace.contains(c)) out += c;
    return out;
}

/// Whether `part` is what remains of `text` when some characters are left out.
bool is_part_of(std::string_view part, std::string_view text) {
    size_t at = 0;
    for (const char c : text)
        if (at < part.size() && part[at] == c) ++at;
    return at == part.size();
}

TEST(AnyText, is_never_lost_nor_dependent_on_cuts_and_complete_calls_are_json) {
    size_t calls = 0, unbroken = 0;
    for (uint64_t seed = 0; seed < 30'000; ++seed) {
        Rng rng(seed);
        const ToolFormat& tool_format = tool_formats()[rng.below(tool_formats().size())];
        const AnswerFormat format = format_named(std::string(tool_format.name));
        const std::string answer = random_answer(rng, format);
        SCOPED_TRACE(concat(tool_format.name, " seed ", seed, ": ", answer));
        const ParsedAnswer whole = parse_answer(format, {}, tools(), {answer});
        ASSERT_EQ(parse_answer(format, {}, tools(), byte_by_byte(answer)), whole);
        size_t complete = 0;
        for (const ParsedAnswer::Call& call : whole.calls) {
            if (call.is_broken) continue;
            const auto arguments = parse_json(call.arguments, "arguments");
            ASSERT_TRUE(arguments.ok() && arguments->is_object()) << call.arguments;
            ++complete;
        }
        calls += complete;
        ASSERT_TRUE(is_part_of(without_space(whole.text), answer));
        if (complete > 0 || format.is_harmony()) continue;
        // No complete call: all of it is text, white space included.
        ASSERT_EQ(whole.text, answer);
        ++unbroken;
    }
    EXPECT_GT(calls, 2000u);
    EXPECT_GT(unbroken, 5000u);
}

TEST(AnyText, of_a_cut_off_answer_is_the_beginning_of_the_whole_ones) {
    const AnswerFormat format = format_named("hermes", "think");
    const std::string answer =
        "<think>Why.</think>Text <tool_call>{\"name\": \"f\", \"arguments\": {\"s\": "
        "\"é\\n\"}}</tool_call> end";
    for (size_t size = 0; size < answer.size(); ++size) {
        const std::string_view cut = std::string_view(answer).substr(0, size);
        const ParsedAnswer parsed = parse_answer(format, {}, tools(), {cut});
        std::string all = parsed.reasoning + parsed.text;
        const bool has_call = !parsed.calls.empty() && !parsed.calls[0].is_broken;
        if (has_call) continue;
        std::string expected(cut);
        for (const std::string_view tag : {"<think>", "</think>"})
            if (const size_t at = expected.find(tag); at != expected.npos)
                expected.erase(at, tag.size());
        if (expected.starts_with("<think")) all = without_space(all);
        EXPECT_EQ(without_space(all), without_space(expected)) << cut;
    }
}

}  // namespace
}  // namespace brigada
