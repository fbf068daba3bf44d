// Owns the sentences about races, which have two sites. Must not know how they were
// found.
#pragma once

#include <string>

#include "cuda_abi/inspect.h"

namespace minitorch::runtime {

bool is_race(const MtFinding& finding);

/// "race on element 33 of 's' (256 bytes)".
std::string race_what(const MtFinding& finding);

/// "thread (33,0,0) of block (0,0,0) writes it at k.cu:12; thread (1,0,0) of block
/// (0,0,0) reads it at k.cu:14; nothing orders the two".
std::string race_sites(const MtFinding& finding);

/// What would have ordered them: "Same block: put __syncthreads() between them."
std::string race_hint(const MtFinding& finding);

}  // namespace minitorch::runtime
