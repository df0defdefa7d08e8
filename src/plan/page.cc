#include "plan/page.h"

#include <cmath>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

std::string with_commas(std::string digits) {
    for (size_t at = digits.size(); at > 3;) {
        at -= 3;
        if (digits[at - 1] != '-') digits.insert(at, ",");
    }
    return digits;
}

std::string text_of(const Line& line) {
    std::string out = concat("  ", line.name);
    if (line.formula.empty()) return out + "\n";
    out += fmt::format(": {} {}\n", shown(line.value), line.unit);
    out += concat("      = ", line.formula, "\n");
    if (!line.numbers.empty() && line.numbers != line.formula)
        out += concat("      = ", line.numbers, "\n");
    if (!line.source.empty()) out += concat("      source: ", line.source, "\n");
    return out;
}

}  // namespace

double PlanPage::add(Line line) {
    CHECK(!sections_.empty(), "a line needs a title above it");
    sections_.back().lines.push_back(std::move(line));
    return sections_.back().lines.back().value;
}

void PlanPage::note(std::string text) {
    add({.name = std::move(text)});
}

const Line* PlanPage::find(std::string_view name) const {
    for (const Section& section : sections_)
        for (const Line& line : section.lines)
            if (line.name == name) return &line;
    return nullptr;
}

std::string shown(double value) {
    if (!std::isfinite(value)) return value > 0 ? "endless" : "-endless";
    const double size = std::abs(value);
    if (size >= 1000 && size < 1e15) return with_commas(fmt::format("{:.0f}", value));
    if (value == std::floor(value) && size < 1000) return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value);
}

std::string page_text(const PlanPage& page) {
    std::string out;
    for (const Section& section : page.sections()) {
        out += concat(out.empty() ? "" : "\n", section.title, "\n");
        for (const Line& line : section.lines)
            out += text_of(line);
    }
    return out;
}

Json to_json(const PlanPage& page) {
    Json out = Json::array();
    for (const Section& section : page.sections())
        for (const Line& line : section.lines)
            out.push_back({{"section", section.title},
                           {"name", line.name},
                           {"formula", line.formula},
                           {"numbers", line.numbers},
                           {"value", std::isfinite(line.value) ? Json(line.value) : Json()},
                           {"unit", line.unit},
                           {"source", line.source}});
    return out;
}

}  // namespace brigada
