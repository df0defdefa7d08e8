#include "hub/reference.h"

#include <gtest/gtest.h>

#include "hub/scratch_folder.h"

namespace brigada {
namespace {

HubReference hub(std::string_view text) {
    const auto reference = parse_model_reference(text);
    EXPECT_TRUE(reference.ok()) << text;
    return reference ? std::get<HubReference>(*reference) : HubReference{};
}

TEST(ModelReference, knows_the_catalogue_in_any_case) {
    for (const char* name : {"smollm2", "SmolLM2"})
        EXPECT_EQ(std::get<const CatalogueModel*>(parse_model_reference(name).value()),
                  find_in_catalogue("smollm2"));
}

TEST(ModelReference, reads_the_forms_of_a_hub) {
    EXPECT_EQ(hub("org/repo"), (HubReference{"org/repo", "main", ""}));
    EXPECT_EQ(hub("hf:org/repo"), (HubReference{"org/repo", "main", ""}));
    EXPECT_EQ(hub("hf:org/repo/a.gguf"), (HubReference{"org/repo", "main", "a.gguf"}));
    EXPECT_EQ(hub("org/repo@v1.0/q4/a.gguf"), (HubReference{"org/repo", "v1.0", "q4/a.gguf"}));
}

TEST(ModelReference, takes_what_exists_for_a_path) {
    const ScratchFolder scratch;
    const Path file = scratch.write("model.gguf", "");
    EXPECT_EQ(std::get<Path>(parse_model_reference(file.string()).value()), file);
    EXPECT_EQ(std::get<Path>(parse_model_reference("./no.gguf").value()), Path("./no.gguf"));
    EXPECT_EQ(std::get<Path>(parse_model_reference("no.gguf").value()), Path("no.gguf"));
    const ScopedEnvironment home("HOME", "/somewhere");
    EXPECT_EQ(std::get<Path>(parse_model_reference("~/m.gguf").value()), Path("/somewhere/m.gguf"));
}

TEST(ModelReference, never_names_a_place_outside_the_cache) {
    for (const char* text :
         {"org/..", "hf:../x", "hf:a/b/../../../c", "org/repo@../x", "hf:org//x", "hf:org/repo/",
          "hf:org/a b", "hf:org", "org/re\npo", "hf:/etc/passwd", "org/repo@/x", "org\\x/y"})
        EXPECT_EQ(parse_model_reference(text).error().code, Code::invalid_argument) << text;
    EXPECT_FALSE(parse_model_reference(std::string(600, 'a')).ok());
    EXPECT_FALSE(parse_model_reference("hf:org/" + std::string(250, 'a')).ok());
    EXPECT_FALSE(parse_model_reference("").ok());
}

TEST(ModelReference, says_what_would_have_been_a_name) {
    const auto unknown = parse_model_reference("smolm");
    EXPECT_EQ(unknown.error().code, Code::not_found);
    EXPECT_NE(unknown.error().message.find("smollm2"), std::string::npos);
}

TEST(ModelReference, keys_differ_where_models_do) {
    EXPECT_EQ(cache_key(hub("org/repo")), "org/repo");
    EXPECT_EQ(cache_key(hub("org/repo@v2")), "org/repo@v2");
    EXPECT_EQ(cache_key(hub("org/repo/a.gguf")), "org/repo/a.gguf");
    EXPECT_EQ(cache_key(*find_in_catalogue("smollm2")), "smollm2");
}

TEST(Catalogue, every_entry_is_complete) {
    for (const CatalogueModel& model : catalogue()) {
        SCOPED_TRACE(model.name);
        EXPECT_TRUE(is_safe_relative_path(model.file));
        EXPECT_EQ(model.sha256.size(), 64u);
        EXPECT_EQ(model.sha256.find_first_not_of("0123456789abcdef"), std::string_view::npos);
        EXPECT_GT(model.bytes, 0u);
        EXPECT_FALSE(model.licence.empty());
        EXPECT_EQ(hub(model.hub_repo).repo, model.hub_repo);
        EXPECT_EQ(find_in_catalogue(model.name), &model);
    }
}

}  // namespace
}  // namespace brigada
