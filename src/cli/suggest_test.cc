#include "cli/suggest.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

TEST(Closest, finds_a_slip_and_leaves_other_words_alone) {
    const std::vector<std::string> known{"serve", "model", "version"};
    EXPECT_EQ(closest("sevre", known), "serve");
    EXPECT_EQ(closest("models", known), "model");
    EXPECT_EQ(closest("verison", known), "version");
    EXPECT_EQ(closest("frobnicate", known), std::nullopt);
    EXPECT_EQ(closest("x", {}), std::nullopt);
    EXPECT_EQ(closest("--prot", {"--port", "--host"}), "--port");
}

}  // namespace
}  // namespace brigada
