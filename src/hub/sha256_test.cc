#include "hub/sha256.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "hub/scratch_folder.h"

namespace brigada {
namespace {

// The examples of FIPS 180-2, appendix B.
constexpr std::string_view kOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kOfMillionA =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, sums_the_standards_examples) {
    Sha256 sum;
    sum.update("abc");
    EXPECT_EQ(sum.hex(), kOfAbc);

    const std::string million(1'000'000, 'a');
    Sha256 pieces;
    Rng rng(1);
    for (size_t done = 0; done < million.size();) {
        const size_t n = std::min<size_t>(million.size() - done, rng.below(5000));
        pieces.update(std::string_view(million).substr(done, n));
        done += n;
    }
    EXPECT_EQ(pieces.hex(), kOfMillionA);
}

TEST(Sha256, goes_on_after_it_was_read) {
    Sha256 sum;
    sum.update("a");
    EXPECT_NE(sum.hex(), kOfAbc);
    sum.update("bc");
    EXPECT_EQ(sum.hex(), kOfAbc);
}

TEST(Sha256, of_a_file) {
    const ScratchFolder scratch;
    EXPECT_EQ(sha256_of_file(scratch.write("abc", "abc")).value(), kOfAbc);
    EXPECT_EQ(sha256_of_file(scratch.path() / "absent").error().code, Code::not_found);
}

}  // namespace
}  // namespace brigada
