#include "plan/fleet.h"

#include <charconv>
#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

Error unclear(std::string_view text) {
    return {Code::invalid_argument,
            concat("fleet: '", text,
                   "'; write COUNT x ACCELERATOR, with @ $/h where you pay something else, and + "
                   "between parts: 4 x rtx-4090 @ 0.30 + 2 x h100")};
}

template <typename Number>
bool read(std::string_view text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

Result<FleetPart> parse_part(std::string_view text, std::string_view whole) {
    FleetPart part;
    const size_t times = text.find('x');
    if (times == text.npos || !read(trimmed(text.substr(0, times)), part.count) || part.count == 0)
        return unclear(whole);
    std::string_view rest = text.substr(times + 1);
    if (const size_t at = rest.find('@'); at != rest.npos) {
        if (!read(trimmed(rest.substr(at + 1)), part.price_per_hour) ||
            !(part.price_per_hour >= 0 && std::isfinite(part.price_per_hour)))
            return unclear(whole);
        rest = rest.substr(0, at);
    }
    if (trimmed(rest).empty()) return unclear(whole);
    Result<Accelerator> found = find_accelerator(std::string(trimmed(rest)));
    if (!found) return std::move(found).error().in("fleet");
    part.accelerator = std::move(found).value();
    return part;
}

PlanRequest for_part(PlanRequest request, const FleetPart& part) {
    request.accelerators = {part.accelerator};
    if (part.price_per_hour > 0) request.price_per_hour = part.price_per_hour;
    request.spare_replicas = 0;
    return request;
}

double price_of(const PlanRequest& request, const FleetPart& part) {
    if (request.price_per_hour > 0) return request.price_per_hour;
    return std::midpoint(part.accelerator.dollars_per_hour_low,
                         part.accelerator.dollars_per_hour_high);
}

CarriedPart carried_by(const PlanRequest& whole, const FleetPart& part) {
    const PlanRequest request = for_part(whole, part);
    CarriedPart best{.part = part};
    best.dollars_per_hour = part.count * price_of(request, part);
    for (const PlanCandidate& candidate : candidates_of(request)) {
        const uint32_t replicas = part.count / candidate.accelerators();
        const Result<Situation> replica = situation_of(request, candidate);
        if (!replica || replicas == 0) {
            if (best.layout.empty() && !replica) best.layout = replica.error().message;
            continue;
        }
        PlanOption option = option_with(request, candidate, *replica, replicas, 0);
        const Breaking breaking = breaking_point(request, option);
        if (breaking.people <= best.people) continue;
        option.situation.people = breaking.people;
        best.people = breaking.people;
        best.layout = concat(replicas, " x ", name_of(candidate));
        best.output_tokens_per_s =
            option_with(request, candidate, option.situation, replicas, 0).normal.calls_per_s *
            request.workload.output_tokens;
    }
    if (best.layout.empty()) best.layout = "too few accelerators for the ranks allowed";
    return best;
}

}  // namespace

Result<PlanFleet> parse_fleet(std::string_view text) {
    PlanFleet fleet{.name = std::string(trimmed(text))};
    std::string_view rest = text;
    for (;;) {
        const size_t plus = rest.find('+');
        TRY(FleetPart part, parse_part(trimmed(rest.substr(0, plus)), fleet.name));
        fleet.parts.push_back(std::move(part));
        if (plus == rest.npos) return fleet;
        rest = rest.substr(plus + 1);
    }
}

CarriedFleet carried_by(const PlanRequest& request, const PlanFleet& fleet) {
    CarriedFleet out{.fleet = fleet};
    for (const FleetPart& part : fleet.parts) {
        CarriedPart carried = carried_by(request, part);
        out.people += carried.people;
        out.output_tokens_per_s += carried.output_tokens_per_s;
        out.dollars_per_hour += carried.dollars_per_hour;
        out.parts.push_back(std::move(carried));
    }
    return out;
}

Json to_json(const CarriedFleet& fleet) {
    Json parts = Json::array();
    for (const CarriedPart& part : fleet.parts)
        parts.push_back({{"accelerator", part.part.accelerator.name},
                         {"count", part.part.count},
                         {"layout", part.layout},
                         {"people", part.people},
                         {"output_tokens_per_s", part.output_tokens_per_s},
                         {"dollars_per_hour", part.dollars_per_hour}});
    return {{"fleet", fleet.fleet.name},
            {"people", fleet.people},
            {"output_tokens_per_s", fleet.output_tokens_per_s},
            {"dollars_per_hour", fleet.dollars_per_hour},
            {"parts", parts}};
}

}  // namespace brigada
