#include "net/record_runs.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace brigada {
namespace {

std::vector<iovec> as_pieces(const std::vector<std::string>& texts) {
    std::vector<iovec> out;
    for (const std::string& text : texts)
        out.push_back({const_cast<char*>(text.data()), text.size()});
    return out;
}

bool lies_in(std::string_view run, const std::string& text) {
    return run.data() >= text.data() && run.data() + run.size() <= text.data() + text.size();
}

TEST(RecordRuns, gives_every_byte_once_in_whole_records) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        std::vector<std::string> texts(rng.below(8));
        std::string all;
        for (std::string& text : texts) {
            const size_t most = rng.below(2) == 0 ? 50 : 100'000;
            for (size_t size = rng.below(most); text.size() < size;)
                text += static_cast<char>(rng.below(256));
            all += text;
        }
        const std::vector<iovec> pieces = as_pieces(texts);
        RecordRuns runs(pieces);
        std::string got;
        for (std::string_view run = runs.next(); !run.empty(); run = runs.next()) {
            ASSERT_TRUE(got.size() % kRecordBytes == 0) << "an unfinished record was not the last";
            ASSERT_LE(run.size(), kRunBytes);
            got += run;
        }
        ASSERT_EQ(got, all);
        ASSERT_TRUE(runs.next().empty());
    }
}

TEST(RecordRuns, copies_one_record_of_a_spliced_body) {
    const std::vector<std::string> texts = {std::string(300, 'h'), "{\"model\":", "\"m\"",
                                            std::string(400'000, 'x')};
    const std::vector<iovec> pieces = as_pieces(texts);
    RecordRuns runs(pieces);
    EXPECT_FALSE(lies_in(runs.next(), texts.back()));
    for (std::string_view run = runs.next(); !run.empty(); run = runs.next())
        EXPECT_TRUE(lies_in(run, texts.back()));
}

}  // namespace
}  // namespace brigada
