// Owns the binding of what layer and batch normalisation share. Meaning and defaults
// are Python's (minitorch/functional/normalisation.py).
#include <pybind11/stl.h>

#include "autograd/standardise.h"
#include "bindings/bindings.h"

namespace minitorch::bindings {

using autograd::TensorPtr;

void init_normalisation(py::module_& module) {
  module.def(
      "standardise",
      [](const TensorPtr& x, int64_t outer, int64_t groups, int64_t inner,
         double epsilon, bool batch) {
        return autograd::standardise(x, {outer, groups, inner}, epsilon,
                                     batch ? "batch_norm" : "layer_norm");
      },
      py::arg("x").none(false), py::arg("outer"), py::arg("groups"), py::arg("inner"),
      py::arg("epsilon"), py::arg("batch"), Nogil(),
      "(x - mean) / sqrt(variance + epsilon), mean and biased variance of each group.");
}

}  // namespace minitorch::bindings
