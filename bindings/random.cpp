// Owns the binding of the random state and random tensors.
#include "ops/random.h"

#include "autograd/tensor.h"
#include "bindings/array_arguments.h"

namespace minitorch::bindings {

void init_random(py::module_& module) {
  module.def("manual_seed", &ops::manual_seed, py::arg("seed"),
             "Starts the sequence of random numbers anew.");
  module.def(
      "random_state",
      [] {
        const ops::RandomState state = ops::random_state();
        return py::make_tuple(state.seed, state.drawn);
      },
      "Where the sequence stands: (seed, drawn).");
  module.def(
      "set_random_state",
      [](uint64_t seed, uint64_t drawn) { ops::set_random_state({seed, drawn}); },
      py::arg("seed"), py::arg("drawn"), "Goes on from where a sequence stood.");
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
