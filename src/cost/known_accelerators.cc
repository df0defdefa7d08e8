// The catalogue of accelerators: the rows of accelerators.csv, which says where each figure is
// from, and the slices that one of them can be cut into.
#include <array>
#include <charconv>

#include "base/check.h"
#include "cost/accelerator.h"

namespace brigada {

namespace {

constexpr char kRows[] = {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
#embed "accelerators.csv" suffix(, 0)
#pragma clang diagnostic pop
};

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// No quotes in the columns that are read; the last two, source and notes, are left out.
std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    while (cells.size() < 13) {
        const size_t comma = line.find(',');
        CHECK(comma != std::string_view::npos, line);
        cells.push_back(line.substr(0, comma));
        line.remove_prefix(comma + 1);
    }
    return cells;
}

/// 0 where the sources say nothing.
double number_of(std::string_view cell) {
    double value = 0;
    if (cell.empty()) return value;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    CHECK(error == std::errc() && end == cell.data() + cell.size(), cell);
    return value;
}

Accelerator accelerator_of(std::string_view line) {
    const auto cells = cells_of(line);
    const auto number = [&](size_t i) { return number_of(cells[i]); };
    return {.name = std::string(cells[0]),
            .memory_bytes = static_cast<uint64_t>(number(2) * kGiB),
            .memory_bytes_per_s = number(3) * 1e9,
            .bf16_flops = number(4) * 1e12,
            .fp8_flops = number(5) * 1e12,
            .fp4_flops = number(6) * 1e12,
            .link_bytes_per_s = number(7) * 1e9,
            .link_domain = static_cast<uint32_t>(number(8)),
            .scale_out_bytes_per_s = number(9) * 1e9 / 8,
            .watts = number(10),
            .dollars_per_hour_low = number(11),
            .dollars_per_hour_high = number(12)};
}

/// A way to cut a card: how many fit, and of the whole the multiprocessors, eighths of memory
/// bandwidth, and GiB. Source: `nvidia-smi mig -lgip` on an H100 80GB (132 multiprocessors), whose
/// memory is in eight slices.
struct Slice {
    std::string_view profile;
    uint32_t per_card;
    double multiprocessors;
    double eighths;
    double memory_gib;
};

constexpr std::array kH100Slices = {
    Slice{"1g.10gb", 7, 16, 1, 9.75},   Slice{"1g.20gb", 4, 26, 2, 19.62},
    Slice{"2g.20gb", 3, 32, 2, 19.62},  Slice{"3g.40gb", 2, 60, 4, 39.50},
    Slice{"7g.80gb", 1, 132, 8, 79.18},
};

/// Power and price are an equal part of the card's; links are off under MIG.
Accelerator slice_of(const Accelerator& card, const Slice& slice) {
    const double compute = slice.multiprocessors / 132;
    return {.name = "H100 MIG " + std::string(slice.profile),
            .memory_bytes = static_cast<uint64_t>(slice.memory_gib * kGiB),
            .memory_bytes_per_s = card.memory_bytes_per_s * slice.eighths / 8,
            .bf16_flops = card.bf16_flops * compute,
            .fp8_flops = card.fp8_flops * compute,
            .fp4_flops = card.fp4_flops * compute,
            .scale_out_bytes_per_s = card.scale_out_bytes_per_s / slice.per_card,
            .watts = card.watts / slice.per_card,
            .dollars_per_hour_low = card.dollars_per_hour_low / slice.per_card,
            .dollars_per_hour_high = card.dollars_per_hour_high / slice.per_card,
            .is_slice = true};
}

std::vector<Accelerator> read_catalogue() {
    std::vector<Accelerator> out;
    std::string_view rows(kRows);
    rows.remove_prefix(rows.find('\n') + 1);
    while (!rows.empty()) {
        const size_t end = rows.find('\n');
        out.push_back(accelerator_of(rows.substr(0, end)));
        rows.remove_prefix(end + 1);
    }
    const std::vector<Accelerator> cards = out;
    for (const Accelerator& card : cards)
        if (card.name == "H100 SXM 80GB")
            for (const Slice& slice : kH100Slices)
                out.push_back(slice_of(card, slice));
    return out;
}

}  // namespace

const std::vector<Accelerator>& known_accelerators() {
    static const std::vector<Accelerator> kKnown = read_catalogue();
    return kKnown;
}

}  // namespace brigada
