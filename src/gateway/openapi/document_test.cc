#include "gateway/openapi/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gateway/front_desk.h"
#include "gateway/openapi/schemas.h"

namespace brigada {
namespace {

TEST(MatchPath, takes_one_segment_in_the_middle_and_all_the_rest_at_the_end) {
    EXPECT_EQ(match_path("/a", "/a"), "");
    EXPECT_EQ(match_path("/a", "/a/"), std::nullopt);
    EXPECT_EQ(match_path("/key/{key}/regenerate", "/key/x/regenerate"), "x");
    EXPECT_EQ(match_path("/key/{key}/regenerate", "/key/x/y/regenerate"), std::nullopt);
    EXPECT_EQ(match_path("/key/{key}/regenerate", "/key//regenerate"), std::nullopt);
    EXPECT_EQ(match_path("/sessions/{session}", "/sessions/a/b"), "a/b");
    EXPECT_EQ(match_path("/sessions/{session}", "/sessions/"), std::nullopt);
}

TEST(OpenapiDocument, has_each_route_once_with_a_name_of_its_own) {
    const auto routes = documented_gateway_routes();
    const Json document = openapi_document(routes);
    size_t operations = 0;
    std::set<std::string> ids;
    for (const auto& [path, methods] : document["paths"].items())
        for (const auto& [method, operation] : methods.items()) {
            ++operations;
            ids.insert(operation["operationId"]);
            EXPECT_NE(operation["summary"], "") << path;
            EXPECT_TRUE(operation["responses"].contains("default")) << path;
        }
    EXPECT_EQ(operations, routes.size());
    EXPECT_EQ(ids.size(), routes.size());
    EXPECT_EQ(document["paths"]["/key/{key}/regenerate"]["post"]["operationId"],
              "postKeyKeyRegenerate");
    EXPECT_EQ(document["paths"]["/key/{key}/regenerate"]["post"]["parameters"][0]["in"], "path");
}

TEST(OpenapiDocument, a_field_may_be_null_unless_it_must_be_there) {
    const Json schemas = openapi_document({})["components"]["schemas"];
    EXPECT_EQ(schemas["Allowance"]["properties"]["rpm_limit"]["type"],
              Json::array({"integer", "null"}));
    EXPECT_EQ(schemas["KeyName"]["properties"]["key"]["type"], "string");
    EXPECT_EQ(schemas["KeyName"]["required"], Json::array({"key"}));
    EXPECT_EQ(schemas["Allowance"]["properties"]["budget_enforcement"]["enum"],
              Json::array({"hard", "showback", nullptr}));
    EXPECT_EQ(schemas["TeamList"]["items"]["$ref"], "#/components/schemas/Team");
}

/// Names in use, so that no schema is left behind when its route goes.
TEST(OpenapiDocument, every_schema_is_used) {
    const Json document = openapi_document(documented_gateway_routes());
    const std::string text = dump_json(document);
    for (const SchemaDoc& schema : schema_docs()) {
        const bool is_told_in_words = schema.name == "SpendDay" || schema.name == "SpendLog";
        EXPECT_TRUE(is_told_in_words ||
                    text.contains(concat("#/components/schemas/", schema.name, "\"")))
            << schema.name;
    }
}

}  // namespace
}  // namespace brigada
