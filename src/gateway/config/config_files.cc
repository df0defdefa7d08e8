#include "gateway/config/config_files.h"

#include <algorithm>
#include <optional>

#include "gateway/config/yaml_document.h"

namespace brigada {
namespace {

class IncludeWalk {
  public:
    IncludeWalk(const ConfigFileReader& read, const Environ& environment, ConfigNotes& notes)
        : read_(read), environment_(environment), notes_(notes) {}

    /// `from` is where the file is named; nothing for the first one.
    void visit(const Path& path, const YamlValue* from) {
        const auto root = load(path, from);
        if (!root) return;
        files_.push_back({path, *root});
        open_.push_back(path);
        visit_includes(path, *root);
        open_.pop_back();
    }

    std::vector<ConfigFile> take() { return std::move(files_); }

  private:
    std::optional<YAML::Node> load(const Path& path, const YamlValue* from) {
        const auto text = read_(path);
        if (!text.ok()) {
            refuse(text.error(), from);
            return std::nullopt;
        }
        auto root = parse_yaml(*text, path.string());
        if (!root.ok()) {
            notes_.error(root.error().message);
            return std::nullopt;
        }
        return *std::move(root);
    }

    void refuse(const Error& error, const YamlValue* from) {
        if (from)
            from->error(error.message);
        else
            notes_.error(error.message);
    }

    void visit_includes(const Path& path, const YAML::Node& root) {
        if (!root.IsMap()) return;  // the reader of the sections says so
        const YAML::Node list = root["include"];
        if (!list.IsDefined() || list.IsNull()) return;
        const YamlScope scope{path.string(), environment_, notes_};
        const YamlValue value(scope, list, "include");
        if (value.is_scalar()) return visit_include(path, value);
        for (const YamlValue& item : value.items())
            visit_include(path, item);
    }

    void visit_include(const Path& path, const YamlValue& value) {
        const auto name = value.text();
        if (!name) return;
        const Path included = (path.parent_path() / *name).lexically_normal();
        if (std::ranges::count(open_, included) > 0)
            return value.error(concat("a file that includes itself: ", chain_to(included)));
        if (std::ranges::count(files_, included, &ConfigFile::path) > 0)
            return value.warn(concat(included.string(), " is included already"));
        if (files_.size() >= kMaxConfigFiles)
            return value.error(concat("more than ", kMaxConfigFiles, " files"));
        visit(included, &value);
    }

    std::string chain_to(const Path& last) const {
        std::string out;
        for (auto each = std::ranges::find(open_, last); each != open_.end(); ++each)
            out += each->string() + " -> ";
        return out + last.string();
    }

    const ConfigFileReader& read_;
    const Environ& environment_;
    ConfigNotes& notes_;
    std::vector<ConfigFile> files_;
    std::vector<Path> open_;  // from the first file to the one being read
};

}  // namespace

std::vector<ConfigFile> read_config_files(const Path& path, const ConfigFileReader& read,
                                          const Environ& environment, ConfigNotes& notes) {
    IncludeWalk walk(read, environment, notes);
    walk.visit(path.lexically_normal(), nullptr);
    return walk.take();
}

}  // namespace brigada
