#include "gateway/config/yaml_document.h"

#include <exception>
#include <vector>

namespace brigada {
namespace {

std::string place(std::string_view file, const YAML::Mark& mark) {
    if (mark.is_null()) return std::string(file);
    return concat(file, ":", mark.line + 1, ":", mark.column + 1);
}

/// Counts values with aliases expanded, and stops at the first bound it meets.
class Bounds {
  public:
    explicit Bounds(std::string_view file) : file_(file) {}

    Result<void> visit(const YAML::Node& node, int depth = 1) {
        if (depth > kMaxYamlDepth)
            return over(node, concat("nested deeper than ", kMaxYamlDepth,
                                     ", or an anchor that contains itself"));
        if (++values_ > kMaxYamlValues)
            return over(node, concat("more than ", kMaxYamlValues,
                                     " values once its aliases are expanded"));
        for (const auto& child : node) {
            if (node.IsSequence()) {
                TRY(visit(child, depth + 1));
                continue;
            }
            TRY(visit(child.first, depth + 1));
            TRY(visit(child.second, depth + 1));
        }
        return {};
    }

  private:
    Error over(const YAML::Node& node, std::string_view what) const {
        return {Code::too_large, concat(place(file_, node.Mark()), ": ", what)};
    }

    std::string_view file_;
    int values_ = 0;
};

Result<YAML::Node> only_document(std::string_view text, std::string_view file) {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.empty()) return YAML::Node();
    if (documents.size() > 1)
        return Error{Code::invalid_argument, concat(place(file, documents[1].Mark()),
                                                    ": a second document; one per file is read")};
    TRY(Bounds(file).visit(documents[0]));
    return documents[0];
}

}  // namespace

Result<YAML::Node> parse_yaml(std::string_view text, std::string_view file) {
    if (text.size() > kMaxConfigBytes)
        return Error{Code::too_large, concat(file, ": ", text.size(), " bytes; at most ",
                                             kMaxConfigBytes, " are read")};
    try {
        return only_document(text, file);
    } catch (const YAML::Exception& e) {
        return Error{Code::invalid_argument, concat(place(file, e.mark), ": not YAML: ", e.msg)};
    } catch (const std::exception& e) {
        return Error{Code::invalid_argument, concat(file, ": not YAML: ", e.what())};
    }
}

}  // namespace brigada
