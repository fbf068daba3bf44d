// The binding of pooling. Meaning and defaults are Python's
// (minitorch/functional/pooling.py).
#include "autograd/pooling.h"

#include <pybind11/stl.h>

#include "bindings/array_arguments.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {

using autograd::TensorPtr;
using ops::Pair;
using ops::PoolOptions;

void init_pooling(py::module_& module) {
  const auto x = py::arg("x").none(false);
  const auto kernel = py::arg("kernel"), stride = py::arg("stride"),
             padding = py::arg("padding"), dimensions = py::arg("dimensions");
  module.def(
      "max_pool",
      [](const TensorPtr& x, Pair kernel, Pair stride, Pair padding, Pair dilation,
         int dimensions) {
        const char* where = dimensions == 1 ? "max_pool1d" : "max_pool2d";
        return autograd::max_pool2d(
            x, {{kernel, stride, padding, padding, dilation}, true, where});
      },
      x, kernel, stride, padding, py::arg("dilation"), dimensions, Nogil(),
      "The largest cell of each window of the last two dimensions.");
  module.def(
      "avg_pool",
      [](const TensorPtr& x, Pair kernel, Pair stride, Pair padding, bool count_padding,
         int dimensions) {
        const char* where = dimensions == 1 ? "avg_pool1d" : "avg_pool2d";
        return autograd::avg_pool2d(
            x, {{kernel, stride, padding, padding}, count_padding, where});
      },
      x, kernel, stride, padding, py::arg("count_padding"), dimensions, Nogil(),
      "The mean of each window of the last two dimensions.");
}

}  // namespace minitorch::bindings
