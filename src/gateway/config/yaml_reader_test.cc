#include "gateway/config/yaml_reader.h"

#include <gtest/gtest.h>

#include "gateway/config/yaml_document.h"

namespace brigada {
namespace {

class YamlReader : public testing::Test {
  protected:
    YamlFields fields(const std::string& text) { return YamlFields(value(text)); }

    YamlValue value(const std::string& text) {
        auto root = parse_yaml(text, "f.yaml");
        EXPECT_TRUE(root.ok()) << root.error().message;
        return {scope_, *std::move(root), ""};
    }

    std::string errors() const { return notes_.has_errors() ? notes_.summary().message : ""; }

    const Environ environment_ = [](std::string_view name) {
        return name == "SEVEN" ? std::optional<std::string>("7") : std::nullopt;
    };
    ConfigNotes notes_;
    const YamlScope scope_{"f.yaml", environment_, notes_};
};

TEST_F(YamlReader, reads_each_type) {
    auto all = fields(
        "t: text\nn: 1_000\nb: Yes\ns: 1.5\nd: 12.50\nf: 0.25\nm: 1.5\np: 3e-06\nr: 1mo\n"
        "one: x\nmany: [x, 2]\nnothing:\nenv: os.environ/SEVEN\n");
    std::string text, price, period, unset = "as it was";
    std::optional<int64_t> number, permille, bytes, env;
    bool flag = false;
    Duration seconds;
    std::optional<Money> dollars;
    std::vector<std::string> one, many;
    all.text("t", text);
    all.integer("n", {}, number);
    all.boolean("b", flag);
    all.seconds("s", seconds);
    all.dollars("d", dollars);
    all.permille("f", permille);
    all.megabytes("m", bytes);
    all.price("p", price);
    all.period("r", period);
    all.texts("one", one);
    all.texts("many", many);
    all.text("nothing", unset);
    all.integer("env", {}, env);
    all.finish();
    EXPECT_EQ(errors(), "");
    EXPECT_EQ(notes_.warnings(), std::vector<std::string>());
    EXPECT_EQ(text, "text");
    EXPECT_EQ(number, 1000);
    EXPECT_TRUE(flag);
    EXPECT_EQ(seconds, Duration::milliseconds(1500));
    EXPECT_EQ(dollars, Money{12'500'000'000});
    EXPECT_EQ(permille, 250);
    EXPECT_EQ(bytes, 3 << 19);
    EXPECT_EQ(price, "3e-06");
    EXPECT_EQ(period, "1mo");
    EXPECT_EQ(one, std::vector<std::string>{"x"});
    EXPECT_EQ(many, (std::vector<std::string>{"x", "2"}));
    EXPECT_EQ(unset, "as it was");
    EXPECT_EQ(env, 7);
}

TEST_F(YamlReader, says_what_would_have_worked) {
    struct Case {
        const char* text;
        void (*read)(const YamlValue&);
        const char* expected;
    };
    const Case cases[] = {
        {"k: [1]", [](const YamlValue& v) { v.text(); }, "must be a text; got a list"},
        {"k: {a: 1}", [](const YamlValue& v) { v.text(); }, "must be a text; got a mapping"},
        {"k: many", [](const YamlValue& v) { v.integer({}); },
         "must be a whole number of at least 0; got \"many\""},
        {"k: 101", [](const YamlValue& v) { v.integer({1, 100}); },
         "must be a whole number from 1 to 100; got \"101\""},
        {"k: 1.5", [](const YamlValue& v) { v.integer({1, 100}); },
         "must be a whole number from 1 to 100; got \"1.5\""},
        {"k: 2", [](const YamlValue& v) { v.boolean(); }, "must be true or false; got \"2\""},
        {"k: 5m", [](const YamlValue& v) { v.seconds(); },
         "must be a number of seconds from 0 to a year, such as 30 or 0.5; got \"5m\""},
        {"k: -1", [](const YamlValue& v) { v.dollars(); },
         "must be an amount of dollars such as 12.50, at most 9 digits after the point; got "
         "\"-1\""},
        {"k: 1.1", [](const YamlValue& v) { v.permille(); },
         "must be a fraction from 0 to 1 with at most 3 digits after the point; got \"1.1\""},
        {"k: big", [](const YamlValue& v) { v.megabytes(); },
         "must be a number of megabytes, such as 32; got \"big\""},
        {"k: free", [](const YamlValue& v) { v.price(); },
         "must be a price in dollars that is not negative, such as 3e-06; got \"free\""},
        {"k: 30x", [](const YamlValue& v) { v.period(); },
         "must be a number with s, m, h, d or mo after it, such as 30d; got \"30x\""},
        {"k: 0d", [](const YamlValue& v) { v.period(); },
         "must be a number with s, m, h, d or mo after it, such as 30d; got \"0d\""},
        {"k: word", [](const YamlValue& v) { v.items(); }, "must be a list; got \"word\""},
        {"k: word", [](const YamlValue& v) { v.entries(); }, "must be a mapping; got \"word\""},
        {"k: {[a]: 1}", [](const YamlValue& v) { v.entries(); },
         "a key must be a word, not a list or a mapping"},
        {"k: os.environ/NONE", [](const YamlValue& v) { v.text(); },
         "the environment variable NONE is not set"},
        {"k: os.environ/SEVEN", [](const YamlValue& v) { v.boolean(); },
         "must be true or false; got what os.environ/SEVEN holds"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        ConfigNotes notes;
        const YamlScope scope{"f.yaml", environment_, notes};
        YamlFields all(YamlValue(scope, *parse_yaml(c.text, "f.yaml"), ""));
        c.read(*all.find("k"));
        ASSERT_TRUE(notes.has_errors());
        const std::string column = std::string(c.text).starts_with("k: {[") ? "5" : "4";
        EXPECT_EQ(notes.summary().message, concat("f.yaml:1:", column, ": k: ", c.expected));
    }
}

TEST_F(YamlReader, names_unknown_keys_and_what_they_may_have_meant) {
    auto all = fields("num_retrys: 1\nother: 2\n\"a.b\": 3\n");
    int64_t retries = 0;
    all.integer("num_retries", {}, retries);
    all.unused({"other"}, "there is none");
    all.finish();
    EXPECT_EQ(notes_.warnings(),
              (std::vector<std::string>{
                  "f.yaml:2:1: other: has no effect: there is none",
                  "f.yaml:1:1: num_retrys: unknown key, ignored; did you mean \"num_retries\"?",
                  "f.yaml:3:1: [\"a.b\"]: unknown key, ignored"}));
}

TEST_F(YamlReader, chooses_among_words) {
    auto all = fields("right: slow\nwrong: fsat\n");
    int chosen = 0;
    all.choice<int>("right", {{"fast", 1}, {"slow", 2}}, chosen);
    EXPECT_EQ(chosen, 2);
    all.choice<int>("wrong", {{"fast", 1}, {"slow", 2}}, chosen);
    EXPECT_EQ(chosen, 2);
    EXPECT_EQ(errors(), "f.yaml:2:8: wrong: must be one of fast, slow; got \"fsat\"");
}

TEST_F(YamlReader, follows_anchors_and_merges) {
    auto all = fields(
        "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\n"
        "own: {<<: [*base, *more], a: 9}\ntwice: 1\ntwice: 2\n");
    std::string shown;
    for (const auto& [key, entry] : all.find("own")->entries())
        shown += concat(key, "=", *entry.text(), " ");
    EXPECT_EQ(shown, "a=9 b=2 c=4 ");
    int64_t twice = 0;
    all.integer("twice", {}, twice);
    EXPECT_EQ(twice, 2);
    EXPECT_EQ(notes_.warnings(),
              std::vector<std::string>{"f.yaml:5:1: twice: given twice; the last one counts"});
}

TEST(YamlDocument, refuses_what_is_not_safe_to_walk) {
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 10; ++i) {
        std::string line = concat("a", i, ": &a", i, " [");
        for (int k = 0; k < 10; ++k)
            line += concat("*a", i - 1, k < 9 ? "," : "]\n");
        bomb += line;
    }
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    struct Case {
        std::string text;
        std::string expected;
    };
    const Case cases[] = {
        {bomb, "more than 200000 values once its aliases are expanded"},
        {"a: &a [*a]\n", "nested deeper than 32, or an anchor that contains itself"},
        {deep, "nested deeper than 32, or an anchor that contains itself"},
        {std::string(2000, '['), "not YAML: "},
        {"a: [", "not YAML: "},
        {"a: *none", "not YAML: "},
        {", a: 1\n", "f.yaml:1:1: a second document; one per file is read"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document; one per file is read"},
        {std::string(kMaxConfigBytes + 1, ' '), "f.yaml: 4194305 bytes; at most 4194304 are read"},
    };
    for (const Case& c : cases) {
        const auto root = parse_yaml(c.text, "f.yaml");
        ASSERT_FALSE(root.ok()) << c.text.substr(0, 40);
        EXPECT_TRUE(root.error().message.contains(c.expected)) << root.error().message;
        EXPECT_TRUE(root.error().message.starts_with("f.yaml:"));
    }
    EXPECT_TRUE(parse_yaml("", "f.yaml")->IsNull());
}

TEST(ConfigNotes, spells_out_twenty_errors_and_counts_the_rest) {
    ConfigNotes notes;
    for (int i = 0; i < 23; ++i)
        notes.error(concat("e", i));
    const std::string message = notes.summary().message;
    EXPECT_EQ(std::ranges::count(message, '\n'), 20);
    EXPECT_TRUE(message.starts_with("e0\ne1\n"));
    EXPECT_TRUE(message.ends_with("\ne19\nand 3 more"));
}

}  // namespace
}  // namespace brigada
