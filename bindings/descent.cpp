// The binding of optimizers' steps. Meaning and defaults are Python's
// (minitorch/optim).
#include "ops/descent.h"

#include <pybind11/stl.h>

#include <optional>

#include "bindings/bindings.h"
#include "bindings/tensor_argument.h"

namespace minitorch::bindings {
namespace {

using autograd::TensorPtr;
using Optional = std::optional<TensorPtr>;

array::Array value_of(const Optional& a) { return a ? (*a)->value : array::Array(); }

}  // namespace

void init_descent(py::module_& module) {
  const auto value = py::arg("value").none(false);
  const auto gradient = py::arg("gradient").none(false);
  module.def(
      "sgd_step",
      [](const TensorPtr& value, const TensorPtr& gradient, const Optional& moving,
         bool first, double rate, double momentum, double dampening, double decay,
         bool nesterov) {
        ops::sgd_step({rate, momentum, dampening, decay, nesterov}, first, value->value,
                      gradient->value, value_of(moving));
      },
      value, gradient, py::arg("moving"), py::arg("first"), py::arg("rate"),
      py::arg("momentum"), py::arg("dampening"), py::arg("weight_decay"),
      py::arg("nesterov"), Nogil(),
      "One step of stochastic gradient descent, in the memory of value and moving.");
  module.def(
      "adam_step",
      [](const TensorPtr& value, const TensorPtr& gradient, const TensorPtr& mean,
         const TensorPtr& square, int64_t step, const Optional& counted, double rate,
         double b1, double b2, double epsilon, double decay, bool decoupled) {
        ops::adam_step({rate, b1, b2, epsilon, decay, decoupled}, step,
                       value_of(counted), value->value, gradient->value, mean->value,
                       square->value);
      },
      value, gradient, py::arg("mean").none(false), py::arg("square").none(false),
      py::arg("step"), py::arg("counted"), py::arg("rate"), py::arg("b1"),
      py::arg("b2"), py::arg("epsilon"), py::arg("weight_decay"), py::arg("decoupled"),
      Nogil(),
      "One step of Adam, in the memory of value, mean and square; with `counted` the "
      "number of the step lies there.");
}

}  // namespace minitorch::bindings
