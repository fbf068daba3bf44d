// The advice for a race, by what the PTX shows of how threads use the element: a load
// that ends in a store to the same place wants an atomic.
#pragma once

#include "simt/warp/findings.h"

namespace minitorch::simt {

/// The advice that fits the race of `record`; its own where the PTX shows nothing more
/// than which threads race.
MtRemedy race_remedy(const ptx::Module& module, const FindingRecord& record);

}  // namespace minitorch::simt
