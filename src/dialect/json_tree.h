// JsonTree: where every value of a JSON text stands. The whole text is checked, so that any part of
// it can be copied into another document as it is; nothing is unescaped or rounded.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/escaped.h"

namespace brigada {

enum class JsonKind : uint8_t { object, array, string, number, boolean, null };

class JsonTree;

/// One value of a tree, which outlives it.
class JsonNode {
  public:
    JsonNode(const JsonTree& tree, uint32_t at) : tree_(&tree), at_(at) {}

    JsonKind kind() const;
    bool is(JsonKind wanted) const { return kind() == wanted; }
    RawJson raw() const;
    Escaped text() const;          // of a string
    std::string_view key() const;  // of a field, unescaped
    std::string path() const;      // "messages[3].content"; "" for the root
    std::string excerpt() const;   // the value, cut after 60 bytes

    /// The field of this object; of several the last, as most readers have it. Nothing for null.
    std::optional<JsonNode> find(std::string_view name) const;

    class Iterator {
      public:
        Iterator(const JsonTree& tree, uint32_t at) : tree_(&tree), at_(at) {}
        JsonNode operator*() const { return {*tree_, at_}; }
        Iterator& operator++();
        bool operator==(const Iterator&) const = default;

      private:
        const JsonTree* tree_;
        uint32_t at_;
    };
    Iterator begin() const { return {*tree_, at_ + 1}; }  // fields or elements
    Iterator end() const;

  private:
    const JsonTree* tree_;
    uint32_t at_;
};

class JsonTree {
  public:
    /// `text` may be read kJsonPadding bytes further and outlives the tree. Lone surrogates must be
    /// gone: Error::corrupt where there is one, see mended_surrogates. Error::invalid_argument for
    /// what is no JSON object, is not UTF-8 or is nested deeper than `depth`.
    static Result<JsonTree> parse(std::string_view text, int depth = 256);

    JsonNode root() const { return {*this, 0}; }

  private:
    friend class JsonNode;
    friend class TreeBuilder;

    struct Entry {
        std::string_view text;
        std::string_view key;
        uint32_t end = 0;  // the entry after the last inside this one
        JsonKind kind = JsonKind::null;
    };

    JsonTree() = default;

    std::vector<Entry> entries_;
    std::deque<std::string> keys_;  // those that had escapes
};

inline constexpr size_t kJsonPadding = 64;

/// With \ufffd in place of each half of a pair that stands alone. Such text is JSON, but no text:
/// many parsers refuse it.
std::string mended_surrogates(std::string_view json);

}  // namespace brigada
