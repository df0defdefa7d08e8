#include "cost/read/weight_format.h"

#include <algorithm>
#include <array>

#include "base/concat.h"
#include "cost/read/module_pattern.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// Bits of a number and of what a group of them shares: a scale, perhaps a zero point.
NumberFormat grouped(double bits, double shared_bits, double group, ComputeDtype compute) {
    return {.bytes = (bits + (group > 0 ? shared_bits / group : 0)) / 8, .compute = compute};
}

NumberFormat mxfp4() {
    NumberFormat out = grouped(4, 8, 32, ComputeDtype::fp4);
    out.mxfp4 = true;
    return out;
}

NumberFormat nvfp4(ComputeDtype compute) {
    return grouped(4, 8, 16, compute);
}

/// What `torch_dtype` or `dtype` says of matrices that are not quantised. Weights in fp32 are
/// served in 16 bits, as engines do unless told otherwise.
Result<NumberFormat> read_plain(const ConfigFields& outer, const ConfigFields& text,
                                ModelMeasures& measures) {
    std::string name;
    for (const ConfigFields* fields : {&text, &outer})
        for (const std::string_view key : {"dtype", "torch_dtype"}) {
            TRY(const std::string stated, fields->text_or(key, ""));
            if (name.empty()) name = stated;
        }
    if (name == "float32")
        measures.assume("weights are in float32; engines serve them in 16 bits");
    else if (name.empty() && !outer.has("quantization_config") && !text.has("quantization_config"))
        measures.assume("no torch_dtype: weights in bf16");
    return NumberFormat{};
}

/// fp8: one scale for a block of weights, for a row, or for all.
Result<NumberFormat> read_fp8(const ConfigFields& config) {
    TRY(const auto block, config.counts("weight_block_size", kMostWidth));
    uint64_t numbers = 1;
    for (const uint32_t side : block)
        numbers *= side;
    if (block.size() > 2 || numbers == 0)
        return config.wrong("weight_block_size", "two sides of 1 or more");
    return grouped(8, block.empty() ? 0 : 32, static_cast<double>(numbers), ComputeDtype::fp8);
}

/// GPTQ, AWQ and the like: a 16-bit scale and a zero point of the width of a number for each group.
Result<NumberFormat> read_integer_groups(const ConfigFields& config) {
    TRY(const uint32_t bits, config.count_or({"bits", "w_bit", "num_bits"}, 16, 4));
    const Json* stated = config.find("group_size");
    const bool whole_rows = stated && stated->is_number_integer() && *stated == -1;
    uint32_t group = 0;
    if (!whole_rows) {
        TRY(group, config.count_or({"group_size", "q_group_size"}, kMostWidth, 128));
    }
    if (bits == 0) return config.wrong("bits", "1 to 16");
    return grouped(bits, 16.0 + bits, group, ComputeDtype::bf16);
}

Result<NumberFormat> read_bitsandbytes(const ConfigFields& config) {
    TRY(const bool four, config.flag_or("load_in_4bit", false));
    TRY(const bool nested, config.flag_or("bnb_4bit_use_double_quant", false));
    if (!four) return grouped(8, 0, 0, ComputeDtype::bf16);
    return grouped(4, nested ? 8.125 : 32, 64, ComputeDtype::bf16);
}

/// modelopt's names: FP8, NVFP4, W4A16_NVFP4, W4A16_AWQ, MXFP4...
Result<NumberFormat> from_algorithm(const ConfigFields& config, std::string_view name) {
    if (name == "NVFP4" || name == "NVFP4_AWQ") return nvfp4(ComputeDtype::fp4);
    if (name == "W4A16_NVFP4") return nvfp4(ComputeDtype::bf16);
    if (name.starts_with("FP8")) return read_fp8(config);
    if (name.starts_with("MXFP4")) return mxfp4();
    if (name.starts_with("W4A16") || name.starts_with("W4A8") || name == "INT4_AWQ")
        return read_integer_groups(config);
    return Error{Code::unsupported,
                 concat(config.what(), ": quant_algo ", shown(name),
                        " is not known; FP8, NVFP4, W4A16_NVFP4, MXFP4 and W4A16_AWQ are")};
}

/// compressed-tensors and modelopt: bits, type and group of the weights, bits of the inputs.
Result<NumberFormat> read_group_format(const ConfigFields& group) {
    TRY(const ConfigFields weights, group.inside("weights"));
    TRY(const ConfigFields inputs, group.inside("input_activations"));
    TRY(const uint32_t bits, weights.needed({"num_bits"}, 16));
    TRY(const uint32_t input_bits, inputs.count_or({"num_bits"}, 16, 16));
    TRY(const uint32_t size, weights.count_or({"group_size"}, kMostWidth, 0));
    TRY(const std::string type, weights.text_or("type", "int"));
    TRY(const bool symmetric, weights.flag_or("symmetric", true));
    if (type == "float" && bits == 4) {
        if (size == 32) return mxfp4();
        return nvfp4(input_bits == 4 ? ComputeDtype::fp4 : ComputeDtype::bf16);
    }
    const ComputeDtype compute =
        bits == 8 && input_bits == 8 ? ComputeDtype::fp8 : ComputeDtype::bf16;
    return grouped(bits, 16.0 + (symmetric ? 0 : bits), size, compute);
}

/// The patterns that are understood; of each other one it is said what becomes of what it matches.
std::vector<std::string> understood(const std::vector<std::string>& patterns,
                                    ModelMeasures& measures, std::string_view otherwise) {
    std::vector<std::string> out;
    for (const std::string& pattern : patterns) {
        const auto plain = plain_patterns(pattern);
        if (plain)
            out.insert(out.end(), plain->begin(), plain->end());
        else
            measures.assume(concat("the modules that ", shown(pattern), " ", otherwise));
    }
    return out;
}

/// The layers' places in the files of plain, multimodal and Nemotron models.
constexpr std::array<std::string_view, 4> kPlaces = {
    "model.layers.", "model.language_model.layers.", "language_model.model.layers.",
    "backbone.layers."};

}  // namespace

Result<void> WeightFormat::read_groups(const ConfigFields& groups, ModelMeasures& measures) {
    for (const auto& [name, value] : groups.object().items()) {
        if (!value.is_object()) return groups.wrong(name, "an object");
        const ConfigFields fields(value, groups.what());
        Group group;
        TRY(group.format, read_group_format(fields));
        TRY(const auto targets, fields.texts("targets"));
        if (std::ranges::find(targets, "Linear") == targets.end())
            group.targets = understood(targets, measures, "quantises are counted as not quantised");
        groups_.push_back(std::move(group));
    }
    return {};
}

Result<void> WeightFormat::read_method(const ConfigFields& config, ModelMeasures& measures) {
    TRY(const ConfigFields groups, config.inside("config_groups"));
    if (!groups.object().empty()) return read_groups(groups, measures);
    TRY(const std::string method, config.text_or("quant_method", ""));
    TRY(const std::string algorithm, config.text_or("quant_algo", ""));
    Group all;
    if (!algorithm.empty()) {
        TRY(all.format, from_algorithm(config, algorithm));
    } else if (method == "fp8" || method == "fbgemm_fp8") {
        TRY(all.format, read_fp8(config));
    } else if (method == "mxfp4") {
        all.format = mxfp4();
    } else if (method == "gptq" || method == "awq" || method == "auto-round" ||
               method == "intel/auto-round" || method == "gptq_marlin" || method == "hqq") {
        TRY(all.format, read_integer_groups(config));
    } else if (method == "bitsandbytes") {
        TRY(all.format, read_bitsandbytes(config));
    } else {
        return Error{
            Code::unsupported,
            concat(config.what(), ": quantization_config with quant_method ", shown(method),
                   " is not known; fp8, fbgemm_fp8, mxfp4, gptq, awq, "
                   "auto-round, hqq, bitsandbytes, modelopt and "
                   "compressed-tensors are")};
    }
    groups_.push_back(std::move(all));
    return {};
}

Result<void> WeightFormat::read_left_out(const ConfigFields& config, ModelMeasures& measures) {
    left_out_ = {"lm_head", "embed_tokens"};
    for (const std::string_view key :
         {"ignore", "modules_to_not_convert", "ignored_layers", "exclude_modules"}) {
        TRY(const auto patterns, config.texts(key));
        const auto plain =
            understood(patterns, measures, "leaves unquantised are counted as quantised");
        left_out_.insert(left_out_.end(), plain.begin(), plain.end());
    }
    return {};
}

Result<WeightFormat> WeightFormat::read(const ConfigFields& outer, const ConfigFields& text,
                                        ModelMeasures& measures) {
    WeightFormat format;
    TRY(format.plain_, read_plain(outer, text, measures));
    const bool nested = !outer.has("quantization_config");
    TRY(const ConfigFields config, (nested ? text : outer).inside("quantization_config"));
    if (config.object().empty()) return format;
    TRY(format.read_method(config, measures));
    TRY(format.read_left_out(config, measures));
    TRY(const std::string expert, text.text_or("expert_dtype", ""));
    if (expert == "fp4") format.expert_bytes_ = mxfp4().bytes;
    return format;
}

bool WeightFormat::left_out(std::string_view module) const {
    return std::ranges::any_of(left_out_,
                               [&](const std::string& p) { return pattern_matches(p, module); });
}

NumberFormat WeightFormat::in_group(const Group& group, bool expert) const {
    NumberFormat format = group.format;
    if (expert && expert_bytes_ != 0) format.bytes = expert_bytes_;
    return format;
}

/// A group that names the module comes before one for everything.
NumberFormat WeightFormat::of(std::span<const std::string> modules, bool expert) const {
    const auto named = [&](const Group& group) {
        return std::ranges::any_of(modules, [&](const std::string& module) {
            return std::ranges::any_of(group.targets, [&](const std::string& target) {
                return pattern_matches(target, module);
            });
        });
    };
    const auto out = [&](const std::string& module) { return left_out(module); };
    for (const Group& group : groups_)
        if (named(group)) return in_group(group, expert);
    for (const Group& group : groups_)
        if (group.targets.empty() && std::ranges::none_of(modules, out))
            return in_group(group, expert);
    return plain_;
}

NumberFormat WeightFormat::of_output() const {
    return of(std::array{std::string("lm_head")}, false);
}

NumberFormat WeightFormat::of_layer(uint32_t i, std::string_view matrix, bool expert) const {
    if (matrix.empty() || groups_.empty()) return plain_;
    std::vector<std::string> modules;
    for (const std::string_view place : kPlaces)
        modules.push_back(concat(place, i, ".", matrix));
    return of(modules, expert);
}

}  // namespace brigada
