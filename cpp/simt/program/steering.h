// Which values of a function decide where its threads go and which memory they touch. A
// loop in which these repeat repeats itself, whatever else it counts.
#pragma once

#include <vector>

#include "simt/program/warp_program.h"

namespace minitorch::simt {

/// By Value::id. Left out is what is only stored or computed with: whoever steers by
/// what was stored has to load it first.
std::vector<bool> find_steering(const WarpProgram& program);

}  // namespace minitorch::simt
