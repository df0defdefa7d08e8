// Requests and what they are in the other dialects, as testdata/dialect has them.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

/// The bodies are compared as values: the order of fields is free.
using Value = nlohmann::json;

std::vector<std::filesystem::path> cases() {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(BRIGADA_TESTDATA "/dialect"))
        if (entry.path().extension() == ".json") out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

class Golden : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, is_what_is_written) {
    const auto text = read_file(GetParam(), 1'000'000);
    ASSERT_TRUE(text.ok());
    const Json golden = Json::parse(*text);
    const std::string body = padded(golden.at("request").dump());
    for (const Dialect from : {Dialect::chat, Dialect::messages, Dialect::responses}) {
        if (to_string(from) != golden.at("from").get<std::string>()) continue;
        for (const Dialect to : {Dialect::chat, Dialect::messages, Dialect::responses}) {
            const std::string name(to_string(to));
            if (!golden.contains(name)) continue;
            SCOPED_TRACE(name);
            const auto conversation = read_conversation(body, from);
            ASSERT_TRUE(conversation.ok()) << conversation.error().message;
            const auto written = write_conversation(*conversation, to, "upstream");
            ASSERT_TRUE(written.ok()) << written.error().message;
            const Value wanted = Value::parse(golden.at(name).dump());
            EXPECT_EQ(Value::diff(wanted, Value::parse(written->body)), Value::array());
            EXPECT_EQ(Json(written->dropped), golden["dropped"].value(name, Json::array()));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dialects, Golden, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace brigada
