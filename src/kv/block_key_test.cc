#include "kv/block_key.h"

#include <charconv>

#include "base/file.h"
#include "base/json.h"

namespace brigada {
namespace {

BlockKey from_hex(const std::string& text) {
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return BlockKey{value};
}

TEST(BlockKey, equals_what_python_computes) {
    const auto text = read_file(BRIGADA_TESTDATA "/kv/block_keys.json", 1 << 20).value();
    const Json cases = parse_json(text, "block_keys.json").value();
    ASSERT_EQ(cases.size(), 13u);
    for (const Json& c : cases) {
        SCOPED_TRACE(c.dump());
        Tokens tokens;
        for (const Json& t : c["tokens"])
            tokens.push_back(TokenId{t.get<uint32_t>()});
        std::vector<BlockKey> expected;
        for (const Json& k : c["keys"])
            expected.push_back(from_hex(k));

        const auto root = scope_key(c["salt"].get<std::string>(), c["lora"].get<std::string>());
        ASSERT_EQ(root.has_value(), !c["scope_key"].is_null());
        if (root) EXPECT_EQ(*root, from_hex(c["scope_key"]));
        EXPECT_EQ(block_keys(tokens, c["block_tokens"], root), expected);
    }
}

TEST(BlockKey, tells_where_the_lora_name_ends) {
    EXPECT_NE(scope_key("bc", "a"), scope_key("c", "ab"));
    EXPECT_NE(scope_key("a", ""), scope_key("", "a"));
}

}  // namespace
}  // namespace brigada
