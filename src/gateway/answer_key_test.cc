#include "gateway/answer_key.h"

#include <gtest/gtest.h>

#include <set>

namespace brigada {
namespace {

/// The key of a body; the other parts as given.
AnswerKey key(std::string body, AnsweredCall call = {.tenant = "team:red", .model = "m"}) {
    body.reserve(body.size() + kBodyPadding);
    call.body = body;
    auto out = answer_key(call);
    EXPECT_TRUE(out.ok()) << body;
    return out.ok() ? *out : AnswerKey{};
}

constexpr const char* kPlain =
    R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":1})";

TEST(AnswerKey, is_blind_to_order_white_space_and_who_asks) {
    for (const char* same :
         {R"({"n":1,"messages":[{"role":"user","content":"a b"}],"model":"m"})",
          "{ \"model\" : \"m\",\n\"messages\":[ {\"role\": \"user\",\t\"content\":\"a b\"} ] ,"
          "\"n\": 1 }",
          R"({"model":"alias","messages":[{"role":"user","content":"a b"}],"n":1})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":1,"user":"x",)"
          R"("metadata":{"a":[1]},"cache":{"ttl":5},"prompt_cache_key":"s"})"})
        EXPECT_EQ(key(kPlain), key(same)) << same;
}

TEST(AnswerKey, differs_by_everything_that_may_change_the_answer) {
    std::set<AnswerKey> seen{key(kPlain)};
    for (const char* other :
         {R"({"model":"m","messages":[{"role":"user","content":"ab"}],"n":1})",
          R"({"model":"m","messages":[{"role":"user","content":"a  b"}],"n":1})",
          R"({"model":"m","messages":[{"content":"a b","role":"user"}],"n":1})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":2})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}]})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":1,"stream":true})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":1,"m":null})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":1,"n":2})",
          R"({"model":"m","messages":[{"role":"user","content":"a b"}],"n":2,"n":1})"})
        EXPECT_TRUE(seen.insert(key(other)).second) << other;
}

TEST(AnswerKey, differs_by_tenant_model_end_user_dialect_and_version) {
    const AnsweredCall plain{.tenant = "team:red", .model = "m"};
    std::set<AnswerKey> seen{key(kPlain, plain)};
    HttpHeaders beta{{"Anthropic-Beta", "tools"}};
    for (const auto& change : std::vector<std::function<void(AnsweredCall&)>>{
             [](AnsweredCall& c) { c.tenant = "team:blue"; },
             [](AnsweredCall& c) { c.tenant = "team:redm", c.model = ""; },
             [](AnsweredCall& c) { c.model = "other"; },
             [](AnsweredCall& c) { c.end_user = "ann"; },
             [](AnsweredCall& c) { c.name_space = "n"; },
             [](AnsweredCall& c) { c.dialect = Dialect::responses; },
             [&](AnsweredCall& c) { c.headers = &beta; }}) {
        AnsweredCall call = plain;
        change(call);
        EXPECT_TRUE(seen.insert(key(kPlain, call)).second);
    }
}

TEST(AnswerKey, is_an_error_for_what_is_no_object) {
    for (std::string body : {"[]", "{", "1", ""}) {
        body.reserve(body.size() + kBodyPadding);
        EXPECT_FALSE(answer_key({.body = body}).ok()) << body;
    }
}

}  // namespace
}  // namespace brigada
