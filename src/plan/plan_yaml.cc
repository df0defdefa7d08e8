// The YAML file of a plan, as words with their places.
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/concat.h"
#include "plan/plan_words.h"

namespace brigada {

namespace {

constexpr size_t kMaxPlanBytes = 1 << 20;

class Reader {
  public:
    explicit Reader(std::string_view file) : file_(file) {}

    Result<PlanWords> read(const YAML::Node& root) {
        if (root.IsNull()) return std::move(words_);
        if (!root.IsMap())
            return wrong(root, "", "a map of fields is wanted, such as model: qwen3-32b");
        for (const auto& entry : root)
            TRY(field(entry.first, entry.second));
        return std::move(words_);
    }

  private:
    std::string place(const YAML::Node& node, std::string_view field) const {
        const YAML::Mark mark = node.Mark();
        std::string at(file_);
        if (!mark.is_null()) at += concat(":", mark.line + 1, ":", mark.column + 1);
        return field.empty() ? at : concat(at, ": ", field);
    }

    Error wrong(const YAML::Node& node, std::string_view field, std::string_view wants) const {
        return {Code::invalid_argument, concat(place(node, field), ": ", wants)};
    }

    Result<void> field(const YAML::Node& key, const YAML::Node& value) {
        if (!key.IsScalar()) return wrong(key, "", "a field's name is wanted");
        const std::string& name = key.Scalar();
        if (value.IsNull()) return {};
        if (name == "profile" && value.IsMap()) return profile(value);
        if (name == "tenants") return numbers(value, name);
        std::string flag = name;
        std::ranges::replace(flag, '_', '-');
        const auto known = std::ranges::find(plan_fields(), flag, &PlanField::name);
        if (known == plan_fields().end()) return wrong(key, name, unknown());
        if (value.IsSequence() && !known->is_list) return wrong(value, name, "one value is wanted");
        return list(value, flag, name);
    }

    static std::string unknown() {
        std::string names;
        for (const PlanField& known : plan_fields()) {
            std::string name = known.name;
            std::ranges::replace(name, '-', '_');
            names += concat(names.empty() ? "" : ", ", name);
        }
        return concat("unknown; there are ", names, " and tenants");
    }

    Result<void> list(const YAML::Node& value, const std::string& flag, const std::string& name) {
        std::vector<PlanWord> words;
        if (!value.IsSequence()) {
            TRY(PlanWord word, one(value, name));
            words.push_back(std::move(word));
        } else {
            for (const auto& element : value) {
                TRY(PlanWord word, one(element, name));
                words.push_back(std::move(word));
            }
        }
        words_.say(flag, std::move(words));
        return {};
    }

    /// A scalar, or a flat map as JSON text (a declared accelerator).
    Result<PlanWord> one(const YAML::Node& value, const std::string& name) const {
        if (value.IsScalar()) return PlanWord{.text = value.Scalar(), .place = place(value, name)};
        if (!value.IsMap() || name != "gpu") return wrong(value, name, "a plain value is wanted");
        Json row = Json::object();
        for (const auto& entry : value) {
            if (!entry.first.IsScalar() || !entry.second.IsScalar())
                return wrong(value, name, "a declared accelerator is a flat map of numbers");
            const std::string& text = entry.second.Scalar();
            const Json parsed = Json::parse(text, nullptr, false);
            row[entry.first.Scalar()] =
                parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
        }
        return PlanWord{.text = dump_json(row), .place = place(value, name)};
    }

    Result<void> numbers(const YAML::Node& value, const std::string& name) {
        if (!value.IsMap()) return wrong(value, name, "a map of numbers is wanted");
        for (const auto& entry : value) {
            if (!entry.first.IsScalar() || !entry.second.IsScalar())
                return wrong(value, name, "a map of numbers is wanted");
            const std::string full = concat(name, ".", entry.first.Scalar());
            words_.say(full, {{.text = entry.second.Scalar(), .place = place(entry.second, full)}});
        }
        return {};
    }

    Result<void> profile(const YAML::Node& value) {
        TRY(numbers(value, "profile"));
        if (const std::vector<PlanWord>* name = words_.find("profile.name")) {
            words_.say("profile", {name->front()});
            words_.say("profile.name", {});
        }
        return {};
    }

    std::string_view file_;
    PlanWords words_;
};

}  // namespace

Result<PlanWords> read_plan_yaml(std::string_view text, std::string_view file) {
    if (text.size() > kMaxPlanBytes)
        return Error{Code::too_large, concat(file, ": more than 1 MiB is no plan")};
    try {
        return Reader(file).read(YAML::Load(std::string(text)));
    } catch (const YAML::ParserException& error) {
        return Error{Code::invalid_argument, concat(file, ":", error.mark.line + 1, ":",
                                                    error.mark.column + 1, ": ", error.msg)};
    } catch (const YAML::Exception& error) {
        return Error{Code::invalid_argument, concat(file, ": ", error.what())};
    }
}

}  // namespace brigada
