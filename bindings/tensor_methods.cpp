// Owns the binding of Tensor's reductions, layout changes, product and losses.
#include <pybind11/stl.h>

#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "bindings/array_arguments.h"
#include "bindings/backend.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {
namespace {

using autograd::TensorPtr;

void bind_reductions(TensorClass& tensor) {
  const auto dim = py::arg("dim") = py::none();
  const auto keepdim = py::arg("keepdim") = true;
  tensor
      .def(
          "sum", own_or_backend("sum", &autograd::sum), dim, keepdim, Nogil(),
          "Sum along `dim`, which stays with size 1; over all elements, (1,), without.")
      .def("mean", own_or_backend("mean", &autograd::mean), dim, keepdim, Nogil(),
           "Arithmetic mean, as `sum`.")
      .def("max", &autograd::max, dim, keepdim, Nogil(),
           "Maximum, as `sum`; equal ones share the gradient.")
      .def("log_softmax", &autograd::log_softmax, py::arg("dim"), Nogil(),
           "x - log(sum(exp(x))) along `dim`, without overflow.");
}

TensorPtr matmul(const TensorPtr& a, const TensorPtr& b) {
  return autograd::matmul(a, joined(a, b));
}

void bind_layout(TensorClass& tensor) {
  tensor
      .def("_permute", own_or_backend("permute", &autograd::permute), py::arg("order"),
           Nogil())
      .def("_reshape", own_or_backend("view", &autograd::reshape), py::arg("shape"),
           Nogil())
      .def("_expand", &autograd::expand, py::arg("shape"), Nogil())
      .def("squeeze", &autograd::squeeze, py::arg("dim"), Nogil(),
           "Drops a dimension of size 1.")
      .def("unsqueeze", &autograd::unsqueeze, py::arg("dim"), Nogil(),
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
  tensor.def("__matmul__", own_or_backend("__matmul__", &matmul), py::arg("other"),
             py::is_operator(), Nogil(),
             "(..., m, k) @ (..., k, n) -> (..., m, n); leading dimensions broadcast.");
  tensor.def("_nll_loss", &autograd::nll_loss, py::arg("labels"), Nogil());
  tensor.def("_cross_entropy", &autograd::cross_entropy, py::arg("labels"), Nogil());
}

}  // namespace minitorch::bindings
