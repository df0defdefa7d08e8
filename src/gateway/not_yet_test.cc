#include "gateway/not_yet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(NotYet, says_nothing_of_a_plain_configuration) {
    GatewayConfig config;
    config.deployments.push_back(
        {.id = "a", .model_name = "m", .address = UpstreamAddress{.host = "engine"}});
    EXPECT_THAT(not_yet(config), ElementsAre());
}

TEST(NotYet, names_what_is_asked_for_and_what_happens_instead) {
    GatewayConfig config;
    config.router.affinity.by_key = true;
    config.cache.enabled = true;
    config.cache.store = CacheSettings::Store::redis;
    const auto lines = not_yet(config);
    EXPECT_THAT(lines, ElementsAre(HasSubstr("sessions are bound as always"),
                                   HasSubstr("in the memory of this process")));
}

}  // namespace
}  // namespace brigada
