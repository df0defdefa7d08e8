#include "gateway/directory/recent_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/concat.h"
#include "base/rng.h"

namespace brigada {
namespace {

TEST(RecentNames, forgets_who_was_away_the_longest) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const size_t most = 1 + rng.below(5);
        RecentNames names(most);
        std::vector<RecentNames::Name> model;  // the last one first
        for (int i = 0; i < 200; ++i) {
            const RecentNames::Name name{concat("team:", rng.below(2)), concat(rng.below(5))};
            std::erase(model, name);
            model.insert(model.begin(), name);
            std::optional<RecentNames::Name> gone;
            if (model.size() > most) {
                gone = model.back();
                model.pop_back();
            }
            ASSERT_EQ(names.use(name), gone);
            ASSERT_EQ(names.size(), model.size());
        }
    }
}

}  // namespace
}  // namespace brigada
