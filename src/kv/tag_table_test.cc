#include "kv/tag_table.h"

#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(TagTable, finds_what_a_map_finds) {
    for (const size_t most : {1u, 2u, 7u, 100u}) {
        Rng rng(most);
        TagTable table;
        std::map<uint32_t, uint64_t> hashes;  // number -> hash
        for (int i = 0; i < 5'000; ++i) {
            const auto number = static_cast<uint32_t>(rng.below(2 * most));
            const auto there = hashes.find(number);
            if (there != hashes.end()) {
                table.remove(there->second, number);
                hashes.erase(there);
            } else if (hashes.size() < most) {
                hashes[number] = rng.below(8) << 61;  // eight tags: many share one
                table.add(hashes[number], number);
            }
            ASSERT_EQ(table.size(), hashes.size());
            for (const auto& [wanted, hash] : hashes)
                ASSERT_EQ(table.find(hash, [&](uint32_t n) { return n == wanted; }), wanted);
            ASSERT_EQ(table.find(rng.below(8) << 61, [](uint32_t) { return false; }),
                      TagTable::kNone);
        }
    }
}

TEST(TagTable, has_a_number_under_several_hashes) {
    TagTable table;
    for (uint64_t hash = 0; hash < 50; ++hash)
        table.add(hash << 58, 7);
    for (uint64_t hash = 0; hash < 50; hash += 2)
        table.remove(hash << 58, 7);
    const auto is_it = [](uint32_t number) { return number == 7; };
    for (uint64_t hash = 0; hash < 50; ++hash)
        EXPECT_EQ(table.find(hash << 58, is_it), hash % 2 == 1 ? 7 : TagTable::kNone) << hash;
}

}  // namespace
}  // namespace brigada
