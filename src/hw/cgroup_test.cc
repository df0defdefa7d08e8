#include "hw/cgroup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "hw/cpu.h"

namespace brigada {
namespace {

/// A made-up root folder, removed at the end.
class Tree {
  public:
    Tree() {
        std::string name = (std::filesystem::temp_directory_path() / "cgroup_XXXXXX").string();
        CHECK(mkdtemp(name.data()) != nullptr, "in ", name);
        root_ = name;
    }
    ~Tree() { std::filesystem::remove_all(root_); }

    const Path& root() const { return root_; }

    Tree& file(const Path& path, std::string_view text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
        return *this;
    }

  private:
    Path root_;
};

TEST(CgroupLimits, are_unset_when_there_are_no_files) {
    const CgroupLimits limits = read_cgroup_limits(Tree().root());
    EXPECT_FALSE(limits.cpus.has_value());
    EXPECT_FALSE(limits.memory_bytes.has_value());
}

TEST(CgroupLimits, of_version_2_take_the_narrowest_ancestor) {
    Tree tree;
    tree.file("proc/self/cgroup", "0::/pods/one\n")
        .file("sys/fs/cgroup/pods/cpu.max", "150000 100000\n")
        .file("sys/fs/cgroup/pods/memory.max", "3000000\n")
        .file("sys/fs/cgroup/pods/memory.current", "2500000\n")
        .file("sys/fs/cgroup/pods/memory.stat", "anon 1000000\ninactive_file 500000\n")
        .file("sys/fs/cgroup/pods/one/cpu.max", "400000 100000\n")
        .file("sys/fs/cgroup/pods/one/memory.max", "max\n");
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    EXPECT_DOUBLE_EQ(limits.cpus.value(), 1.5);
    EXPECT_EQ(limits.memory_bytes.value(), 3'000'000u);
    EXPECT_EQ(limits.memory_used_bytes, 2'000'000u);
}

TEST(CgroupLimits, of_version_1_are_read_per_controller) {
    Tree tree;
    tree.file("proc/self/cgroup", "4:memory:/a\n2:cpu,cpuacct:/b\n0::/\n")
        .file("sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "50000\n")
        .file("sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000\n")
        .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        .file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "8192\n")
        .file("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4096\n");
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    EXPECT_DOUBLE_EQ(limits.cpus.value(), 0.5);
    EXPECT_EQ(limits.memory_bytes.value(), 8192u);
    EXPECT_EQ(limits.memory_used_bytes, 4096u);
}

TEST(CgroupLimits, of_a_container_stand_at_the_mount) {
    Tree tree;  // the path is the host's and does not exist in here
    tree.file("proc/self/cgroup", "0::/../../kubepods/pod7\n")
        .file("sys/fs/cgroup/cpu.max", "200000 100000\n");
    EXPECT_DOUBLE_EQ(read_cgroup_limits(tree.root()).cpus.value(), 2.0);
}

TEST(CgroupLimits, ignore_what_makes_no_sense) {
    Tree tree;
    tree.file("proc/self/cgroup", "garbage\n0::/\n:::\n")
        .file("sys/fs/cgroup/cpu.max", "-5 0\n")
        .file("sys/fs/cgroup/memory.max", "99999999999999999999999\n");
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    EXPECT_FALSE(limits.cpus.has_value());
    EXPECT_FALSE(limits.memory_bytes.has_value());
}

TEST(CpuFacts, stay_within_the_cgroup) {
    Tree tree;
    tree.file("proc/self/cgroup", "0::/\n")
        .file("proc/meminfo", "MemTotal:  8000 kB\nMemFree: 10 kB\nMemAvailable:  6000 kB\n")
        .file("sys/fs/cgroup/cpu.max", "10000 100000\n")
        .file("sys/fs/cgroup/memory.max", "4096000\n")
        .file("sys/fs/cgroup/memory.current", "1024000\n");
    const CpuFacts facts = read_cpu_facts(tree.root());
    EXPECT_EQ(facts.cores, 1u);
    EXPECT_EQ(facts.memory_bytes, 4'096'000u);
    EXPECT_EQ(facts.available_bytes, 3'072'000u);
}

TEST(CpuFacts, read_meminfo_when_nothing_limits) {
    Tree tree;
    tree.file("proc/meminfo", "MemTotal:  8000 kB\nMemAvailable:  6000 kB\n");
    const CpuFacts facts = read_cpu_facts(tree.root());
    EXPECT_EQ(facts.memory_bytes, 8'192'000u);
    EXPECT_EQ(facts.available_bytes, 6'144'000u);
}

}  // namespace
}  // namespace brigada
