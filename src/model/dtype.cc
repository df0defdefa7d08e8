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
    {"IQ1_S", 19, 256, 2 + 32 + 16},           // super-scale, grid bytes, high bits and scales
    {"IQ1_M", 29, 256, 32 + 16 + 8},           // grid bytes, high bits, scales
    {"IQ2_XXS", 16, 256, 2 + 64},              // super-scale; grid bytes, signs and scales
    {"IQ2_XS", 17, 256, 2 + 64 + 8},           // and apart the scales
    {"IQ2_S", 22, 256, 2 + 64 + 8 + 8},        // and high bits
    {"IQ3_XXS", 18, 256, 2 + 96},              // super-scale; grid bytes, signs and scales
    {"IQ3_S", 21, 256, 2 + 64 + 8 + 32 + 4},   // super-scale, grid bytes, high bits, signs, scales
    {"IQ4_NL", 20, 32, 2 + 16},                // scale, nibbles
    {"IQ4_XS", 23, 256, 2 + 2 + 4 + 128},      // super-scale, scales' high and low bits, nibbles
    {"TQ1_0", 34, 256, 48 + 4 + 2},            // five trits a byte, the last four in one, scale
    {"TQ2_0", 35, 256, 64 + 2},                // crumbs, scale
    {"Q1_0", 41, 128, 2 + 16},                 // scale, bits
    {"MXFP4", 39, 32, 1 + 16},                 // an exponent, nibbles
    {"NVFP4", 40, 64, 4 + 32},                 // four fp8 scales, nibbles
    {"I8", 24, 1, 1},
    {"I16", 25, 1, 2},
    {"I32", 26, 1, 4},
    {"I64", 27, 1, 8},
    {"F64", 28, 1, 8},
}};

/// ggml's numbers that no file has: types of computing only, and of the past; "" for others.
constexpr std::string_view name_in_no_file(uint32_t number) {
    switch (number) {
        case 4:
            return "Q4_2";
        case 5:
            return "Q4_3";
        case 9:
            return "Q8_1";
        case 15:
            return "Q8_K";
        case 31:
            return "Q4_0_4_4";
        case 32:
            return "Q4_0_4_8";
        case 33:
            return "Q4_0_8_8";
        case 36:
            return "IQ4_NL_4_4";
        case 37:
            return "IQ4_NL_4_8";
        case 38:
            return "IQ4_NL_8_8";
        default:
            return "";
    }
}

const DTypeFacts& facts(DType type) {
    return kFacts[static_cast<size_t>(type)];
}

std::string names_of(std::span<const DType> types) {
    return joined(types | std::views::transform([](DType type) { return facts(type).name; }));
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
    if (const std::string_view name = name_in_no_file(number); !name.empty())
        return Error{Code::unsupported,
                     concat("type ", name, " (", number,
                            ") is in no file of today; these may be: ", names_of(kAllDTypes))};
    return Error{Code::corrupt, concat("type number ", number, " is none of ggml's")};
}

Result<void> check_is_read(DType type) {
    if (is_read(type)) return {};
    return Error{Code::unsupported, concat("type ", to_string(type),
                                           " does not run here, a GPU can be planned for it; "
                                           "these run: ",
                                           names_of(kReadDTypes))};
}

Result<DType> dtype_from_safetensors(std::string_view name) {
    for (DType type : {DType::f32, DType::f16, DType::bf16})
        if (facts(type).name == name) return type;
    return Error{Code::unsupported, concat("type ", name, " is not read here; F32, F16, BF16 are")};
}

}  // namespace brigada
