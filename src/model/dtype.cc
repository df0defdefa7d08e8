#include "model/dtype.h"

#include <limits>
#include <ranges>

#include "base/check.h"
#include "base/concat.h"
#include "base/joined.h"

namespace brigada {

namespace {

struct DTypeFacts {
    std::string_view name;
    uint32_t ggml_number;
    size_t elements;  // per block
    size_t bytes;     // per block
};

/// In the order of DType. Bytes add up the fields of the GGUF specification's blocks.
constexpr std::array<DTypeFacts, kAllDTypes.size()> kFacts = {{
    {"F32", 0, 1, 4},
    {"F16", 1, 1, 2},
    {"BF16", 30, 1, 2},
    {"Q4_0", 2, 32, 2 + 16},                   // scale, nibbles
    {"Q4_1", 3, 32, 2 + 2 + 16},               // scale, minimum, nibbles
    {"Q5_0", 6, 32, 2 + 4 + 16},               // scale, fifth bits, nibbles
    {"Q5_1", 7, 32, 2 + 2 + 4 + 16},           // scale, minimum, fifth bits, nibbles
    {"Q8_0", 8, 32, 2 + 32},                   // scale, int8
    {"Q2_K", 10, 256, 16 + 64 + 2 + 2},        // 16 x (scale, min), crumbs, two super-scales
    {"Q3_K", 11, 256, 32 + 64 + 12 + 2},       // third bits, crumbs, 16 six-bit scales, super-scale
    {"Q4_K", 12, 256, 2 + 2 + 12 + 128},       // two super-scales, 8 x (scale, min), nibbles
    {"Q5_K", 13, 256, 2 + 2 + 12 + 32 + 128},  // the same and fifth bits
    {"Q6_K", 14, 256, 128 + 64 + 16 + 2},      // low nibbles, high crumbs, int8 scales, super-scale
}};

/// ggml's types that exist and are not read here, by number; "" where ggml has none (any more).
constexpr std::string_view ggml_name_unread(uint32_t number) {
    constexpr std::string_view kNames[] = {
        "",      "",           "",           "",           "Q4_2",     "Q4_3",     "",
        "",      "",           "Q8_1",       "",           "",         "",         "",
        "",      "Q8_K",       "IQ2_XXS",    "IQ2_XS",     "IQ3_XXS",  "IQ1_S",    "IQ4_NL",
        "IQ3_S", "IQ2_S",      "IQ4_XS",     "I8",         "I16",      "I32",      "I64",
        "F64",   "IQ1_M",      "",           "Q4_0_4_4",   "Q4_0_4_8", "Q4_0_8_8", "TQ1_0",
        "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4",    "NVFP4",    "Q1_0"};
    return number < std::size(kNames) ? kNames[number] : std::string_view();
}

const DTypeFacts& facts(DType type) {
    return kFacts[static_cast<size_t>(type)];
}

std::string readable_types() {
    return joined(kFacts | std::views::transform(&DTypeFacts::name));
}

}  // namespace

size_t block_elements(DType type) {
    return facts(type).elements;
}

size_t block_bytes(DType type) {
    return facts(type).bytes;
}

size_t row_bytes(DType type, size_t cols) {
    const DTypeFacts& fact = facts(type);
    CHECK(cols % fact.elements == 0, fact.name, " row of ", cols);
    const size_t blocks = cols / fact.elements;
    CHECK(blocks <= std::numeric_limits<size_t>::max() / fact.bytes, fact.name, " row of ", cols);
    return blocks * fact.bytes;
}

std::string_view to_string(DType type) {
    return facts(type).name;
}

uint32_t ggml_type(DType type) {
    return facts(type).ggml_number;
}

Result<DType> dtype_from_ggml(uint32_t number) {
    for (DType type : kAllDTypes)
        if (facts(type).ggml_number == number) return type;
    if (std::string_view name = ggml_name_unread(number); !name.empty())
        return Error{Code::unsupported,
                     concat("type ", name, " (", number,
                            ") is not read here; these are: ", readable_types())};
    return Error{Code::corrupt, concat("type number ", number, " is none of ggml's")};
}

Result<DType> dtype_from_safetensors(std::string_view name) {
    for (DType type : {DType::f32, DType::f16, DType::bf16})
        if (facts(type).name == name) return type;
    return Error{Code::unsupported, concat("type ", name, " is not read here; F32, F16, BF16 are")};
}

}  // namespace brigada
