#include "cost/collective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/file.h"

namespace brigada {
namespace {

struct Measured {
    double bytes = 0, seconds = 0;
};

/// Medians of testdata/calibration/allreduce_measured.csv by "topology ranks".
std::map<std::string, std::vector<Measured>> measured() {
    const std::string text =
        read_file(Path(BRIGADA_TESTDATA) / "calibration/allreduce_measured.csv", 1 << 20).value();
    std::map<std::string, std::vector<Measured>> out;
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string topology, ranks, per_node, bytes, median;
        for (std::string* field : {&topology, &ranks, &per_node, &bytes, &median})
            std::getline(fields, *field, ',');
        out[topology + " " + ranks].push_back({std::stod(bytes), std::stod(median) * 1e-6});
    }
    return out;
}

double seconds(const CollectiveTime& time, double bytes) {
    return time.start_s + time.per_byte_s * bytes;
}

/// The formula with the bandwidth that the largest message had, against the messages of 4 MiB and
/// more; below, measured medians jump between two values and say little.
TEST(Collective, a_ring_explains_large_all_reduces) {
    const std::map<std::string, uint32_t> ranks = {{"h100_dgx 2", 2},
                                                   {"h100_dgx 4", 4},
                                                   {"h100_dgx 8", 8},
                                                   {"a100_dgx 2", 2},
                                                   {"a100_dgx 4", 4},
                                                   {"a100_dgx 8", 8},
                                                   {"a100_pairwise_nvlink 4", 4},
                                                   {"h100_pairwise_nvlink 4", 4}};
    const auto table = measured();
    for (const auto& [name, n] : ranks) {
        const std::vector<Measured>& rows = table.at(name);
        const CollectiveTime unit = all_reduce(n, 1);
        const Measured& largest = rows.back();
        const double bandwidth = unit.per_byte_s * largest.bytes / (largest.seconds - unit.start_s);
        for (const Measured& row : rows) {
            if (row.bytes < 4e6) continue;
            const double predicted = seconds(all_reduce(n, bandwidth), row.bytes);
            EXPECT_NEAR(predicted / row.seconds, 1, 0.55)
                << name << ", " << row.bytes << " bytes: " << predicted << " s";
            if (row.bytes >= 16e6) {  // A100, 8 ranks: a third
                EXPECT_NEAR(predicted / row.seconds, 1, 0.35) << name << " " << row.bytes;
            }
        }
    }
}

/// What the defaults of EngineFit rest on: the share of the link that large messages reach.
TEST(Collective, measured_links_reach_half_and_more) {
    const auto table = measured();
    const auto reached = [&](const std::string& name, uint32_t n, double link) {
        const Measured& largest = table.at(name).back();
        return all_reduce(n, 1).per_byte_s * largest.bytes / largest.seconds / link;
    };
    EXPECT_NEAR(reached("h100_dgx 8", 8, 450e9), 0.81, 0.01);
    EXPECT_NEAR(reached("a100_dgx 8", 8, 300e9), 0.58, 0.01);
    EXPECT_NEAR(reached("h100_pairwise_nvlink 4", 4, 64e9), 0.76, 0.01);  // over PCIe
}

TEST(Collective, alone_there_is_nothing_to_do) {
    EXPECT_EQ(all_reduce(1, 0).start_s, 0);
    EXPECT_EQ(exchange(1, 0).per_byte_s, 0);
}

}  // namespace
}  // namespace brigada
