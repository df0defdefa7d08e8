// Any bytes as a template and its context: the source up to the first NUL, then the context's JSON.
// Nothing may crash, hang or allocate beyond the limits.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "jinja/template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t split = std::min(input.find('\0'), size);
    const auto parsed = jinja::Template::parse(input.substr(0, split));
    if (!parsed.ok()) return 0;
    const auto context = parse_json(input.substr(std::min(split + 1, size)), "context");
    const jinja::RenderOptions options{.now = {1'782'907'200},
                                       .limits = {.max_work = 100'000,
                                                  .max_heap_bytes = 8u << 20,
                                                  .max_output_bytes = 1u << 20,
                                                  .max_depth = 200}};
    const Json variables = context.ok() && context->is_object() ? *context : Json::object();
    static_cast<void>(parsed->render(variables, options));
    return 0;
}
