// The binding of Tensor's in-place operators and methods.
#include "autograd/inplace.h"

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "bindings/array_arguments.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {
namespace {

using autograd::Number;
using autograd::Tensor;
using autograd::TensorPtr;
using cpu::Binary;

/// Is it a number that an op computed, of MiniTorch's dialect? `total += loss[0]` is
/// then a new number, so that who keeps the old one has the old one.
bool is_computed_number(const TensorPtr& a) {
  return a->value.dims() == 0 && a->dialect != autograd::Dialect::Torch &&
         autograd::grad_enabled() && autograd::requires_gradient(a) &&
         !autograd::is_leaf(a);
}

template <Binary op>
void bind_in_place_operator(TensorClass& tensor, const char* operation,
                            const char* method) {
  const auto with_tensor = [method](const TensorPtr& a, const TensorPtr& b) {
    return autograd::binary_in_place(op, a, b, method);
  };
  const auto with_number = [method](const TensorPtr& a, Number b) {
    return autograd::binary_in_place(op, a, b, method);
  };
  tensor
      .def(
          operation,
          [with_tensor](const TensorPtr& a, const TensorPtr& b) {
            return is_computed_number(a) ? autograd::binary(op, a, b)
                                         : with_tensor(a, b);
          },
          py::arg("other"), py::is_operator(), Nogil())
      .def(
          operation,
          [with_number](const TensorPtr& a, Number b) {
            return is_computed_number(a) ? autograd::binary(op, a, b)
                                         : with_number(a, b);
          },
          py::arg("other"), py::is_operator(), Nogil())
      .def(method, with_tensor, py::arg("other"), Nogil(),
           "In place: the result takes the memory of the tensor, which is returned.")
      .def(method, with_number, py::arg("other"), Nogil());
}

}  // namespace

void bind_in_place(TensorClass& tensor) {
#define MINITORCH_BINARY(Op, function, name, domain, truth, formula, of_a, of_b, \
                         method, ...)                                            \
  {                                                                              \
    [[maybe_unused]] constexpr Binary op = Binary::Op;                           \
    method;                                                                      \
  }
#define OPERATOR_IN_PLACE(stem, changing) \
  bind_in_place_operator<op>(tensor, "__i" stem "__", changing)
#define OPERATOR(stem)
#define METHOD(doc)
#define PRIVATE
#include "cpu/elementwise.inc"
#undef OPERATOR_IN_PLACE
#undef OPERATOR
#undef METHOD
#undef PRIVATE
  tensor
      .def(
          "fill_",
          [](const TensorPtr& a, Number value) {
            return autograd::fill_in_place(a, value, "fill_");
          },
          py::arg("value"), Nogil(), "Every element `value`, in place.")
      .def(
          "_look_as",
          [](const TensorPtr& a, const TensorPtr& view) {
            autograd::look_as(a, view);
            return a;
          },
          py::arg("view"), "Becomes a view of its own memory; the tensor itself.")
      .def(
          "_mark_changed",
          [](const TensorPtr& a) { a->value.storage()->mark_changed(); },
          "Others have changed its memory: who saved what it was can tell.")
      .def(
          "zero_",
          [](const TensorPtr& a) { return autograd::fill_in_place(a, {}, "zero_"); },
          Nogil(), "Every element 0, in place.")
      .def(
          "copy_",
          [](const TensorPtr& a, const TensorPtr& b) {
            autograd::assign_view(a, b, "copy_");
            return a;
          },
          py::arg("source"), Nogil(),
          "The elements of `source`, broadcast and converted, in place.")
      .def_property_readonly("_has_memory_alone", &autograd::has_memory_alone,
                             "Does nothing else show its memory?")
      .def(
          "_become",
          [](const TensorPtr& a, const TensorPtr& b) {
            autograd::become(a, b, "in_place");
          },
          py::arg("result"),
          "Shows the memory of `result` in place of its own, which nothing else showed "
          "when\nthe op began that made it.")
      .def(
          "_assign_view",
          [](const TensorPtr& a, const TensorPtr& b) {
            autograd::assign_view(a, b, "setitem");
          },
          py::arg("value"), Nogil(), "What `tensor[index] = value` does to a view.")
      .def_property_readonly(
          "_version", [](const Tensor& a) { return a.value.storage()->version(); },
          "In-place changes of its memory so far.");
}

}  // namespace minitorch::bindings
