#include "gateway/answer_cache.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace brigada {
namespace {

AnswerKey key(uint8_t n) {
    AnswerKey out;
    out.bytes[0] = n;
    return out;
}

AnswerRef answer(std::string body) {
    return std::make_shared<CachedAnswer>(CachedAnswer{.body = std::move(body)});
}

Instant at(int64_t seconds) {
    return Instant() + Duration::seconds(seconds);
}

TEST(AnswerCache, keeps_an_answer_for_its_time) {
    AnswerCache cache(1 << 20);
    cache.put("red", key(1), answer("one"), Duration::seconds(10), at(0));
    ASSERT_NE(cache.find("red", key(1), {}, at(9)), nullptr);
    EXPECT_EQ(cache.find("red", key(1), {}, at(9))->body, "one");
    EXPECT_EQ(cache.find("red", key(1), Duration::seconds(8), at(9)), nullptr);  // too old for it
    EXPECT_NE(cache.find("red", key(1), Duration::seconds(9), at(9)), nullptr);
    EXPECT_EQ(cache.find("red", key(1), {}, at(10)), nullptr);
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_EQ(cache.tenants(), 0u);
    cache.check();
}

TEST(AnswerCache, forgets_one_answer_or_all) {
    AnswerCache cache(1 << 20);
    for (uint8_t n = 1; n <= 3; ++n)
        cache.put(n == 3 ? "blue" : "red", key(n), answer("x"), {}, at(0));
    EXPECT_TRUE(cache.erase(*AnswerKey::from_hex(key(1).hex())));
    EXPECT_FALSE(cache.erase(key(1)));
    EXPECT_EQ(cache.find("red", key(1), {}, at(0)), nullptr);
    EXPECT_NE(cache.find("red", key(2), {}, at(0)), nullptr);
    cache.check();
    cache.clear();
    EXPECT_EQ(cache.size() + cache.bytes() + cache.tenants(), 0u);
    cache.check();
    for (const std::string& none :
         {std::string(64, 'g'), std::string(63, '0'), std::string(), std::string(65, '0')})
        EXPECT_FALSE(AnswerKey::from_hex(none)) << none;
}

TEST(AnswerCache, gives_nobody_what_another_asked) {
    AnswerCache cache(1 << 20);
    cache.put("red", key(1), answer("one"), {}, at(0));
    EXPECT_EQ(cache.find("blue", key(1), {}, at(0)), nullptr);
    EXPECT_NE(cache.find("red", key(1), {}, at(1'000'000)), nullptr);  // without a time: for ever
}

TEST(AnswerCache, who_fills_it_pushes_out_only_its_own) {
    AnswerCache cache(64 << 10);
    cache.put("small", key(255), answer("keep me"), {}, at(0));
    for (uint8_t n = 0; n < 100; ++n)
        cache.put("large", key(n), answer(std::string(4'000, 'x')), {}, at(n));
    EXPECT_NE(cache.find("small", key(255), {}, at(100)), nullptr);
    EXPECT_EQ(cache.find("large", key(0), {}, at(100)), nullptr);
    EXPECT_NE(cache.find("large", key(99), {}, at(100)), nullptr);
    cache.check();
}

TEST(AnswerCache, does_not_keep_what_is_too_large_or_over_at_once) {
    AnswerCache cache(64 << 10);
    cache.put("red", key(1), answer(std::string(cache.largest() + 1, 'x')), {}, at(0));
    cache.put("red", key(2), answer("x"), Duration(), at(0));
    EXPECT_EQ(cache.size(), 0u);
}

/// Every answer that was ever put, newest use last, without any structure.
class Naive {
  public:
    explicit Naive(size_t max_bytes) : max_bytes_(max_bytes) {}

    const std::string* find(const std::string& tenant, uint8_t n, Instant now) {
        for (auto& kept : kept_)
            if (kept.tenant == tenant && kept.n == n && now < kept.expires) {
                std::rotate(&kept, &kept + 1, kept_.data() + kept_.size());
                return &kept_.back().body;
            }
        return nullptr;
    }

    void put(const std::string& tenant, uint8_t n, std::string body, Instant expires, Instant now) {
        std::erase_if(kept_, [&](const Kept& kept) { return kept.n == n || kept.expires <= now; });
        kept_.push_back({tenant, n, std::move(body), expires});
        while (bytes("") > max_bytes_)
            erase_oldest(largest());
    }

  private:
    struct Kept {
        std::string tenant;
        uint8_t n;
        std::string body;
        Instant expires;
    };

    size_t bytes(const std::string& tenant) const {
        size_t out = 0;
        for (const Kept& kept : kept_)
            if (tenant.empty() || kept.tenant == tenant) out += 512 + kept.body.size();
        return out;
    }

    std::string largest() const {
        std::string out;
        size_t most = 0;
        for (const Kept& kept : kept_) {
            const size_t its = bytes(kept.tenant);
            if (std::pair(its, kept.tenant) > std::pair(most, out)) {
                most = its;
                out = kept.tenant;
            }
        }
        return out;
    }

    void erase_oldest(const std::string& tenant) {
        kept_.erase(std::ranges::find(kept_, tenant, &Kept::tenant));
    }

    size_t max_bytes_;
    std::vector<Kept> kept_;
};

TEST(AnswerCache, keeps_what_remembering_everything_keeps) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        constexpr size_t kBytes = 16'000;
        AnswerCache cache(kBytes);
        Naive naive(kBytes);
        int64_t now = 0;
        for (int i = 0; i < 300; ++i) {
            now += rng.between(0, 3);
            const auto n = static_cast<uint8_t>(rng.below(24));
            const std::string tenant(1, static_cast<char>('a' + n % 3));
            if (rng.chance(0.5)) {
                const std::string body(rng.below(1'400), 'x');
                const Duration ttl = Duration::seconds(rng.between(1, 60));
                cache.put(tenant, key(n), answer(body), ttl, at(now));
                naive.put(tenant, n, body, at(now) + ttl, at(now));
            } else {
                const AnswerRef found = cache.find(tenant, key(n), {}, at(now));
                const std::string* expected = naive.find(tenant, n, at(now));
                ASSERT_EQ(found != nullptr, expected != nullptr) << i;
                if (found) ASSERT_EQ(found->body, *expected);
            }
            cache.check();
        }
    }
}

}  // namespace
}  // namespace brigada
