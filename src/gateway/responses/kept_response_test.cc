#include "gateway/responses/kept_response.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "base/json.h"
#include "net/http.h"

namespace brigada {
namespace {

const KeptResponse kParis{
    .input = R"([{"type":"message","role":"user","content":"capital?"}])",
    .response = R"({"id":"resp_1","output":[{"type":"message","role":"assistant"}],"x":1})"};

/// What the upstream would get of `body`, which goes on from kParis.
Json continued(std::string body) {
    body.reserve(body.size() + kBodyPadding);
    const CallBody read = read_call_body(body, Dialect::responses).value();
    const std::string out = continued(body, read, kParis);
    EXPECT_GE(out.capacity(), out.size() + kBodyPadding);
    return Json::parse(out);
}

TEST(KeptResponse, a_call_that_goes_on_says_all_of_it) {
    const Json items = {{{"type", "message"}, {"role", "user"}, {"content", "capital?"}},
                        {{"type", "message"}, {"role", "assistant"}},
                        {{"type", "message"}, {"role", "user"}, {"content", "people?"}}};
    const std::string kBodies[] = {
        R"({"model":"m","input":"people?","previous_response_id":"resp_1"})",
        R"({"previous_response_id":"resp_1", "model":"m","input" : "people?" })",
        R"({"model":"m","previous_response_id" : "resp_1" ,
            "input":[{"type":"message","role":"user","content":"people?"}]})",
    };
    for (const std::string& body : kBodies)
        EXPECT_EQ(continued(body), (Json{{"model", "m"}, {"input", items}})) << body;
}

TEST(KeptResponse, a_call_without_input_goes_on_as_well) {
    for (const char* body : {R"({"model":"m","previous_response_id":"resp_1"})",
                             R"({"previous_response_id":"resp_1","model":"m","input":[]})"})
        EXPECT_EQ(continued(body)["input"].size(), 2u) << body;
}

TEST(KeptResponse, input_of_any_form_is_items) {
    EXPECT_EQ(input_items(R"( "a \"b\"" )"),
              R"([{"type":"message","role":"user","content":"a \"b\""}])");
    EXPECT_EQ(input_items("[1, 2]"), "[1, 2]");
    EXPECT_EQ(input_items(""), "[]");
    EXPECT_EQ(input_items("7"), "[]");
}

TEST(KeptResponse, the_last_response_of_a_stream_is_the_finished_one) {
    const std::string stream =
        "event: response.created\ndata: {\"response\":{\"id\":\"r\",\"status\":\"begun\"}}\n\n"
        "event: response.completed\ndata: {\"response\":{\"id\":\"r\",\"status\":\"over\"}}\n\n";
    EXPECT_EQ(finished_response(stream, true), R"({"id":"r","status":"over"})");
    EXPECT_EQ(finished_response("data: {\"type\":\"error\"}\n\n", true), std::nullopt);
    EXPECT_EQ(finished_response(R"({"id":"r"})", false), R"({"id":"r"})");
    EXPECT_EQ(response_id(R"({"id":"r"})"), "r");
    EXPECT_EQ(response_id(R"({"id":7})"), "");
    EXPECT_EQ(response_id("no JSON"), "");
    for (const char* broken : {R"({"a": "b": {"response": {}}})", R"({"response": {"id" "r"}})"})
        EXPECT_EQ(finished_response(concat("data: ", broken, "\n\n"), true), std::nullopt);
}

}  // namespace
}  // namespace brigada
