// What paths look at while they go round: the place in memory, whose it is, and what it
// holds when that is a cuda::barrier.
#pragma once

#include <string>

#include "simt/warp/context.h"

namespace minitorch::simt {

/// Calls `look(warp, path)` for each path that could run.
template <class Look>
void for_each_ready(const Block& block, Look look) {
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.ready_count; ++i) {
      look(warp, warp.ready[(warp.ready_head + i) % kLanes]);
    }
  }
}

/// Whether a path of the block goes round until the host changes memory of its own.
bool waits_for_host(const LaunchState& launch, const Block& block);

/// Whether a path of the block goes round until memory changes that others may write.
bool waits_for_others(const Block& block);

/// "cuda::barrier 'bar' has 63 of 64 arrivals and nobody else comes"; empty where no
/// path waits for one.
std::string arrivals_text(const Context& context, const Block& block);

}  // namespace minitorch::simt
