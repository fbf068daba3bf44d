// The binding of convolutions. Meaning and defaults are Python's
// (minitorch/functional/conv.py).
#include <pybind11/stl.h>

#include <optional>

#include "autograd/conv2d.h"
#include "bindings/array_arguments.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {

using autograd::TensorPtr;
using ops::ConvOptions;
using ops::Pair;

void init_convolution(py::module_& module) {
  const auto x = py::arg("x").none(false), w = py::arg("weight").none(false);
  const auto stride = py::arg("stride"), before = py::arg("before"),
             after = py::arg("after"), dilation = py::arg("dilation"),
             groups = py::arg("groups");
  module.def(
      "conv2d",
      [](const TensorPtr& x, const TensorPtr& w, const std::optional<TensorPtr>& bias,
         Pair stride, Pair before, Pair after, Pair dilation, int64_t groups) {
        return autograd::conv2d(
            x, w, bias.value_or(nullptr),
            ConvOptions{stride, before, after, dilation, groups, "conv2d"});
      },
      x, w, py::arg("bias"), stride, before, after, dilation, groups, Nogil(),
      "Convolution of images; `before` and `after` count the padding at both ends.");
  module.def(
      "conv1d",
      [](const TensorPtr& x, const TensorPtr& w, const std::optional<TensorPtr>& bias,
         int64_t stride, int64_t before, int64_t after, int64_t dilation,
         int64_t groups) {
        return autograd::conv1d(
            x, w, bias.value_or(nullptr),
            ConvOptions{
                {1, stride}, {0, before}, {0, after}, {1, dilation}, groups, "conv1d"});
      },
      x, w, py::arg("bias"), stride, before, after, dilation, groups, Nogil(),
      "Convolution of signals; `before` and `after` count the padding at both ends.");
  module.def(
      "conv_transpose2d",
      [](const TensorPtr& g, const TensorPtr& w, const array::Shape& shape, Pair stride,
         Pair before, Pair after, Pair dilation, int64_t groups) {
        return autograd::conv2d_grad_input(
            g, w, shape,
            ConvOptions{stride, before, after, dilation, groups, "conv_transpose2d"});
      },
      x, w, py::arg("shape"), stride, before, after, dilation, groups, Nogil(),
      "The gradient of a convolution's input, which has `shape`.");
}

}  // namespace minitorch::bindings
