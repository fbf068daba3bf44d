// The binding of layer and batch normalisation. Meaning and defaults are Python's
// (minitorch/functional/normalisation.py).
#include <pybind11/stl.h>

#include <optional>

#include "autograd/standardise.h"
#include "bindings/bindings.h"
#include "bindings/tensor_argument.h"

namespace minitorch::bindings {

using autograd::TensorPtr;
using Optional = std::optional<TensorPtr>;

namespace {

TensorPtr layer_norm(const TensorPtr& x, const Optional& weight, const Optional& bias,
                     int64_t rows, int64_t cells, double epsilon) {
  const autograd::Layer layer{{1, rows, cells}, epsilon, "layer_norm"};
  const autograd::Learned learned{weight.value_or(nullptr), bias.value_or(nullptr),
                                  true};
  return std::get<0>(autograd::standardise(x, layer, learned));
}

array::Array array_of(const Optional& a) { return a ? (*a)->value : array::Array(); }

TensorPtr batch_norm(const TensorPtr& x, const Optional& mean, const Optional& variance,
                     const Optional& weight, const Optional& bias,
                     const cpu::Groups& groups, double momentum, double epsilon) {
  const autograd::Layer layer{groups, epsilon, "batch_norm"};
  const ops::Running running{array_of(mean), array_of(variance), momentum};
  return std::get<0>(autograd::standardise(
      x, layer, {weight.value_or(nullptr), bias.value_or(nullptr)}, running));
}

}  // namespace

void init_normalisation(py::module_& module) {
  const auto x = py::arg("x").none(false);
  const auto weight = py::arg("weight"), bias = py::arg("bias");
  const auto outer = py::arg("outer"), groups = py::arg("groups");
  const auto inner = py::arg("inner"), epsilon = py::arg("epsilon");
  module.def("layer_norm", &layer_norm, x, weight, bias, py::arg("rows"),
             py::arg("cells"), epsilon, Nogil(),
             "(x - mean) / sqrt(variance + epsilon) * weight + bias of each row.");
  module.def(
      "batch_norm",
      [](const TensorPtr& x, const Optional& mean, const Optional& variance,
         const Optional& weight, const Optional& bias, int64_t outer, int64_t groups,
         int64_t inner, double momentum, double epsilon) {
        return batch_norm(x, mean, variance, weight, bias, {outer, groups, inner},
                          momentum, epsilon);
      },
      x, py::arg("running_mean"), py::arg("running_variance"), weight, bias, outer,
      groups, inner, py::arg("momentum"), epsilon, Nogil(),
      "The same of each group of x, (outer, groups, inner); the running mean and "
      "variance move in place.");
  module.def(
      "normalise",
      [](const TensorPtr& x, const TensorPtr& mean, const TensorPtr& variance,
         const Optional& weight, const Optional& bias, int64_t outer, int64_t groups,
         int64_t inner, double epsilon) {
        return autograd::normalise(x, mean, variance,
                                   {{outer, groups, inner}, epsilon, "batch_norm"},
                                   {weight.value_or(nullptr), bias.value_or(nullptr)});
      },
      x, py::arg("mean").none(false), py::arg("variance").none(false), weight, bias,
      outer, groups, inner, epsilon, Nogil(),
      "The same with a mean and a variance of each group that are known.");
}

}  // namespace minitorch::bindings
