// The tests of the processor count; writes its own control-group trees.
#include "base/processors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "base/thread_pool.h"

namespace minitorch::base {
namespace {

class Cgroup : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            ("minitorch_cgroup_" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const auto file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::filesystem::path root_;
};

TEST_F(Cgroup, NoFilesMeanNoLimit) {
  EXPECT_TRUE(std::isinf(cgroup_processors(root_, "0::/\n")));
  EXPECT_TRUE(std::isinf(cgroup_processors(root_, "")));
}

TEST_F(Cgroup, VersionTwoTakesTheTightestAncestor) {
  write("cpu.max", "max 100000\n");
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_processors(root_, "0::/a/b\n"), 1.5);
  EXPECT_TRUE(std::isinf(cgroup_processors(root_, "0::/\n")));
}

TEST_F(Cgroup, VersionTwoSeesTheContainersOwnRoot) {
  write("cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_processors(root_, "0::/not/visible/here\n"), 2.0);
}

TEST_F(Cgroup, VersionOneReadsTheCpuController) {
  write("cpu/job/cpu.cfs_quota_us", "50000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  const std::string membership = "5:memory:/other\n4:cpu,cpuacct:/job\n";
  EXPECT_DOUBLE_EQ(cgroup_processors(root_, membership), 0.5);
}

TEST_F(Cgroup, VersionOneMinusOneMeansNoLimit) {
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(cgroup_processors(root_, "4:cpu:/\n")));
}

TEST_F(Cgroup, DamagedFilesMeanNoLimit) {
  write("cpu.max", "lots of it\n");
  write("a/cpu.max", "1000x 100000\n");
  write("b/cpu.max", "100000 0\n");
  for (const char* path : {"0::/\n", "0::/a\n", "0::/b\n", "nonsense", "1:", "::"}) {
    EXPECT_TRUE(std::isinf(cgroup_processors(root_, path))) << path;
  }
}

TEST(AvailableProcessors, WithinTheMachine) {
  EXPECT_GE(available_processors(), 1u);
  EXPECT_LE(available_processors(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(AvailableProcessors, HonoursTheAffinityMask) {
  size_t seen = 0;
  std::thread([&seen] {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    seen = available_processors();
  }).join();
  EXPECT_EQ(seen, 1u);
}

}  // namespace
}  // namespace minitorch::base
