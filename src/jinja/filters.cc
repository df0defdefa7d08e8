#include "jinja/filters.h"

#include <algorithm>

namespace brigada::jinja {

Filter find_filter(std::string_view name) {
    for (const auto filters : {text_filters(), number_filters(), sequence_filters(),
                               selection_filters(), json_filters()}) {
        const auto found = std::ranges::find(filters, name, &NamedFilter::name);
        if (found != filters.end()) return found->filter;
    }
    return nullptr;
}

}  // namespace brigada::jinja
