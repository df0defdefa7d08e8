// The bytes of a JSON value inside a document that simdjson walks.
#pragma once

#include <simdjson.h>

#include <string_view>

namespace brigada {

/// Without white space around it. Arrays and objects are skipped by simdjson's index, not byte by
/// byte. "" for what is no JSON.
std::string_view raw_json(simdjson::ondemand::value& value);

}  // namespace brigada
