// The question which loads of shared memory share no interval between two barriers of
// the block with a store: nothing can race with those.
#pragma once

#include <vector>

#include "ptx/program.h"

namespace minitorch::simt {

/// By instruction of an entry. Holds while all threads of a block pass each barrier at
/// the same instruction.
std::vector<bool> find_lone_loads(const ptx::Function& function);

}  // namespace minitorch::simt
