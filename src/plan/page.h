// Page: arithmetic that a person can follow. Every number of a plan is a Line that says what it is,
// the formula, the formula with its numbers, and where those come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace brigada {

struct Line {
    std::string name = {};     // "KV of a token"
    std::string formula = {};  // "layers x 2 x KV heads x head dimension x bytes"
    std::string numbers = {};  // "64 x 2 x 8 x 128 x 2"
    double value = 0;
    std::string unit = {};
    std::string source = {};  // where the numbers come from; "": the lines above
};

struct Section {
    std::string title = {};
    std::vector<Line> lines = {};
};

class PlanPage {
  public:
    /// Lines that follow stand under this title.
    void section(std::string title) { sections_.push_back({.title = std::move(title)}); }

    /// The line's value, so that a step computes and explains in one place.
    double add(Line line);

    /// Something to know that is no number; stands where a line would.
    void note(std::string text);

    /// The line of this name, the first of several; nullptr when there is none.
    const Line* find(std::string_view name) const;
    const std::vector<Section>& sections() const { return sections_; }

  private:
    std::vector<Section> sections_;
};

/// A value as a page shows it: 4 significant digits, whole numbers in full: "327,680", "43.33".
std::string shown(double value);

std::string page_text(const PlanPage& page);
Json to_json(const PlanPage& page);

}  // namespace brigada
