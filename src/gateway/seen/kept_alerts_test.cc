#include "gateway/seen/kept_alerts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/concat.h"

namespace brigada {
namespace {

class KeptAlertsTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "kept_alerts_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    Path file() const { return folder_ / "alerts"; }

    std::unique_ptr<KeptAlerts> open() {
        auto out =
            KeptAlerts::open(file(), [this](const std::string& why) { trouble_.push_back(why); });
        CHECK(out.ok(), out.error().message);
        return *std::move(out);
    }

    Path folder_;
    std::vector<std::string> trouble_;  // read after stop()
};

WaitingAlert alert(int n) {
    return {concat("id-", n), "upstream_down", "words\nof two lines", concat("{\"n\":", n, "}")};
}

TEST_F(KeptAlertsTest, leaves_to_the_next_process_what_was_not_taken) {
    {
        const auto kept = open();
        EXPECT_TRUE(kept->take_left().empty());
        for (int n = 1; n <= 4; ++n)
            kept->add(alert(n));
        kept->taken("id-3");
        kept->taken("id-1");
    }
    for (int i = 0; i < 2; ++i)  // reading them takes none away
        EXPECT_EQ(open()->take_left(), (std::vector{alert(2), alert(4)}));
    {
        const auto kept = open();
        kept->taken("id-2");
        kept->taken("id-4");
    }
    EXPECT_TRUE(open()->take_left().empty());
    EXPECT_EQ(std::filesystem::file_size(file()), 0u);
}

TEST_F(KeptAlertsTest, passes_over_what_a_crash_cut_short) {
    {
        const auto kept = open();
        kept->add(alert(1));
        kept->add(alert(2));
    }
    std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 5);
    EXPECT_EQ(open()->take_left(), std::vector{alert(1)});
}

TEST_F(KeptAlertsTest, keeps_the_latest_of_too_many) {
    constexpr auto kMost = static_cast<int>(KeptAlerts::kMostLeft);
    {
        const auto kept = open();
        for (int n = 0; n < kMost + 3; ++n)
            kept->add(alert(n));
    }
    const auto left = open()->take_left();
    ASSERT_EQ(left.size(), KeptAlerts::kMostLeft);
    EXPECT_EQ(left.front(), alert(3));
}

TEST_F(KeptAlertsTest, says_what_it_cannot_write) {
    const auto kept = open();
    std::filesystem::remove(file());
    std::filesystem::create_directory(file());
    kept->add(alert(1));
    kept->stop();
    ASSERT_EQ(trouble_.size(), 1u);
    EXPECT_EQ(trouble_[0], concat(file().string(), ": can't write the alerts that wait"));
    EXPECT_FALSE(KeptAlerts::open(folder_ / "none" / "alerts", {}).ok());
}

}  // namespace
}  // namespace brigada
