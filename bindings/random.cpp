// The binding of the random state and random tensors.
#include "ops/random.h"

#include "autograd/tensor.h"
#include "bindings/array_arguments.h"

namespace minitorch::bindings {

using autograd::TensorPtr;

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
  module.def(
      "begin_captured_random",
      [](const TensorPtr& place) { ops::begin_captured_random(place->value); },
      py::arg("place").none(false),
      "This thread draws on cuda for a graph: its kernels read where they begin at "
      "`place`, (2,) of int64.");
  module.def("end_captured_random", &ops::end_captured_random,
             "How many blocks of numbers the graph's kernels take.");
  module.def(
      "place_random",
      [](const TensorPtr& place, int64_t blocks) {
        ops::place_random(place->value, blocks);
      },
      py::arg("place").none(false), py::arg("blocks"), Nogil(),
      "Before a replay: takes `blocks` of the sequence and queues their place.");
}

}  // namespace minitorch::bindings
