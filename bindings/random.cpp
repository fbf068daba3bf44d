// Owns the binding of the random state and random tensors.
#include "ops/random.h"

#include "autograd/tensor.h"
#include "bindings/array_arguments.h"

namespace minitorch::bindings {

void init_random(py::module_& module) {
  module.def("manual_seed", &ops::manual_seed, py::arg("seed"),
             "Starts the sequence of random numbers anew.");
  module.def(
      "rand",
      [](const array::Shape& shape, array::Dtype dtype, array::Device device) {
        return autograd::make_tensor(ops::rand(shape, dtype, device));
      },
      py::arg("shape"), py::arg("dtype"), py::arg("device"), Nogil(),
      "Uniform in [0, 1).");
  module.def(
      "randn",
      [](const array::Shape& shape, array::Dtype dtype, array::Device device) {
        return autograd::make_tensor(ops::randn(shape, dtype, device));
      },
      py::arg("shape"), py::arg("dtype"), py::arg("device"), Nogil(),
      "Normal with mean 0 and variance 1.");
}

}  // namespace minitorch::bindings
