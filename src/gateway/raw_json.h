// The bytes of a JSON value inside a document that simdjson walks, and how deep it is nested.
#pragma once

#include <simdjson.h>

#include <string_view>

namespace brigada {

struct RawValue {
    std::string_view text = {};  // without white space around it; "" for what is no JSON
    int levels = 0;              // of arrays and objects inside each other; 0 for anything else
};

/// Steps over a value that nobody has looked into, by simdjson's index, not byte by byte. Arrays
/// and objects are then done with; a scalar may still be read.
RawValue raw_json(simdjson::ondemand::value& value);

/// The same, and the value may be looked into afterwards.
RawValue look_over(simdjson::ondemand::value& value);

}  // namespace brigada
