#include "jinja/template.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "base/concat.h"
#include "base/file.h"

namespace brigada::jinja {
namespace {

Result<std::string> render(std::string_view source, const Json& context = Json::object(),
                           const RenderOptions& options = {}) {
    TRY(const Template parsed, Template::parse(source));
    return parsed.render(context, options);
}

std::string text_of(std::string_view source, const Json& context = Json::object()) {
    auto text = render(source, context);
    return text.ok() ? *text : "error: " + text.error().message;
}

/// Where we differ from Jinja2 on purpose: the template, and what we give.
const std::map<std::string, std::string>& deviations() {
    static const std::map<std::string, std::string> kDeviations = {
        // A raw block without end is always an error, not only when something follows it.
        {"{% raw %}", "error: line 1: {% raw %} has no {% endraw %}"},
    };
    return kDeviations;
}

TEST(Template, renders_what_jinja2_renders) {
    const Json goldens = *parse_json(
        *read_file(Path(BRIGADA_TESTDATA) / "jinja" / "expressions.json", 1 << 20), "goldens");
    size_t rendered = 0, failed = 0;
    for (const Json& golden : goldens["cases"]) {
        const std::string source = golden["template"];
        SCOPED_TRACE(source);
        if (const auto ours = deviations().find(source); ours != deviations().end()) {
            EXPECT_EQ(text_of(source, goldens["context"]), ours->second);
            continue;
        }
        const auto text = render(source, goldens["context"]);
        if (golden.contains("error")) {
            EXPECT_FALSE(text.ok()) << *text << "\nbut Jinja2: " << golden["error"];
            ++failed;
            continue;
        }
        EXPECT_TRUE(text.ok()) << text.error().message;
        if (text.ok()) EXPECT_EQ(*text, golden["text"].get<std::string>());
        ++rendered;
    }
    EXPECT_GT(rendered, 480u);
    EXPECT_GT(failed, 70u);
}

// --- errors -----------------------------------------------------------------------------------

TEST(Template, errors_name_the_line_of_what_failed) {
    EXPECT_EQ(text_of("a\n{{ 'b' }}\n{% if true %}\n{{ x.y }}{% endif %}"),
              "error: line 4: 'x' is undefined");
    EXPECT_EQ(text_of("{% macro m(a) %}\n\n{{ a.b.c }}{% endmacro %}\n{{ m({}) }}"),
              "error: line 3: 'dict object' has no attribute 'b'");
    EXPECT_EQ(text_of("\n{{ [1,\n 2\n }}"), "error: line 4: unexpected '}'");
    EXPECT_EQ(text_of("{{ x | nope }}"), "error: line 1: No filter named 'nope' found.");
    EXPECT_EQ(text_of("{{ 9223372036854775807 + 1 }}"),
              "error: line 1: 9223372036854775807 + 1 does not fit an integer of 64 bits");
    EXPECT_EQ(text_of("{{ -9223372036854775808 }}"),
              "error: line 1: integer '9223372036854775808' is not one of 64 bits");
}

TEST(Template, raise_exception_gives_exactly_its_text) {
    const auto refused = render("\n\n{{ raise_exception('Only \"user\" roles!') }}");
    EXPECT_EQ(refused.error().code, Code::invalid_argument);
    EXPECT_EQ(refused.error().message, "Only \"user\" roles!");
}

TEST(Template, tags_that_need_files_are_unsupported) {
    for (const char* tag : {"include 'x'", "import 'x' as y", "extends 'x'", "from 'x' import y"})
        EXPECT_EQ(Template::parse(concat("{% ", tag, " %}")).error().code, Code::unsupported)
            << tag;
    EXPECT_EQ(Template::parse("{% for x in y recursive %}{% endfor %}").error().code,
              Code::unsupported);
}

// --- what transformers' Jinja2 does not have --------------------------------------------------

TEST(Template, from_json_reads_what_tojson_wrote) {
    EXPECT_EQ(text_of("{{ (x | tojson | from_json) == x }}",
                      {{"x", {{"a", {1, 2.5, nullptr, true, "é\n"}}}}}),
              "True");
    EXPECT_TRUE(
        text_of("{{ '{' | from_json }}").starts_with("error: line 1: from_json: not valid"));
}

TEST(Template, generation_tags_change_nothing) {
    EXPECT_EQ(text_of("a{% generation %}{{ 1 }}{% set x = 2 %}{% endgeneration %}{{ x }}"), "a12");
}

TEST(Template, strftime_now_shows_the_moment_it_is_given) {
    RenderOptions options;
    options.now = {.unix_seconds = 1'709'164'799, .utc_offset_seconds = 0};  // 2024-02-28T23:59:59Z
    const std::string_view source = "{{ strftime_now('%d %b %Y|%A %-d %B %y|%H:%M:%S|%j|%%') }}";
    EXPECT_EQ(*render(source, Json::object(), options),
              "28 Feb 2024|Wednesday 28 February 24|23:59:59|059|%");
    options.now.utc_offset_seconds = 3600;
    EXPECT_EQ(*render(source, Json::object(), options),
              "29 Feb 2024|Thursday 29 February 24|00:59:59|060|%");
    EXPECT_FALSE(render("{{ strftime_now('%Q') }}").ok());
    EXPECT_FALSE(render("{{ strftime_now('%') }}").ok());
    options.now.unix_seconds = std::numeric_limits<int64_t>::max();
    EXPECT_FALSE(render(source, Json::object(), options).ok());
}

// --- hostile templates ------------------------------------------------------------------------

/// Templates that would never end, or fill the memory or the stack.
const char* const kHostile[] = {
    "{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}",
    "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}"
    "{% endfor %}",
    "{{ 'x' * 999999999999 }}",
    "{{ [1] * 999999999999999 }}",
    "{{ 'x'.center(9223372036854775807) }}",
    "{{ 'x' | indent(9223372036854775807) }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ [1] | batch(9223372036854775807, 0) }}",
    "{{ [1] | slice(9223372036854775807) }}",
    "{% set l = [] %}{% set _ = l.append(l) %}{{ l }}",
    "{% set l = [] %}{% set _ = l.append(l) %}{{ l | tojson }}",
    "{% set l = [] %}{% set _ = l.append(l) %}{% set m = [] %}{% set _ = m.append(m) %}{{ l == m "
    "}}",
    "{% set d = {} %}{% set _ = d.update(a=d) %}{{ d }}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f() %}{% call f() %}{% endcall %}{{ caller }}{% endmacro %}{{ f() }}",
    "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor "
    "%}"
    "{{ ns.l }}",
    "{% set x = 'ab' * 1000000 %}{% for i in range(99999) %}{% set y = x | length %}{% endfor %}",
    "{% set x = ['ab' * 1000] * 100000 %}{{ x | join(x[0]) }}",
    "{{ ('[' * 1000) | from_json }}",
    "{{ 'a,' * 1000000 | replace('a', 'b' * 1000000) }}",
    "{{ ('a' * 1000000) | replace('a', 'b' * 1000000) }}",
};

TEST(Template, hostile_templates_end_with_an_error) {
    RenderOptions options;
    options.limits = {.max_work = 2'000'000,
                      .max_heap_bytes = 64u << 20,
                      .max_output_bytes = 8u << 20,
                      .max_depth = 400};
    for (const char* source : kHostile) {
        const auto text = render(source, Json::object(), options);
        EXPECT_FALSE(text.ok()) << source;
    }
}

TEST(Template, limits_are_said_with_their_code) {
    RenderOptions options;
    options.limits.max_output_bytes = 10;
    EXPECT_EQ(*render("{{ 'x' * 10 }}", Json::object(), options), "xxxxxxxxxx");
    const auto text = render("{{ 'x' * 11 }}", Json::object(), options);
    EXPECT_EQ(text.error().code, Code::too_large);
    EXPECT_EQ(text.error().message, "line 1: the text rendered is over 10 bytes");
}

TEST(Template, deep_sources_are_refused_or_rendered_but_never_crash) {
    const auto repeated = [](std::string_view piece, size_t times) {
        std::string out;
        for (size_t i = 0; i < times; ++i)
            out += piece;
        return out;
    };
    for (const std::string& source :
         {"{{ " + repeated("(", 100'000), "{{ " + repeated("[", 100'000),
          "{{ " + repeated("-", 100'000) + "1 }}", "{{ " + repeated("not ", 100'000) + "1 }}",
          repeated("{% if x %}", 100'000), "{{ x" + repeated(" if x else x", 100'000) + " }}",
          "{{ 1" + repeated(" + 1", 100'000) + " }}", "{{ x" + repeated(".y", 100'000) + " }}",
          "{{ x" + repeated("|list", 100'000) + " }}", "{{ x" + repeated("[0]", 100'000) + " }}"})
        EXPECT_FALSE(render(source).ok()) << source.substr(0, 20);
    EXPECT_EQ(text_of("{{ " + repeated("(", 90) + "1" + repeated(")", 90) + " }}"), "1");
    EXPECT_EQ(text_of("{{ 1" + repeated(" + 1", 300) + " }}"), "301");
}

TEST(Template, context_that_is_deep_or_no_object_is_refused) {
    Json deep = 1;
    for (int i = 0; i < 1000; ++i)
        deep = Json::array({std::move(deep)});
    EXPECT_EQ(render("x", {{"a", deep}}).error().code, Code::invalid_argument);
    EXPECT_EQ(render("x", Json::array()).error().code, Code::invalid_argument);
}

TEST(Template, a_rendering_leaves_template_and_context_as_they_were) {
    const auto parsed = Template::parse("{% set _ = xs.append(4) %}{{ xs }}");
    const Json context = {{"xs", {1}}};
    EXPECT_EQ(*parsed->render(context, {}), "[1, 4]");
    EXPECT_EQ(*parsed->render(context, {}), "[1, 4]");
    EXPECT_EQ(context["xs"].size(), 1u);
}

TEST(Template, invalid_utf8_passes_through_and_counts_by_byte) {
    const Json context = {{"s", "a\xff\xc3(\x80"}};
    EXPECT_EQ(text_of("{{ s }}|{{ s | length }}|{{ s[1:3] }}|{{ s | upper }}", context),
              "a\xff\xc3(\x80|5|\xff\xc3|A\xff\xc3(\x80");
    EXPECT_EQ(text_of("{{ s | tojson }}", context), "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\"");
}

TEST(Template, large_dicts_keep_order_and_find_every_key) {
    Json big = Json::object();
    for (int i = 0; i < 500; ++i)
        big[std::to_string(i * 7919 % 500)] = i;
    EXPECT_EQ(text_of("{{ d | tojson }}", {{"d", big}}),
              text_of("{{ d | tojson | from_json | tojson }}", {{"d", big}}));
    EXPECT_EQ(text_of("{% for k, v in d.items() %}{% if d[k] != v %}!{% endif %}{% endfor %}"
                      "{% for k in d.keys() %}{% set _ = d.pop(k) %}{% endfor %}{{ d | length }}",
                      {{"d", big}}),
              "0");
}

}  // namespace
}  // namespace brigada::jinja
