// What happens when no path of a block can run although threads are left.
#pragma once

#include <string>
#include <vector>

#include "simt/warp/context.h"

namespace minitorch::simt {

/// How many threads of the block are at which line.
using Whereabouts = std::vector<MtWhereabouts>;

/// True when paths were released and the block can go on; else it has got its fault.
bool resolve_stall(Context& context, Block& block);

/// Ends a block whose loop never ends: at the backward branch where most time slices
/// ended, with a waiting barrier as the other site.
void stop_endless(Context& context, const Block& block, MtFindingKind kind,
                  const std::string& detail, Whereabouts whereabouts = {});

/// The same for a launch that has used its time without getting on.
void stop_late(Context& context, const Block& block);

/// Ends a block all of whose paths repeat their states: a deadlock when they wait for
/// memory to change, else a loop that does not end. `all_started`: no block of the grid
/// is still to begin, so that none of them can be what the others wait for.
void stop_repeating(Context& context, const Block& block, bool all_started);

}  // namespace minitorch::simt
