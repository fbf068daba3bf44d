// The Python form of a finding's raw fields.
#pragma once

#include <pybind11/pybind11.h>

#include "cuda_abi/inspect.h"
#include "runtime/findings.h"

namespace minitorch::bindings {

/// Fields of `KernelError` and `Finding` (minitorch/cuda/errors.py) as plain
/// values; None where the finding does not say.
pybind11::dict finding_fields(const MtFinding& finding);

/// The same with launch site, text, and the words of the catalogue (FindingWords).
pybind11::dict whole_finding(const runtime::Finding& finding);

}  // namespace minitorch::bindings
