#include "gateway/call_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/concat.h"
#include "base/json.h"
#include "gateway/upstream_call.h"
#include "net/http.h"

namespace brigada {
namespace {

using testing::HasSubstr;

/// Bodies come with room behind them.
Result<CallBody> read(std::string text, Dialect dialect = Dialect::chat) {
    text.reserve(text.size() + kBodyPadding);
    return read_call_body(text, dialect);
}

TEST(CallBody, finds_what_the_door_wants_wherever_it_stands) {
    const auto body = read(R"({"messages":[{"role":"user","content":"model"}],"max_tokens":7,
        "user":"u1","metadata":{"session_id":"s1","tags":["a","b"],"x":{"y":1}},
        "prompt_cache_key":null,"model":"gpt","temperature":0.5})");
    ASSERT_TRUE(body.ok()) << body.error().message;
    EXPECT_EQ(body->model, "gpt");
    EXPECT_FALSE(body->stream);
    EXPECT_EQ(body->max_output, 7);
    EXPECT_EQ(body->end_user, "u1");
    EXPECT_EQ(body->session, "s1");
    EXPECT_EQ(body->tags, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(body->client_wants_usage());
}

TEST(CallBody, cuts_its_list_into_messages) {
    const std::string text =
        R"({"model":"m","tools":[1],"messages": [ {"a":[1,2]} , {"b":"}]"} ] , "input":"no list"})";
    const auto body = read(text);
    ASSERT_TRUE(body.ok()) << body.error().message;
    EXPECT_EQ(kPromptFields[body->list.field], "messages");
    EXPECT_EQ(body->list.at, text.find("[ {"));
    ASSERT_EQ(body->list.messages.size(), 2u);
    EXPECT_EQ(body->list.messages[0].in(text), R"({"a":[1,2]})");
    EXPECT_EQ(body->list.messages[1].in(text), R"({"b":"}]"})");
    EXPECT_TRUE(read(R"({"model":"m","messages":{}})")->list.messages.empty());
}

TEST(CallBody, says_what_is_wrong) {
    const std::pair<std::string, std::string> cases[] = {
        {R"([1])", "not a JSON object"},
        {R"({"model":"m")", "not a JSON object"},
        {R"({"model":"m"} x)", "not a JSON object"},
        {R"({"model":"m","messages":[[}})", "not a JSON object"},
        {R"({"model":"m","metadata":{"a":[})", "not a JSON object"},
        {R"({"model":"m","messages":[{"a":1} {"b":2}]})", "not a JSON object"},
        {R"({"model":"m","messages":[{"a":1})", "not a JSON object"},
        {R"({})", "model: must name a model"},
        {R"({"model":7})", "model: must be text; got 7"},
        {R"({"model":null})", "model: must be text"},
        {R"({"model":"m","stream":"yes"})", "stream: must be true or false; got \"yes\""},
        {R"({"model":"m","max_tokens":-1})",
         "max_tokens: must be a whole number of tokens; got -1"},
        {R"({"model":"m","user":{}})", "user: must be text"},
        {R"({"model":"m","stream_options":3})", "stream_options: must be an object"},
        {R"({"model":"m","stream":true,"stream_options":nl})", "not a JSON object"},
    };
    for (const auto& [text, words] : cases) {
        const auto body = read(text);
        ASSERT_FALSE(body.ok()) << text;
        EXPECT_THAT(body.error().message, HasSubstr(words)) << text;
    }
}

TEST(CallBody, nesting_has_an_end_whoever_is_meant_to_read_it) {
    const auto nested = [](const std::string& field, int levels) {
        std::string inside;
        for (int i = 1; i < levels; ++i)
            inside += R"({"[":)";
        return R"({"model":"m",")" + field + "\":" + inside + "[]" +
               std::string(static_cast<size_t>(levels - 1), '}') + R"(,"stream":true})";
    };
    for (const std::string field :
         {"messages", "metadata", "stream_options", "store", "whatever"}) {
        const auto most = read(nested(field, kJsonMaxDepth - 1));
        ASSERT_TRUE(most.ok()) << most.error().message;
        EXPECT_TRUE(most->stream) << "what comes behind it is read";
        for (const int levels : {kJsonMaxDepth, 100'000}) {
            const auto deeper = read(nested(field, levels));
            ASSERT_FALSE(deeper.ok()) << field;
            EXPECT_EQ(deeper.error().code, Code::invalid_argument);
            EXPECT_EQ(deeper.error().message,
                      concat(field, ": makes the body nested ", levels + 1,
                             " levels deep; at most ", kJsonMaxDepth, " are passed on"));
        }
    }
}

/// The system prompt that keys and counts see.
std::string system_of(const std::string& system) {
    std::string text = R"({"model":"m","system":)" + system + "}";
    text.reserve(text.size() + kBodyPadding);
    const auto body = read_call_body(text, Dialect::messages);  // its prompt lies in the text
    return body.ok() ? std::string(body->prompt[kSystemField]) : body.error().message;
}

TEST(CallBody, a_line_that_changes_with_every_call_is_no_part_of_the_prompt) {
    const std::string line = "x-anthropic-billing-header: cch=1;";
    EXPECT_EQ(system_of('"' + line + R"(\nBe \"kind\"")"), R"("Be \"kind\"")");
    EXPECT_EQ(system_of(R"([{"type":"text","text":")" + line +
                        R"("}, {"type":"text","text":"Be kind","cache_control":{"a":1}}])"),
              R"([{"type":"text","text":"Be kind","cache_control":{"a":1}}])");
    EXPECT_EQ(system_of(R"([{"type":"text","text":")" + line + R"(\n\nBe kind","x":[1]}])"),
              R"([{"type":"text","text":"Be kind","x":[1]}])");
}

TEST(CallBody, any_other_system_prompt_is_seen_as_it_stands) {
    const std::string later = std::string(200, 'a') + "x-anthropic-billing-header: cch=1;";
    for (const std::string& system :
         {std::string(R"("Be kind")"), std::string(R"([ {"type":"text","text":"a"} ])"),
          std::string("null"), std::string("7"), '"' + later + '"'})
        EXPECT_EQ(system_of(system), system);
}

std::string join(const std::vector<std::string_view>& pieces) {
    std::string out;
    for (const std::string_view piece : pieces)
        out += piece;
    return out;
}

/// What the upstream gets, as a tree.
Json sent(const std::string& text, Dialect dialect = Dialect::chat) {
    const auto body = read(text, dialect);
    if (!body.ok()) return body.error().message;
    std::vector<Splice> splices;
    if (body->usage_request) splices.push_back(*body->usage_request);
    Splice model = body->model_value;
    model.text = R"("upstream/name")";
    splices.push_back(model);
    if (splices.size() == 2 && splices[1].at < splices[0].at) std::swap(splices[0], splices[1]);
    return parse_json(join(spliced(text, splices)), "sent").value();
}

TEST(CallBody, asks_for_usage_where_a_stream_would_not_report_it) {
    for (const std::string options :
         {"", R"(,"stream_options":null)", R"(,"stream_options":{})",
          R"(,"stream_options":{"include_usage":false })", R"(,"stream_options":{"other":1})",
          R"(,"stream_options": { "include_usage" : null , "other":1})"}) {
        SCOPED_TRACE(options);
        const Json body = sent(R"({"model" : "m" ,"stream":true)" + options + "}");
        EXPECT_EQ(body["model"], "upstream/name");
        EXPECT_EQ(body["stream_options"]["include_usage"], true);
        EXPECT_EQ(body["stream_options"].contains("other"), options.find("other") != options.npos);
    }
    EXPECT_EQ(sent(R"({"stream":true,"stream_options":{"include_usage":true},"model":"m"})").size(),
              3u);
    EXPECT_FALSE(sent(R"({"model":"m","stream":false})").contains("stream_options"));
    EXPECT_FALSE(
        sent(R"({"model":"m","stream":true})", Dialect::messages).contains("stream_options"));
}

TEST(CallBody, takes_out_what_is_meant_for_the_cache) {
    for (const char* text : {R"({"cache":{"ttl":5},"model":"m","stream":true})",
                             R"({"model":"m","stream":true,"cache":{"ttl":5}})",
                             R"({"model":"m" , "cache" : {"ttl" : 5} , "stream":true})",
                             R"({ "cache":{"ttl":5} , "stream":true,"model":"m"  })",
                             R"({"model":"m","stream":true , "cache":{"ttl":5} })",
                             R"({"stream":true,"c":[","],"model":"m","cache":{"ttl":5}})"}) {
        SCOPED_TRACE(text);
        const auto body = read(text);
        ASSERT_TRUE(body.ok());
        EXPECT_EQ(body->cache.ttl, Duration::seconds(5));
        const auto got = parse_json(join(spliced(text, upstream_edits(*body, "up"))), "sent");
        ASSERT_TRUE(got.ok()) << got.error().message;
        EXPECT_FALSE(got->contains("cache"));
        EXPECT_EQ((*got)["model"], "up");
        EXPECT_EQ((*got)["stream_options"]["include_usage"], true);
    }
}

TEST(CallBody, says_what_is_wrong_with_the_words_for_the_cache) {
    EXPECT_EQ(read(R"({"model":"m","cache":{"ttl":"x"}})").error().message,
              "cache.ttl: must be a number of seconds");
    EXPECT_EQ(read(R"({"model":"m","cache":[]})").error().message,
              "cache: must be an object, true or false");
    const std::string large(5'000, 'x');
    EXPECT_EQ(read(R"({"model":"m","cache":{"namespace":")" + large + "\"}}").error().message,
              "cache: is over 4096 bytes");
}

TEST(CallBody, says_for_whom_kv_is_in_the_place_of_what_the_client_says) {
    const auto salted_body = [](std::string text) {
        text.reserve(text.size() + kBodyPadding);
        const CallBody body = read_call_body(text, Dialect::chat).value();
        return join(spliced(text, {salted(text, body, cache_salt("red", body.cache_salt))}));
    };
    const std::string own = cache_salt("red", "");
    EXPECT_EQ(salted_body(R"({"model":"m"})"), R"({"cache_salt":")" + own + R"(","model":"m"})");
    EXPECT_EQ(salted_body(R"({"model":"m", "cache_salt" : null })"),
              R"({"model":"m", "cache_salt" : ")" + own + R"(" })");
    EXPECT_EQ(salted_body(R"({"cache\u005fsalt":"s","model":"m"})"),
              R"({"cache\u005fsalt":")" + cache_salt("red", "s") + R"(","model":"m"})");
    EXPECT_FALSE(read(R"({"model":"m","cache_salt":"a","cache_salt":"b"})").ok());
    EXPECT_FALSE(read(R"({"model":"m","cache_salt":7})").ok());
}

TEST(CallBody, no_two_tenants_have_one_salt_whatever_their_clients_say) {
    std::set<std::string> salts;
    const std::vector<std::string> words = {"", "a", "b", "ab", "a:", "1:a", "aab", "ba"};
    for (const std::string& tenant : words)
        for (const std::string& client : words)
            salts.insert(cache_salt(tenant, client));
    EXPECT_EQ(salts.size(), words.size() * words.size());
}

TEST(CallBody, leaves_every_other_byte_alone) {
    const std::string text = "{ \"a\" : 1.50, \"model\":\"x\\u0041\" , \"b\":\"\\ud83d\\ude00\" }";
    const auto body = read(text);
    ASSERT_TRUE(body.ok());
    EXPECT_EQ(body->model, "xA");
    Splice model = body->model_value;
    model.text = "\"y\"";
    EXPECT_EQ(join(spliced(text, {model})),
              "{ \"a\" : 1.50, \"model\":\"y\" , \"b\":\"\\ud83d\\ude00\" }");
}

}  // namespace
}  // namespace brigada
