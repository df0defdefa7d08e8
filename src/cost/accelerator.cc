#include "cost/accelerator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/concat.h"
#include "base/joined.h"
#include "cost/similar_names.h"
#include "model/shown.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// What people mean by the bare name of a family.
struct ShortName {
    std::string_view typed;
    std::string_view name;
};

constexpr std::array kShortNames = {
    ShortName{"a100", "A100 SXM 80GB"},
    ShortName{"a10080gb", "A100 SXM 80GB"},
    ShortName{"a10040gb", "A100 SXM 40GB"},
    ShortName{"h100", "H100 SXM 80GB"},
    ShortName{"h10080gb", "H100 SXM 80GB"},
    ShortName{"h100mig", "H100 MIG 7g.80gb"},
    ShortName{"rtxpro6000", "RTX PRO 6000 Blackwell (600W)"},
    ShortName{"arcb60", "Intel Arc Pro B60"},
};

/// Rows whose name, without case and punctuation, `fits`.
template <typename Fits>
std::vector<const Accelerator*> rows_where(Fits fits) {
    std::vector<const Accelerator*> out;
    for (const Accelerator& each : known_accelerators())
        if (fits(bare_name(each.name))) out.push_back(&each);
    return out;
}

std::vector<std::string> names_of(const std::vector<const Accelerator*>& rows) {
    std::vector<std::string> out;
    for (const Accelerator* row : rows)
        out.push_back(row->name);
    return out;
}

Error not_found(const std::string& name) {
    std::vector<std::string> known;
    for (const Accelerator& each : known_accelerators())
        known.push_back(each.name);
    const auto similar = similar_names(name, known);
    return {Code::not_found, concat("no accelerator is called ", shown(name), "; ",
                                    similar.empty() ? concat("known are ", joined(known))
                                                    : concat("the nearest are ", joined(similar)),
                                    "; another can be declared by its datasheet")};
}

// --- a declared row -----------------------------------------------------------------------------

struct Field {
    std::string_view key;
    double Accelerator::* member;
    double unit;
    bool needed;
};

constexpr std::array kFields = {
    Field{"bandwidth_gb_s", &Accelerator::memory_bytes_per_s, 1e9, true},
    Field{"bf16_tflops", &Accelerator::bf16_flops, 1e12, true},
    Field{"fp8_tflops", &Accelerator::fp8_flops, 1e12, false},
    Field{"fp4_tflops", &Accelerator::fp4_flops, 1e12, false},
    Field{"link_gb_s", &Accelerator::link_bytes_per_s, 1e9, false},
    Field{"scale_out_gbit_s", &Accelerator::scale_out_bytes_per_s, 1e9 / 8, false},
    Field{"watts", &Accelerator::watts, 1, false},
    Field{"dollars_per_hour_low", &Accelerator::dollars_per_hour_low, 1, false},
    Field{"dollars_per_hour_high", &Accelerator::dollars_per_hour_high, 1, false},
};

/// Those that are not plain numbers of kFields.
constexpr std::array<std::string_view, 5> kOtherFields = {"name", "memory_gib", "dollars_per_hour",
                                                          "link_domain", "is_slice"};

bool is_known_field(std::string_view key) {
    return std::ranges::find(kOtherFields, key) != kOtherFields.end() ||
           std::ranges::find(kFields, key, &Field::key) != kFields.end();
}

std::string all_fields() {
    std::vector<std::string_view> keys(kOtherFields.begin(), kOtherFields.end());
    for (const Field& field : kFields)
        keys.push_back(field.key);
    return joined(keys);
}

Error wrong(const Json& row, std::string_view key, std::string_view wanted) {
    const std::string value = row.contains(key) ? shown(dump_json(row.at(key))) : "absent";
    return {Code::invalid_argument,
            concat("accelerator: ", key, " is ", value, "; ", wanted, " is needed")};
}

/// 0 when absent.
Result<double> number(const Json& row, std::string_view key, bool needed) {
    if (!row.contains(key)) {
        if (needed) return wrong(row, key, "a number above 0");
        return 0.0;
    }
    const Json& value = row.at(key);
    if (!value.is_number()) return wrong(row, key, "a number");
    const auto out = value.get<double>();
    if (!std::isfinite(out) || out < 0 || out > 1e9 || (needed && out == 0))
        return wrong(row, key, needed ? "a number above 0" : "a number of 0 or more");
    return out;
}

Result<void> read_prices(const Json& row, Accelerator& out) {
    TRY(const double price, number(row, "dollars_per_hour", false));
    if (price > 0) out.dollars_per_hour_low = out.dollars_per_hour_high = price;
    if (out.dollars_per_hour_high == 0) out.dollars_per_hour_high = out.dollars_per_hour_low;
    if (out.dollars_per_hour_low > out.dollars_per_hour_high)
        return wrong(row, "dollars_per_hour_low", "no more than dollars_per_hour_high");
    return {};
}

Result<void> read_links(const Json& row, Accelerator& out) {
    TRY(const double domain, number(row, "link_domain", false));
    if (domain != std::floor(domain) || domain > 1e6)
        return wrong(row, "link_domain", "how many are linked");
    out.link_domain = std::max(1u, static_cast<uint32_t>(domain));
    if (row.contains("is_slice")) {
        if (!row.at("is_slice").is_boolean()) return wrong(row, "is_slice", "true or false");
        out.is_slice = row.at("is_slice").get<bool>();
    }
    return {};
}

}  // namespace

Result<Accelerator> find_accelerator(const std::string& name) {
    const std::string typed = bare_name(name);
    if (typed.empty()) return not_found(name);
    const auto same = rows_where([&](const std::string& known) { return known == typed; });
    if (!same.empty()) return *same.front();
    const auto short_name = std::ranges::find(kShortNames, typed, &ShortName::typed);
    if (short_name != kShortNames.end()) return find_accelerator(std::string(short_name->name));
    const auto starting =
        rows_where([&](const std::string& known) { return known.starts_with(typed); });
    if (starting.size() == 1) return *starting.front();
    const auto holding = rows_where(
        [&](const std::string& known) { return known.find(typed) != std::string::npos; });
    if (holding.size() == 1) return *holding.front();
    if (holding.empty()) return not_found(name);
    return Error{Code::not_found,
                 concat(shown(name), " may be ", joined(names_of(holding)), "; name one of them")};
}

Result<Accelerator> accelerator_from_json(const Json& row) {
    if (!row.is_object())
        return Error{Code::invalid_argument,
                     "accelerator: an object with name, memory_gib, "
                     "bandwidth_gb_s and bf16_tflops is needed"};
    for (const auto& [key, value] : row.items())
        if (!is_known_field(key))
            return Error{Code::invalid_argument, concat("accelerator: ", shown(key),
                                                        " is not known; known are ", all_fields())};
    Accelerator out;
    if (!row.contains("name") || !row.at("name").is_string() ||
        row.at("name").get<std::string>().empty())
        return wrong(row, "name", "a string");
    out.name = row.at("name").get<std::string>();
    TRY(const double memory_gib, number(row, "memory_gib", true));
    if (memory_gib > 1e6) return wrong(row, "memory_gib", "at most a million");
    out.memory_bytes = static_cast<uint64_t>(memory_gib * kGiB);
    for (const Field& field : kFields) {
        TRY(const double value, number(row, field.key, field.needed));
        out.*field.member = value * field.unit;
    }
    TRY(read_prices(row, out));
    TRY(read_links(row, out));
    return out;
}

}  // namespace brigada
