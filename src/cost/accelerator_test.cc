#include "cost/accelerator.h"

#include <gtest/gtest.h>

namespace brigada {

namespace {

TEST(Accelerator, the_catalogue_has_dense_figures_in_plain_units) {
    EXPECT_EQ(known_accelerators().size(), 25u + 5);
    const auto h100 = find_accelerator("H100 SXM 80GB");
    ASSERT_TRUE(h100.ok());
    EXPECT_NEAR(static_cast<double>(h100->memory_bytes) / (1 << 30), 79.18, 1e-6);
    EXPECT_DOUBLE_EQ(h100->memory_bytes_per_s, 3350e9);
    EXPECT_DOUBLE_EQ(h100->bf16_flops, 989e12);  // 1,979 is the sparse figure
    EXPECT_DOUBLE_EQ(h100->fp8_flops, 1979e12);
    EXPECT_DOUBLE_EQ(h100->link_bytes_per_s, 450e9);
    EXPECT_EQ(h100->link_domain, 8u);
    EXPECT_DOUBLE_EQ(h100->scale_out_bytes_per_s, 50e9);
    EXPECT_DOUBLE_EQ(h100->dollars_per_hour_low, 1.30);
    for (const Accelerator& each : known_accelerators()) {
        EXPECT_GT(each.memory_bytes, 0u) << each.name;
        EXPECT_GT(each.memory_bytes_per_s, 0) << each.name;
        EXPECT_GT(each.bf16_flops, 0) << each.name;
        EXPECT_LE(each.dollars_per_hour_low, each.dollars_per_hour_high) << each.name;
    }
}

TEST(Accelerator, names_are_found_as_people_type_them) {
    const auto name = [](const char* typed) {
        const auto found = find_accelerator(typed);
        return found.ok() ? found->name : found.error().message;
    };
    EXPECT_EQ(name("h100"), "H100 SXM 80GB");
    EXPECT_EQ(name("H100-PCIe"), "H100 PCIe 80GB");
    EXPECT_EQ(name("h100 nvl"), "H100 NVL 94GB");
    EXPECT_EQ(name("rtx-4090"), "RTX 4090");
    EXPECT_EQ(name("4090"), "RTX 4090");
    EXPECT_EQ(name("rtx_pro_6000"), "RTX PRO 6000 Blackwell (600W)");
    EXPECT_EQ(name("a100"), "A100 SXM 80GB");
    EXPECT_EQ(name("h200"), "H200 SXM");
    EXPECT_EQ(name("mi300x"), "MI300X");
    EXPECT_EQ(name("1g.10gb"), "H100 MIG 1g.10gb");
    EXPECT_EQ(name("rtx 4900"),
              "no accelerator is called \"rtx 4900\"; the nearest are RTX 4090, RTX 3090, RTX "
              "5090; another can be declared by its datasheet");
    EXPECT_EQ(name("gb"),
              "\"gb\" may be A100 SXM 40GB, A100 SXM 80GB, A100 PCIe 80GB, H100 PCIe 80GB, H100 "
              "SXM 80GB, H100 NVL 94GB, GB200 NVL72, GB300 NVL72, H100 MIG 1g.10gb, H100 MIG "
              "1g.20gb, H100 MIG 2g.20gb, H100 MIG 3g.40gb, H100 MIG 7g.80gb; name one of them");
    EXPECT_FALSE(find_accelerator("").ok());
}

/// Row 25 of the worked examples.
TEST(Accelerator, mig_slices_have_their_share_and_no_links) {
    const Accelerator whole = *find_accelerator("h100");
    struct Row {
        const char* profile;
        double card;  // slices
        double least_compute, bandwidth, memory_gib;
    };
    for (const Row& row :
         {Row{"1g.10gb", 7, 0.12, 1.0 / 8, 9.75}, Row{"1g.20gb", 4, 0.19, 2.0 / 8, 19.62},
          Row{"2g.20gb", 3, 0.24, 2.0 / 8, 19.62}, Row{"3g.40gb", 2, 0.45, 4.0 / 8, 39.5},
          Row{"7g.80gb", 1, 1, 1, 79.18}}) {
        const auto slice = find_accelerator(std::string("H100 MIG ") + row.profile);
        ASSERT_TRUE(slice.ok()) << row.profile;
        EXPECT_TRUE(slice->is_slice);
        EXPECT_EQ(slice->link_bytes_per_s, 0);
        EXPECT_EQ(slice->link_domain, 1u);
        EXPECT_GE(slice->bf16_flops, row.least_compute * whole.bf16_flops);
        EXPECT_LE(slice->bf16_flops * row.card, whole.bf16_flops * 1.0001);
        EXPECT_DOUBLE_EQ(slice->memory_bytes_per_s, whole.memory_bytes_per_s * row.bandwidth);
        EXPECT_NEAR(static_cast<double>(slice->memory_bytes) / (1 << 30), row.memory_gib, 1e-6);
        EXPECT_DOUBLE_EQ(slice->dollars_per_hour_low * row.card, whole.dollars_per_hour_low);
    }
}

Json declared() {
    return {{"name", "Mine"}, {"memory_gib", 32}, {"bandwidth_gb_s", 900}, {"bf16_tflops", 120}};
}

TEST(Accelerator, a_declared_row_needs_four_figures) {
    const auto mine = accelerator_from_json(declared());
    ASSERT_TRUE(mine.ok()) << mine.error().message;
    EXPECT_EQ(mine->name, "Mine");
    EXPECT_EQ(mine->memory_bytes, 32ull << 30);
    EXPECT_DOUBLE_EQ(mine->memory_bytes_per_s, 900e9);
    EXPECT_EQ(mine->link_domain, 1u);
    Json more = declared();
    more.update({{"link_gb_s", 32}, {"link_domain", 4}, {"dollars_per_hour", 0.5}});
    const auto linked = accelerator_from_json(more);
    ASSERT_TRUE(linked.ok());
    EXPECT_DOUBLE_EQ(linked->link_bytes_per_s, 32e9);
    EXPECT_EQ(linked->link_domain, 4u);
    EXPECT_DOUBLE_EQ(linked->dollars_per_hour_low, 0.5);
    EXPECT_DOUBLE_EQ(linked->dollars_per_hour_high, 0.5);
}

TEST(Accelerator, errors_of_a_declared_row_name_the_field) {
    const auto with = [](const char* key, const Json& value) {
        Json row = declared();
        row[key] = value;
        const auto out = accelerator_from_json(row);
        return out.ok() ? "read" : out.error().message;
    };
    EXPECT_EQ(with("memory_gib", 0),
              "accelerator: memory_gib is \"0\"; a number above 0 is needed");
    EXPECT_EQ(with("bf16_tflops", "many"),
              "accelerator: bf16_tflops is \"\\\"many\\\"\"; a number is needed");
    EXPECT_EQ(with("link_domain", 1.5),
              "accelerator: link_domain is \"1.5\"; how many are linked is needed");
    EXPECT_EQ(with("watts", -1), "accelerator: watts is \"-1\"; a number of 0 or more is needed");
    EXPECT_NE(with("memory_gb", 80).find("\"memory_gb\" is not known; known are name, memory_gib"),
              std::string::npos);
    EXPECT_FALSE(accelerator_from_json(Json::array()).ok());
}

}  // namespace

}  // namespace brigada
