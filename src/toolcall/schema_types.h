// SchemaTypes: which kinds of JSON values a JSON schema allows, as far as it says so by type, enum,
// const, $ref and the combining words. Enough to tell 5 from "5"; no validation.
// Source: JSON Schema 2020-12.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"

namespace brigada {

class SchemaTypes {
  public:
    static SchemaTypes any() { return SchemaTypes(kAny); }
    static SchemaTypes none() { return SchemaTypes(0); }
    /// Of a "type": "string", "integer", ...; one we do not know allows all.
    static SchemaTypes named(std::string_view type);
    static SchemaTypes of_value(const Json& value);

    SchemaTypes operator|(SchemaTypes other) const { return SchemaTypes(bits_ | other.bits_); }
    SchemaTypes operator&(SchemaTypes other) const { return SchemaTypes(bits_ & other.bits_); }

    bool allow(const Json& value) const { return (bits_ & of_value(value).bits_) != 0; }
    bool only_string() const { return bits_ == kStrings; }

  private:
    enum : uint32_t {
        kNulls = 1,
        kBooleans = 2,
        kNumbers = 4,
        kStrings = 8,
        kArrays = 16,
        kObjects = 32
    };
    static constexpr uint32_t kAny = 63;

    explicit SchemaTypes(uint32_t bits) : bits_(bits) {}

    uint32_t bits_;
};

/// What the object schema `parameters` allows for its property `name`.
SchemaTypes parameter_types(const Json& parameters, std::string_view name);

}  // namespace brigada
