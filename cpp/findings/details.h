// The clause that only the finder knows: what else happened, and where.
#pragma once

#include <string>

#include "cuda_abi/inspect.h"
#include "findings/fields.h"

namespace minitorch::findings {

/// `the other thread reads; same block: put __syncthreads() between them`, `nothing
/// orders this, in stream 5, and a fill, in the default stream, which writes the same`,
/// `the barrier waits for threads that never arrive: 32 waiting at line 8`; else what
/// MtFinding::detail holds. At most 255 bytes.
std::string detail_text(const MtFinding& finding, const Wording& wording = {});

/// What would have ordered the two accesses of a race; "" where the finder does not
/// say.
std::string missing_order_text(const MtFinding& finding, const Wording& wording);

}  // namespace minitorch::findings
