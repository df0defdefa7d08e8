#include "gateway/config/yaml_document.h"

#include <yaml-cpp/eventhandler.h>

#include <exception>
#include <sstream>

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

/// Hears where each document begins, and keeps nothing of it.
class DocumentStarts : public YAML::EventHandler {
  public:
    void OnDocumentStart(const YAML::Mark& mark) override { last_ = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

    const YAML::Mark& last() const { return last_; }

  private:
    YAML::Mark last_;
};

/// Two steps at most: before a ',' at its top level yaml-cpp finds empty documents without end.
Result<void> check_single(const std::string& text, std::string_view file) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    if (!parser.HandleNextDocument(starts) || !parser.HandleNextDocument(starts)) return {};
    return Error{Code::invalid_argument,
                 concat(place(file, starts.last()), ": a second document; one per file is read")};
}

Result<YAML::Node> only_document(const std::string& text, std::string_view file) {
    TRY(check_single(text, file));
    const YAML::Node root = YAML::Load(text);
    TRY(Bounds(file).visit(root));
    return root;
}

}  // namespace

Result<YAML::Node> parse_yaml(std::string_view text, std::string_view file) {
    if (text.size() > kMaxConfigBytes)
        return Error{Code::too_large, concat(file, ": ", text.size(), " bytes; at most ",
                                             kMaxConfigBytes, " are read")};
    try {
        return only_document(std::string(text), file);
    } catch (const YAML::Exception& e) {
        return Error{Code::invalid_argument, concat(place(file, e.mark), ": not YAML: ", e.msg)};
    } catch (const std::exception& e) {
        return Error{Code::invalid_argument, concat(file, ": not YAML: ", e.what())};
    }
}

}  // namespace brigada
