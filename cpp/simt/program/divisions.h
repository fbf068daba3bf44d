// The question which integer divisions may come to nothing: a compiler computes a
// quotient before the test of its divisor and then does not use it.
#pragma once

#include <vector>

#include "ptx/program.h"

namespace minitorch::simt {

/// By instruction: integer divisions whose result has to be followed. Behind all others
/// it is used whatever way a thread takes, so that a division by zero can be reported
/// at once.
std::vector<bool> find_followed_divisions(const ptx::Function& function);

}  // namespace minitorch::simt
