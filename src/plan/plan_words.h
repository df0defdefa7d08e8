// PlanWords: what a person said about a plan, word by word, from flags, a YAML file or answers to
// questions. They share names, and one function understands them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plan/request.h"

namespace brigada {

struct PlanWord {
    std::string text = {};
    std::string place = {};  // "--developers", "plan.yaml:3:13: developers"
};

/// One thing that can be said.
struct PlanField {
    std::string name = {};  // as a flag; in a file with underscores
    std::string type = {};  // "N", "GIB", ...
    std::string help = {};
    std::string standard = {};  // what holds when nothing is said; for people
    bool is_list = false;
};

const std::vector<PlanField>& plan_fields();

class PlanWords {
  public:
    /// Instead of what was said of the field before.
    void say(const std::string& field, std::vector<PlanWord> words) {
        words_[field] = std::move(words);
    }
    bool has(const std::string& field) const { return words_.contains(field); }
    bool empty() const { return words_.empty(); }

    /// Nothing when it was not said.
    const std::vector<PlanWord>* find(const std::string& field) const;

    /// "profile.prompt_tokens" and the like: the words of all fields that begin so.
    std::vector<std::pair<std::string, PlanWord>> under(std::string_view prefix) const;

    /// What `other` says counts, the rest stays.
    void add(const PlanWords& other);

  private:
    std::map<std::string, std::vector<PlanWord>> words_;
};

/// A YAML file: the names of plan_fields() with underscores, `profile` by its name or as a map of
/// numbers on top of `name`, accelerators by name or as maps, tenants as a map of tokens per
/// minute. Errors name file, line, column and field.
Result<PlanWords> read_plan_yaml(std::string_view text, std::string_view file);

/// Error::invalid_argument and ::not_found name the place, the word and what would work.
Result<PlanRequest> understand(const PlanWords& words);

}  // namespace brigada
