// The reading of a cgroup's processor quota.
#pragma once

#include <filesystem>
#include <string>

namespace minitorch::base {

/// Processors that the quota of this process's control group pays for (1.5 means half
/// of every second period on a second one), the tightest of the group and its
/// ancestors; infinity without a quota. `root` is where control groups are mounted,
/// `membership` the text of /proc/self/cgroup. Understands versions 1 and 2.
double cgroup_processors(const std::filesystem::path& root,
                         const std::string& membership);

}  // namespace minitorch::base
