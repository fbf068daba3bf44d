// Owns what happens when no path of a block can run although threads are left.
#pragma once

#include "emulator/context.h"

namespace minitorch::emulator {

/// True when paths were released and the block can go on; else it has got its fault.
bool resolve_stall(Context& context, Block& block);

}  // namespace minitorch::emulator
