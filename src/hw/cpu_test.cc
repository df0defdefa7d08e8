#include "hw/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr CpuFeatures kEverything{~0u, ~0u, ~0u, ~0u, ~uint64_t{0}};

TEST(Isa, portable_needs_nothing) {
    EXPECT_THAT(missing_features(Isa::portable, CpuFeatures{}), IsEmpty());
    for (Isa isa : kAllIsas)
        EXPECT_THAT(missing_features(isa, kEverything), IsEmpty());
}

TEST(Isa, names_each_missing_feature) {
    CpuFeatures no_vnni = kEverything;
    no_vnni.leaf7_ecx &= ~(1u << 11);
    EXPECT_THAT(missing_features(Isa::avx512, no_vnni), ElementsAre("avx512vnni"));
    EXPECT_THAT(missing_features(Isa::avx2, no_vnni), IsEmpty());
    CpuFeatures no_fma = kEverything;
    no_fma.leaf1_ecx &= ~(1u << 12);
    EXPECT_THAT(missing_features(Isa::avx2, no_fma), ElementsAre("fma"));
    EXPECT_THAT(missing_features(Isa::avx512, no_fma), ElementsAre("fma"));
}

TEST(Isa, counts_a_feature_only_when_the_system_saves_its_registers) {
    CpuFeatures ymm_only = kEverything;
    ymm_only.xcr0 = 0x7;
    EXPECT_THAT(missing_features(Isa::avx2, ymm_only), IsEmpty());
    EXPECT_THAT(missing_features(Isa::avx512, ymm_only),
                ElementsAre("AVX-512 registers saved by the operating system"));
    CpuFeatures none = kEverything;
    none.xcr0 = 0x3;
    EXPECT_EQ(missing_features(Isa::avx2, none).size(), 1u);
}

TEST(Isa, agrees_with_the_compiler_about_this_machine) {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    const bool avx512 =
        avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16") &&
        __builtin_cpu_supports("avx512vbmi");
    EXPECT_EQ(best_isa() >= Isa::avx2, avx2);
    EXPECT_EQ(best_isa() == Isa::avx512, avx512);
}

TEST(Isa, is_read_from_its_name_or_auto) {
    EXPECT_EQ(parse_isa("auto").value(), best_isa());
    for (Isa isa : kAllIsas) {
        const Result<Isa> parsed = parse_isa(to_string(isa));
        if (isa <= best_isa()) {
            EXPECT_EQ(parsed.value(), isa);
        } else {
            EXPECT_EQ(parsed.error().code, Code::unsupported);
            EXPECT_THAT(parsed.error().message, HasSubstr("avx512"));
            EXPECT_THAT(parsed.error().message, HasSubstr("it runs portable"));
        }
    }
    for (std::string_view word : {"", "AVX2", "avx", "avx512 "}) {
        const Result<Isa> parsed = parse_isa(word);
        ASSERT_FALSE(parsed.ok()) << word;
        EXPECT_EQ(parsed.error().code, Code::invalid_argument);
        EXPECT_THAT(parsed.error().message, HasSubstr("portable"));
    }
}

TEST(CpuFacts, are_plausible_on_this_machine) {
    const CpuFacts facts = read_cpu_facts();
    EXPECT_FALSE(facts.model_name.empty());
    EXPECT_GE(facts.cores, 1u);
    EXPECT_GT(facts.memory_bytes, uint64_t{64} << 20);
    EXPECT_GT(facts.available_bytes, 0u);
    EXPECT_LE(facts.available_bytes, facts.memory_bytes);
}

}  // namespace
}  // namespace brigada
