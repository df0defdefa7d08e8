// Filters: value|name(arguments), as Jinja 3.1 documents them, with transformers' tojson and
// without those that need the outside (random, urlize) or print for debugging (pprint).
#pragma once

#include <string_view>

#include "jinja/tree.h"

namespace brigada::jinja {

/// Null when there is none of this name.
Filter find_filter(std::string_view name);

// The table is put together from these.
struct NamedFilter {
    std::string_view name;
    Filter filter;
};
std::span<const NamedFilter> text_filters();
std::span<const NamedFilter> number_filters();
std::span<const NamedFilter> sequence_filters();
std::span<const NamedFilter> selection_filters();
std::span<const NamedFilter> json_filters();

}  // namespace brigada::jinja
