#include "hw/cgroup.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {
namespace {

/// Version 1 writes "no limit" as the largest page-aligned int64; nothing real comes near 2^60.
constexpr uint64_t kNoMemoryLimit = uint64_t{1} << 60;

std::optional<int64_t> to_number(std::string_view text) {
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::vector<std::string> words_of(const Path& file) {
    std::ifstream in(file);
    std::vector<std::string> words;
    for (std::string word; words.size() < 64 && in >> word;)
        words.push_back(word);
    return words;
}

std::optional<int64_t> number_in(const Path& file) {
    const std::vector<std::string> words = words_of(file);
    return words.size() == 1 ? to_number(words[0]) : std::nullopt;
}

/// The value of `key` in a file of "key value" lines; 0 when absent.
uint64_t value_of(const Path& file, std::string_view key) {
    const std::vector<std::string> words = words_of(file);
    for (size_t i = 0; i + 1 < words.size(); i += 2)
        if (words[i] == key) return static_cast<uint64_t>(to_number(words[i + 1]).value_or(0));
    return 0;
}

struct Group {
    std::string path;  // below the controller's mount, "/a/b"
    bool version2 = false;
};

/// The group of `controller` in /proc/self/cgroup: a version 1 line that lists it, else version
/// 2's.
std::optional<Group> group_of(const Path& root, std::string_view controller) {
    std::ifstream in(root / "proc/self/cgroup");
    std::optional<Group> found;
    for (std::string line; std::getline(in, line);) {
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string path = line.substr(second + 1);
        if (controllers.find("," + std::string(controller) + ",") != std::string::npos)
            return Group{path, false};
        if (controllers == ",,") found = Group{path, true};
    }
    return found;
}

/// Folders of the group and its ancestors, innermost first. Inside a container the path of
/// /proc/self/cgroup may be the host's and absent here; the mount itself is then the group.
std::vector<Path> folders_of(const Path& root, const Group& group, std::string_view controller) {
    const Path mount =
        group.version2 ? root / "sys/fs/cgroup" : root / "sys/fs/cgroup" / controller;
    std::vector<Path> folders;
    for (Path path = Path(group.path).relative_path().lexically_normal();
         !path.empty() && *path.begin() != ".."; path = path.parent_path())
        folders.push_back(mount / path);
    folders.push_back(mount);
    return folders;
}

std::optional<double> cpu_quota(const Path& folder, bool version2) {
    std::optional<int64_t> quota, period;
    if (version2) {
        const std::vector<std::string> words = words_of(folder / "cpu.max");  // "max 100000"
        if (words.size() == 2) quota = to_number(words[0]), period = to_number(words[1]);
    } else {
        quota = number_in(folder / "cpu.cfs_quota_us");  // -1: none
        period = number_in(folder / "cpu.cfs_period_us");
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

struct MemoryUse {
    uint64_t limit = 0;
    uint64_t used = 0;
};

std::optional<MemoryUse> memory_use(const Path& folder, bool version2) {
    const auto limit = number_in(folder / (version2 ? "memory.max" : "memory.limit_in_bytes"));
    if (!limit || *limit <= 0 || static_cast<uint64_t>(*limit) >= kNoMemoryLimit)
        return std::nullopt;
    const auto used = number_in(folder / (version2 ? "memory.current" : "memory.usage_in_bytes"));
    const uint64_t cache =
        value_of(folder / "memory.stat", version2 ? "inactive_file" : "total_inactive_file");
    const uint64_t gross = used && *used > 0 ? static_cast<uint64_t>(*used) : 0;
    return MemoryUse{static_cast<uint64_t>(*limit), gross - std::min(gross, cache)};
}

}  // namespace

CgroupLimits read_cgroup_limits(const Path& root) {
    CgroupLimits limits;
    if (const auto group = group_of(root, "cpu"))
        for (const Path& folder : folders_of(root, *group, "cpu"))
            if (const auto cpus = cpu_quota(folder, group->version2))
                limits.cpus = std::min(limits.cpus.value_or(*cpus), *cpus);
    if (const auto group = group_of(root, "memory"))
        for (const Path& folder : folders_of(root, *group, "memory")) {
            const auto memory = memory_use(folder, group->version2);
            if (!memory || (limits.memory_bytes && *limits.memory_bytes <= memory->limit)) continue;
            limits.memory_bytes = memory->limit;
            limits.memory_used_bytes = memory->used;
        }
    return limits;
}

}  // namespace brigada
