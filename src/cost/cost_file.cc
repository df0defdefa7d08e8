#include "cost/cost_file.h"

#include <cmath>
#include <ranges>

#include "base/concat.h"
#include "base/joined.h"

namespace brigada {

namespace {

struct Name {
    std::string_view word;
    double StepCoefficients::* member;
};

constexpr Name kNames[] = {
    {"flop_per_token", &StepCoefficients::flop_per_token},
    {"flop_per_sequence", &StepCoefficients::flop_per_sequence},
    {"flop_per_pair", &StepCoefficients::flop_per_pair},
    {"flop_per_reread", &StepCoefficients::flop_per_reread},
    {"flop_per_decode_pair", &StepCoefficients::flop_per_decode_pair},
    {"weights_s", &StepCoefficients::weights_s},
    {"expert_s", &StepCoefficients::expert_s},
    {"experts", &StepCoefficients::experts},
    {"experts_per_token", &StepCoefficients::experts_per_token},
    {"kv_per_token", &StepCoefficients::kv_per_token},
    {"state_per_sequence", &StepCoefficients::state_per_sequence},
    {"comm_s", &StepCoefficients::comm_s},
    {"comm_per_token", &StepCoefficients::comm_per_token},
    {"step_s", &StepCoefficients::step_s},
    {"sequence_s", &StepCoefficients::sequence_s},
};

const Name* find_name(std::string_view word) {
    for (const Name& name : kNames)
        if (name.word == word) return &name;
    return nullptr;
}

std::string all_names() {
    return joined(kNames | std::views::transform(&Name::word));
}

}  // namespace

Json to_json(const StepCoefficients& coefficients) {
    Json out = Json::object();
    for (const Name& name : kNames)
        out[std::string(name.word)] = coefficients.*name.member;
    return out;
}

Result<StepCoefficients> read_cost_file(std::string_view text, std::string_view what) {
    TRY(const Json file, parse_json(text, what));
    if (!file.is_object() || !file.contains("coefficients") || !file["coefficients"].is_object())
        return Error{Code::corrupt,
                     concat(what, " has no object \"coefficients\"; brigada calibrate writes one")};
    StepCoefficients out;
    for (const auto& [word, value] : file["coefficients"].items()) {
        const Name* name = find_name(word);
        if (!name)
            return Error{Code::corrupt, concat(what, ": coefficients.", word,
                                               " is not known; there are ", all_names())};
        if (!value.is_number() || value.get<double>() < 0 || !std::isfinite(value.get<double>()))
            return Error{Code::corrupt, concat(what, ": coefficients.", word, " is ",
                                               dump_json(value), "; a number from 0 on works")};
        out.*name->member = value.get<double>();
    }
    if (out == StepCoefficients{})
        return Error{Code::corrupt, concat(what, ": all coefficients are 0; steps take time")};
    if (out.experts_per_token > out.experts)
        return Error{Code::corrupt,
                     concat(what, ": coefficients.experts_per_token is ", out.experts_per_token,
                            ", of ", out.experts, " experts")};
    return out;
}

}  // namespace brigada
