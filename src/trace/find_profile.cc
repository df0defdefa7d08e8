// find_profile: a built-in profile by its name, or one from a file. The only file of trace that
// opens files.
#include <filesystem>

#include "base/concat.h"
#include "base/file.h"
#include "base/joined.h"
#include "trace/profile.h"

namespace brigada {

namespace {

constexpr size_t kLargestProfile = 64 << 20;

}  // namespace

Result<Profile> find_profile(const std::string& name_or_path) {
    Result<Profile> builtin = builtin_profile(name_or_path);
    if (builtin.ok()) return builtin;
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(name_or_path, unreadable))
        return Error{Code::not_found, concat("no profile '", name_or_path, "': a file, or one of ",
                                             joined(builtin_profile_names()))};
    TRY(const std::string text, read_file(name_or_path, kLargestProfile));
    TRY(const Json json, parse_json(text, name_or_path));
    Result<Profile> profile = read_profile(json);
    if (!profile.ok()) return std::move(profile).error().in(name_or_path);
    return profile;
}

}  // namespace brigada
