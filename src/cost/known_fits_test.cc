#include "cost/known_fits.h"

#include <gtest/gtest.h>

#include <set>

namespace brigada {
namespace {

TEST(KnownFits, are_of_known_accelerators_and_plausible) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const KnownFit& known : known_fits()) {
        SCOPED_TRACE(known.accelerator + " " + known.engine);
        const auto accelerator = find_accelerator(known.accelerator);
        ASSERT_TRUE(accelerator.ok());
        EXPECT_EQ(accelerator->name, known.accelerator);
        EXPECT_TRUE(seen.emplace(known.accelerator, known.engine).second);
        EXPECT_FALSE(known.fit.source.empty());
        for (const double share : {known.fit.mfu, known.fit.mbu, known.fit.link_efficiency}) {
            EXPECT_GT(share, 0.1);
            EXPECT_LE(share, 1.0);
        }
        EXPECT_LT(known.fit.step_s, 0.02);
        EXPECT_EQ(find_fit(*accelerator, known.engine), known.fit);
    }
    EXPECT_GE(seen.size(), 8u);
}

TEST(KnownFits, engines_go_by_any_spelling) {
    const Accelerator h100 = find_accelerator("h100 sxm 80gb").value();
    EXPECT_EQ(find_fit(h100, "tensorrt_llm"), find_fit(h100, "TensorRT-LLM"));
    EXPECT_EQ(find_fit(h100, "vllm"), find_fit(h100, "vLLM"));
}

TEST(KnownFits, what_was_not_measured_says_so) {
    Accelerator declared = find_accelerator("h100 sxm 80gb").value();
    declared.name = "X1";
    const EngineFit fit = find_fit(declared, "vLLM");
    EXPECT_EQ(fit.source, "datasheet and what vLLM usually reaches; not measured on X1");
    EXPECT_EQ(fit.mfu, 0.5);
    declared.bf16_flops /= 2;
    EXPECT_EQ(default_fit(declared, "vLLM").mfu, 0.75);  // few operations for its bandwidth
}

}  // namespace
}  // namespace brigada
