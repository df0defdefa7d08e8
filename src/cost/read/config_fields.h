// ConfigFields: typed reading of one object of a config.json. Every number has a greatest value
// that is believed, so that products of a few of them fit 64 bits; errors name the file, the field
// and the value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace brigada {

/// An order of magnitude over any model known.
inline constexpr uint64_t kMostLayers = 1 << 11;
inline constexpr uint64_t kMostWidth = 1 << 18;  // of the residual stream, of a head, of ranks
inline constexpr uint64_t kMostHeads = 1 << 12;
inline constexpr uint64_t kMostInner = 1 << 22;  // of a feed-forward part
inline constexpr uint64_t kMostExperts = 1 << 14;
inline constexpr uint64_t kMostVocab = 1 << 24;
inline constexpr uint64_t kMostTokens = 1 << 28;

class ConfigFields {
  public:
    /// Names under which makers write the same thing, the commonest first.
    using Names = std::initializer_list<std::string_view>;

    /// `object` and what `what` points at outlive this.
    ConfigFields(const Json& object, std::string_view what) : object_(object), what_(what) {}

    std::string_view what() const { return what_; }
    const Json& object() const { return object_; }

    /// Null counts as absent, as in transformers.
    const Json* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }

    /// Absent: nullopt, or `otherwise`, or an error.
    Result<std::optional<uint32_t>> count(Names names, uint64_t most) const;
    Result<uint32_t> count_or(Names names, uint64_t most, uint64_t otherwise) const;
    Result<uint32_t> needed(Names names, uint64_t most) const;  // and not 0
    Result<bool> flag_or(std::string_view key, bool otherwise) const;
    Result<std::string> text_or(std::string_view key, std::string_view otherwise) const;

    /// Lists with one entry per layer, or any number when `size` is 0. Absent: empty.
    Result<std::vector<std::string>> texts(std::string_view key, uint64_t size = 0) const;
    Result<std::vector<uint32_t>> counts(std::string_view key, uint64_t most,
                                         uint64_t size = 0) const;

    /// The object under `key`; absent: an empty one.
    Result<ConfigFields> inside(std::string_view key) const;

    Error wrong(std::string_view key, std::string_view wanted) const;

  private:
    Result<const Json*> list(std::string_view key, uint64_t size) const;

    const Json& object_;
    std::string_view what_;
};

}  // namespace brigada
