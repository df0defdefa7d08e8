#include "gateway/nesting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/rng.h"
#include "gateway/raw_json.h"
#include "net/http.h"

namespace brigada {
namespace {

Json random_value(Rng& rng, int deepest) {
    static const char* const kTexts[] = {"", "[", "{\"", "}]\\", "a, b", "\n"};
    switch (rng.below(deepest > 0 ? 6 : 3)) {
        case 0:
            return kTexts[rng.below(std::size(kTexts))];
        case 1:
            return static_cast<int64_t>(rng.below(1'000)) - 500;
        case 2:
            return nullptr;
        case 3: {
            Json out = Json::object();
            for (uint64_t i = rng.below(4); i > 0; --i)
                out[kTexts[rng.below(std::size(kTexts))]] = random_value(rng, deepest - 1);
            return out;
        }
        default: {
            Json out = Json::array();
            for (uint64_t i = rng.below(4); i > 0; --i)
                out.push_back(random_value(rng, deepest - 1));
            return out;
        }
    }
}

int depth_of(const Json& value) {
    if (!value.is_structured()) return 0;
    int deepest = 0;
    for (const Json& inside : value)
        deepest = std::max(deepest, depth_of(inside));
    return deepest + 1;
}

TEST(Nesting, is_as_deep_as_a_parsed_value_and_leaves_it_to_be_read) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Json fields = Json::object();
        for (int i = 0; i < 5; ++i)
            fields[std::to_string(i)] = random_value(rng, 6);
        std::string text = fields.dump(static_cast<int>(rng.below(3)) - 1);
        text.reserve(text.size() + kBodyPadding);

        simdjson::ondemand::parser parser;
        simdjson::ondemand::document document = parser.iterate(text).value();
        size_t seen = 0;
        for (auto field : document.get_object()) {
            simdjson::ondemand::value value = field.value().value();
            const Json& truth = fields[std::to_string(seen++)];
            ASSERT_EQ(levels_of(value), depth_of(truth));
            ASSERT_EQ(Json::parse(raw_json(value)), truth);
        }
        ASSERT_EQ(seen, fields.size());
    }
}

}  // namespace
}  // namespace brigada
