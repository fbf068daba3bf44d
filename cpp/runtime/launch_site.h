// The Python lines of launches, as tags, and the latest launches for messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace minitorch::runtime {

/// Sets who names the source line of a launch ("train.py:12"); called at each launch.
void set_launch_site_provider(std::function<std::string()> provider);

/// A tag for the present launch site and the launched kernel's `owner` (a number that
/// means something to whoever made the kernel, or 0), and the site ("" if unknown) and
/// owner of a tag. Tags are kept up to a bound; beyond it they are 0. A tag takes the
/// bits of kTagMask; what is above them is not looked at (inspection.h).
inline constexpr uint64_t kTagMask = 0xffffffff;
uint64_t launch_tag(uint32_t owner = 0);
std::string launch_site(uint64_t tag);
uint32_t launch_owner(uint64_t tag);

/// Keeps a launch ("kernel at train.py:12") among the latest ones.
void note_launch(std::string launch);
/// The latest launches since the last synchronisation.
std::vector<std::string> launches_since_sync();
void forget_launches_since_sync();

}  // namespace minitorch::runtime
