// The binding of Tensor's reductions, layout changes, product and losses.
#include <pybind11/stl.h>

#include <optional>

#include "autograd/binary_loss.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "base/error.h"
#include "base/text.h"
#include "bindings/array_arguments.h"
#include "bindings/axes_argument.h"
#include "bindings/backend.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {
namespace {

using autograd::TensorPtr;

template <cpu::Extreme which>
TensorPtr arg_extreme(const TensorPtr& a, std::optional<int64_t> dim, bool keepdim) {
  return autograd::arg_extreme(which, a, dim, keepdim);
}

void bind_reductions(TensorClass& tensor) {
  const auto dim = py::arg("dim") = py::none();
  const auto keepdim = py::arg("keepdim") = true, drop = py::arg("keepdim") = false;
  tensor
      .def(
          "sum", op_or_backend("sum", &autograd::sum), dim, keepdim, Nogil(),
          "Sum along `dim` (one or several), which stays with size 1: (5, 3) summed "
          "along dim 1 is (5, 1), and beside (5,) it broadcasts to (5, 5). "
          "keepdim=False drops the dim. Over all elements, without `dim`, the shape is "
          "(1,), or () with keepdim=False.")
      .def("mean", op_or_backend("mean", &autograd::mean), dim, keepdim, Nogil(),
           "Arithmetic mean along `dim`, which stays with size 1, as for `sum`.")
      .def("max", op("max", &autograd::max), dim, drop, Nogil(),
           "Largest along `dim` (one, several, all); equal ones share the gradient.")
      .def("min", op("min", &autograd::min), dim, drop, Nogil(),
           "Smallest along `dim` (one, several, all); equal ones share the gradient.")
      .def("prod", op("prod", &autograd::prod), dim, drop, Nogil(),
           "Product along `dim` (one, several, all).")
      .def("logsumexp", op("logsumexp", &autograd::logsumexp), py::arg("dim"), drop,
           Nogil(), "log(sum(exp(x))) along `dim` without overflow.")
      .def("any", op("any", &autograd::any), dim, drop, Nogil(),
           "Is any element not 0? As bool.")
      .def("_all", &autograd::all, dim, drop, Nogil())
      .def("_var", &autograd::var, dim, py::arg("correction") = 1.0, drop, Nogil())
      .def("_std", &autograd::std_deviation, dim, py::arg("correction") = 1.0, drop,
           Nogil())
      .def("cumsum", op("cumsum", &autograd::cumsum), py::arg("dim"), Nogil(),
           "Running sums along `dim`.")
      .def("argmax", op("argmax", &arg_extreme<cpu::Extreme::Largest>), dim, drop,
           Nogil(),
           "Position of the largest along `dim`, or in row-major order, as int64.")
      .def("argmin", op("argmin", &arg_extreme<cpu::Extreme::Smallest>), dim, drop,
           Nogil(),
           "Position of the smallest along `dim`, or in row-major order, as int64.")
      .def("log_softmax", op("log_softmax", &autograd::log_softmax), py::arg("dim"),
           Nogil(), "x - log(sum(exp(x))) along `dim`, without overflow.")
      .def("_softmax", &autograd::softmax, py::arg("dim"), Nogil())
      .def("_causal_softmax", &autograd::causal_softmax, Nogil());
}

TensorPtr matmul(const TensorPtr& a, const TensorPtr& b) {
  return autograd::matmul(a, joined(a, b));
}

ops::Reduction reduction_of(const std::string& name) {
  if (name == "none") return ops::Reduction::None;
  if (name == "sum") return ops::Reduction::Sum;
  if (name == "mean") return ops::Reduction::Mean;
  throw base::ValueError("cross_entropy",
                         base::text("got '", name, "'; need 'none', 'mean' or 'sum'."));
}

TensorPtr cross_entropy_of_labels(const TensorPtr& scores, const TensorPtr& labels,
                                  const std::optional<TensorPtr>& weight,
                                  int64_t ignored, double smoothing,
                                  const std::string& reduction) {
  return autograd::cross_entropy(scores, {labels, weight.value_or(nullptr), ignored,
                                          smoothing, reduction_of(reduction)});
}

void bind_layout(TensorClass& tensor) {
  tensor
      .def("_permute", own_or_backend("permute", &autograd::permute), py::arg("order"),
           Nogil())
      .def("_reshape", own_or_backend("view", &autograd::reshape), py::arg("shape"),
           Nogil())
      .def(
          "_can_view",
          [](const TensorPtr& a, const array::Shape& shape) {
            return autograd::can_view(a, shape);
          },
          py::arg("shape"), "Is it the same memory in that shape, without a copy?")
      .def("_expand", &autograd::expand, py::arg("shape"), Nogil())
      .def("squeeze", op("squeeze", &autograd::squeeze), py::arg("dim"), Nogil(),
           "Drops a dimension of size 1.")
      .def("unsqueeze", op("unsqueeze", &autograd::unsqueeze), py::arg("dim"), Nogil(),
           "Inserts a dimension of size 1.")
      .def("_slice", &autograd::slice, py::arg("dim"), py::arg("start"),
           py::arg("stop"), py::arg("step"), Nogil())
      .def("contiguous", own_or_backend("contiguous", &autograd::contiguous), Nogil(),
           "Itself if row-major without gaps, else a copy that is.")
      .def("clone", &autograd::clone, Nogil(),
           "A copy in memory of its own, with its history.")
      .def("_cast", &autograd::cast, py::arg("dtype"), Nogil())
      .def("_to_device", &autograd::to_device, py::arg("device"), Nogil());
}

}  // namespace

void bind_tensor_methods(TensorClass& tensor) {
  bind_reductions(tensor);
  bind_layout(tensor);
  bind_indexing(tensor);
  tensor.def("__matmul__", op_or_backend("matmul", "__matmul__", &matmul, "__matmul__"),
             py::arg("other"), py::is_operator(), Nogil(),
             "(..., m, k) @ (..., k, n) -> (..., m, n); leading dimensions broadcast. "
             "Without m where the left side is a vector (k), without n where the right "
             "one is.");
  tensor.def("_nll_loss", &autograd::nll_loss, py::arg("labels"), Nogil());
  tensor.def("_binary_cross_entropy", &autograd::binary_cross_entropy,
             py::arg("target"), Nogil());
  tensor.def(
      "_binary_cross_entropy_with_logits",
      [](const TensorPtr& x, const TensorPtr& t, const std::optional<TensorPtr>& w) {
        return autograd::binary_cross_entropy_with_logits(x, t, w.value_or(nullptr));
      },
      py::arg("target"), py::arg("pos_weight") = py::none(), Nogil());
  tensor.def(
      "_cross_entropy",
      py::overload_cast<const TensorPtr&, const TensorPtr&>(&autograd::cross_entropy),
      py::arg("labels"), Nogil());
  tensor.def("_cross_entropy_of_labels", &cross_entropy_of_labels, py::arg("labels"),
             py::arg("weight"), py::arg("ignored"), py::arg("smoothing"),
             py::arg("reduction"), Nogil());
}

}  // namespace minitorch::bindings
