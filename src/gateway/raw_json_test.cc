#include "gateway/raw_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/rng.h"
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

int levels_of(const Json& value) {
    if (!value.is_structured()) return 0;
    int deepest = 0;
    for (const Json& inside : value)
        deepest = std::max(deepest, levels_of(inside));
    return deepest + 1;
}

TEST(RawJson, is_what_was_written_and_as_deep) {
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
            const RawValue ahead = look_over(value);
            const RawValue raw = raw_json(value);
            ASSERT_EQ(raw.text, ahead.text);
            ASSERT_EQ(Json::parse(raw.text), truth);
            ASSERT_EQ(raw.text,
                      std::string(raw.text).substr(0, raw.text.find_last_not_of(" \n") + 1));
            ASSERT_EQ(raw.levels, levels_of(truth));
            ASSERT_EQ(ahead.levels, raw.levels);
        }
        ASSERT_EQ(seen, fields.size());
    }
}

}  // namespace
}  // namespace brigada
