#include "base/processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#include "base/thread_pool.h"

namespace minitorch::base {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double quota_v2(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.max");  // "max 100000" or "150000 100000"
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return kUnlimited;
  char* end = nullptr;
  const double value = std::strtod(quota.c_str(), &end);
  return *end == '\0' && value > 0 ? value / period : kUnlimited;
}

double quota_v1(const std::filesystem::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");  // -1: no quota
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return kUnlimited;
  return quota > 0 && period > 0 ? quota / period : kUnlimited;
}

/// The tightest quota from `path` (absolute within the hierarchy) up to its root.
double tightest(const std::filesystem::path& mount, const std::filesystem::path& path,
                double (*quota)(const std::filesystem::path&)) {
  double limit = quota(mount);
  std::filesystem::path group = mount;
  for (const auto& part : path.relative_path()) {
    group /= part;
    limit = std::min(limit, quota(group));
  }
  return limit;
}

bool lists(const std::string& controllers, const std::string& name) {
  std::istringstream parts(controllers);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part == name) return true;
  }
  return false;
}

std::string own_membership() {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

size_t affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more processors than cpu_set_t has bits.
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return std::thread::hardware_concurrency();
  }
  return static_cast<size_t>(CPU_COUNT(&set));
}

}  // namespace

double cgroup_processors(const std::filesystem::path& root,
                         const std::string& membership) {
  double limit = kUnlimited;
  std::istringstream lines(membership);
  // Each line is "id:controllers:path"; version 2 has id 0 and no controllers.
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second =
        line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path path = line.substr(second + 1);
    if (controllers.empty()) {
      limit = std::min(limit, tightest(root, path, quota_v2));
    } else if (lists(controllers, "cpu")) {
      limit = std::min(limit, tightest(root / "cpu", path, quota_v1));
    }
  }
  return limit;
}

size_t available_processors() {
  const double quota = cgroup_processors("/sys/fs/cgroup", own_membership());
  const size_t allowed = std::max<size_t>(affinity_count(), 1);
  if (quota >= static_cast<double>(allowed)) return allowed;
  // Half a processor more is worth a thread; less than one still needs one.
  return std::max<size_t>(static_cast<size_t>(std::ceil(quota)), 1);
}

}  // namespace minitorch::base
