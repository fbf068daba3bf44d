// The binding of Tensor: what it is, its operators and its elementwise methods. The
// long tail of methods is Python's (minitorch/tensors/tensor_methods.py).
#include "autograd/tensor.h"

#include <pybind11/stl.h>

#include <optional>

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "autograd/promotion.h"
#include "base/error.h"
#include "base/text.h"
#include "bindings/array_arguments.h"
#include "bindings/backend.h"
#include "bindings/tensor_class.h"
#include "ops/create.h"
#include "ops/transfer.h"

namespace minitorch::bindings {
namespace {

using autograd::Number;
using autograd::Tensor;
using autograd::TensorPtr;
using cpu::Binary;
using cpu::Compare;
using cpu::Unary;

/// Has a backend an operation for it? The others run here, and carry the backend on.
constexpr bool of_backends(Binary op) {
  return op == Binary::Add || op == Binary::Sub || op == Binary::Mul ||
         op == Binary::Div;
}
constexpr bool of_backends(Unary op) {
  return op == Unary::Neg || op == Unary::Relu || op == Unary::Sigmoid ||
         op == Unary::Exp || op == Unary::Log;
}
constexpr bool of_backends(Compare op) {
  return op == Compare::Less || op == Compare::Greater || op == Compare::Equal;
}

template <Binary op>
void bind_operator(TensorClass& tensor, const char* called, const char* name,
                   const char* reflected) {
  note_overridable(called);
  tensor.def(
      name,
      [=](const TensorPtr& a, const TensorPtr& b) {
        if (TensorPtr other = overridden(called, name, a, b)) [[unlikely]]
          return other;
        if (of_backends(op) && (foreign(a) || foreign(b)))
          return on_backend(name, a, b);
        return autograd::binary(op, a, joined(a, b));
      },
      py::arg("other"), py::is_operator(), Nogil());
  tensor.def(
      name,
      [=](const TensorPtr& a, Number b) {
        if (TensorPtr other = overridden(called, name, a, b)) [[unlikely]]
          return other;
        if (of_backends(op) && foreign(a)) return on_backend(name, a, b);
        return autograd::binary(op, a, b);
      },
      py::arg("other"), py::is_operator(), Nogil());
  tensor.def(
      reflected,
      [=](const TensorPtr& b, Number a) {
        if (TensorPtr other = overridden(called, name, a, b)) [[unlikely]]
          return other;
        if (of_backends(op) && foreign(b)) return on_backend(reflected, b, a);
        return autograd::binary(op, a, b);
      },
      py::arg("other"), py::is_operator(), Nogil());
}

/// Not an operator: a wrong argument is an error, which nobody else may mend.
template <Binary op>
void bind_method(TensorClass& tensor, const char* name, const char* doc) {
  note_overridable(name);
  tensor
      .def(
          name,
          [name](const TensorPtr& a, const TensorPtr& b) {
            if (TensorPtr other = overridden(name, name, a, b)) [[unlikely]]
              return other;
            return autograd::binary(op, a, joined(a, b));
          },
          py::arg("other"), Nogil(), doc)
      .def(
          name,
          [name](const TensorPtr& a, Number b) {
            if (TensorPtr other = overridden(name, name, a, b)) [[unlikely]]
              return other;
            return autograd::binary(op, a, b);
          },
          py::arg("other"), Nogil());
}

/// What an operator gives: 1.0 and 0.0 as upstream's, truth values as PyTorch's.
template <class B>
TensorPtr answer(Compare op, const TensorPtr& a, const B& b) {
  bool torch = autograd::speaks_torch(a);
  if constexpr (std::is_same_v<B, TensorPtr>) torch |= autograd::speaks_torch(b);
  return torch ? autograd::compare(op, a, b) : autograd::order(op, a, b);
}

/// The operator gives what its dialect wants; the method truth values.
template <Compare op>
void bind_comparison(TensorClass& tensor, const char* name, const char* method) {
  note_overridable(method);
  tensor
      .def(
          name,
          [=](const TensorPtr& a, const TensorPtr& b) {
            if (TensorPtr other = overridden(method, name, a, b)) [[unlikely]]
              return other;
            if (of_backends(op) && (foreign(a) || foreign(b)))
              return on_backend(name, a, b);
            return answer(op, a, joined(a, b));
          },
          py::arg("other"), py::is_operator(), Nogil())
      .def(
          name,
          [=](const TensorPtr& a, Number b) {
            if (TensorPtr other = overridden(method, name, a, b)) [[unlikely]]
              return other;
            if (of_backends(op) && foreign(a)) return on_backend(name, a, b);
            return answer(op, a, b);
          },
          py::arg("other"), py::is_operator(), Nogil())
      .def(
          method,
          [method](const TensorPtr& a, const TensorPtr& b) {
            if (TensorPtr other = overridden(method, method, a, b)) [[unlikely]]
              return other;
            return autograd::compare(op, a, b);
          },
          py::arg("other"), Nogil())
      .def(
          method,
          [method](const TensorPtr& a, Number b) {
            if (TensorPtr other = overridden(method, method, a, b)) [[unlikely]]
              return other;
            return autograd::compare(op, a, b);
          },
          py::arg("other"), Nogil(), "The comparison as truth values.");
}

void bind_operators(TensorClass& tensor) {
  tensor.def("__hash__", [](const TensorPtr& a) { return std::hash<TensorPtr>()(a); });
#define MINITORCH_BINARY(Op, function, name, domain, truth, formula, of_a, of_b, \
                         method, ...)                                            \
  {                                                                              \
    [[maybe_unused]] constexpr Binary op = Binary::Op;                           \
    [[maybe_unused]] const char* called = #function;                             \
    method;                                                                      \
  }
#define OPERATOR(stem) \
  bind_operator<op>(tensor, called, "__" stem "__", "__r" stem "__")
#define OPERATOR_IN_PLACE(stem, changing) OPERATOR(stem)
#define METHOD(doc) bind_method<op>(tensor, called, doc)
#define PRIVATE
#include "cpu/elementwise.inc"
#undef OPERATOR
#undef OPERATOR_IN_PLACE
#undef METHOD
#undef PRIVATE
#define MINITORCH_COMPARE(Op, name, formula) \
  bind_comparison<Compare::Op>(tensor, "__" #name "__", #name);
#include "cpu/elementwise.inc"
}

/// Upstream's logarithm, log(x + 1e-6), for tensors with a backend.
TensorPtr log(const TensorPtr& a) {
  if (!a->backend) [[likely]]
    return autograd::log(a);
  return autograd::log(autograd::add(a, Number{1e-6}));
}

/// Without a docstring it is a private method, for Python's functions.
template <Unary op>
void bind_unary(TensorClass& tensor, const char* name,
                TensorPtr (*function)(const TensorPtr&), const char* doc) {
  if (!doc) {
    tensor.def(base::text("_", name).c_str(), function, Nogil());
  } else if (of_backends(op)) {
    tensor.def(name, op_or_backend(name, op == Unary::Log ? &log : function), Nogil(),
               doc);
  } else {
    tensor.def(name, bindings::op(name, function), Nogil(), doc);
  }
}

void bind_unary(TensorClass& tensor) {
  tensor.def("__neg__", op_or_backend("neg", "__neg__", &autograd::neg, "neg"), Nogil())
      .def("__abs__", op("abs", "__abs__", &autograd::abs), Nogil());
#define MINITORCH_UNARY(Op, function, name, domain, formula, gradient, method, ...) \
  bind_unary<Unary::Op>(tensor, #function, &autograd::function, method);
#define METHOD(doc) doc
#define PRIVATE nullptr
#include "cpu/elementwise.inc"
#undef METHOD
#undef PRIVATE
}

/// A kernel's work is not recorded: a gradient would silently lack it.
void require_unrecorded(const TensorPtr& a) {
  if (!autograd::grad_enabled() || !autograd::requires_gradient(a)) return;
  throw base::StateError(
      "cuda",
      "got a tensor that requires a gradient as an argument of a kernel, which is not "
      "recorded; need one without. Pass t.detach(), launch under minitorch.no_grad(), "
      "or make the kernel an operator: minitorch.custom_op.");
}

/// The protocol by which kernels take arrays: address, NumPy's dtype text, device.
py::tuple device_array(const TensorPtr& a) {
  const array::Array& value = a->value;
  if (value.device() == array::Device::Cpu) {
    throw base::TypeError("cuda",
                          "got a tensor on cpu; need one on cuda. Try .to(\"cuda\").");
  }
  require_unrecorded(a);
  if (!value.is_contiguous()) {
    throw base::ValueError("cuda", base::text("got a tensor with strides ",
                                              base::tuple_text(value.strides()),
                                              "; need a contiguous one. Try "
                                              ".contiguous()."));
  }
  const py::object dtype = py::cast(value.dtype()).attr("dtype").attr("str");
  return py::make_tuple(value.device_address(), dtype,
                        reinterpret_cast<uintptr_t>(value.storage()->api()));
}

/// The same for those that heed strides: address, dtype, device, shape, byte strides.
py::tuple device_view(const TensorPtr& a) {
  const array::Array& value = a->value;
  if (value.device() == array::Device::Cpu) {
    throw py::attribute_error(
        "[cuda] got a tensor on cpu; need one on cuda. Try .to(\"cuda\").");
  }
  require_unrecorded(a);
  const auto itemsize = static_cast<int64_t>(size_of(value.dtype()));
  array::Strides strides = value.strides();
  for (int64_t& step : strides) step *= itemsize;
  return py::make_tuple(value.device_address(), dtype_name(value.dtype()),
                        reinterpret_cast<uintptr_t>(value.storage()->api()),
                        tuple_from(value.shape()), tuple_from(strides));
}

/// The memory behind a tensor, for those that draw it: address, bytes, first element.
py::tuple storage_of(const Tensor& a) {
  const array::Storage& storage = *a.value.storage();
  const bool host = a.value.device() == array::Device::Cpu;
  const auto address =
      host ? reinterpret_cast<uintptr_t>(storage.data()) : storage.address();
  return py::make_tuple(address, storage.bytes(), a.value.offset());
}

/// As its dialect shows it: PyTorch's programs compare dtypes by `is`.
ShownDtype shown_dtype(const Tensor& a) {
  const array::Dtype dtype = a.value.dtype();
  if (a.dialect == autograd::Dialect::Torch) {
    PyObject* known = torch_dtypes[static_cast<size_t>(dtype)];
    if (known) return {py::reinterpret_borrow<py::object>(known)};
  }
  return {py::cast(dtype)};
}

void bind_properties(TensorClass& tensor) {
  tensor
      .def_property_readonly(
          "shape", [](const Tensor& a) { return tuple_from(a.value.shape()); },
          "Sizes, outermost first.")
      .def_property_readonly(
          "strides", [](const Tensor& a) { return tuple_from(a.value.strides()); },
          "Elements between neighbours along each dimension.")
      .def_property_readonly(
          "size", [](const Tensor& a) { return a.value.size(); }, "Number of elements.")
      .def_property_readonly(
          "dims", [](const Tensor& a) { return a.value.dims(); },
          "Number of dimensions.")
      .def_property_readonly(
          "ndim", [](const Tensor& a) { return a.value.dims(); },
          "Number of dimensions.")
      .def_property_readonly("dtype", &shown_dtype, "Type of the elements.")
      .def_property_readonly(
          "device", [](const Tensor& a) { return a.value.device(); },
          "'cpu' or 'cuda'.")
      .def_property(
          "grad", [](const Tensor& a) { return std::optional(a.grad); },
          [](Tensor& a, const std::optional<TensorPtr>& grad) {
            a.grad = grad.value_or(nullptr);
          },
          "The gradient of a leaf, or None.")
      .def_property("requires_grad", &autograd::requires_gradient,
                    &autograd::set_requires_grad, "Is history recorded for it?")
      .def("is_leaf", &autograd::is_leaf,
           "Does it collect a gradient: made by the user, and not a constant?")
      .def(
          "is_constant",
          [](const TensorPtr& a) { return !autograd::requires_gradient(a); },
          "Is it outside of every graph?")
      .def(
          "is_contiguous", [](const Tensor& a) { return a.value.is_contiguous(); },
          "Row-major without gaps?")
      .def_property_readonly("_storage", &storage_of,
                             "Its memory: address, bytes, number of the first element.")
      .def_property_readonly("__minitorch_device_array__", &device_array,
                             "How kernels take the tensor: address, dtype, device.")
      .def_property_readonly("__minitorch_device_view__", &device_view,
                             "The same, with shape and strides in bytes.")
      .def(
          "_item", [](const Tensor& a) { return ops::item(a.value); }, Nogil())
      .def("detach", &autograd::detach, "The same numbers, shared, without history.")
      .def(
          "_assign",
          [](const TensorPtr& a, const TensorPtr& b) { autograd::assign(a, b->value); },
          py::arg("value"), "Takes the numbers of `value`; graphs keep the old ones.")
      .def(
          "_set_data",
          [](const TensorPtr& a, const TensorPtr& b) {
            autograd::set_data(a, b->value);
          },
          py::arg("value"),
          "Shows the memory of `value` from now on, of any shape, dtype and device.");
}

}  // namespace

void init_tensor(py::module_& module) {
  TensorClass tensor = make_tensor_class(module);
  bind_properties(tensor);
  bind_operators(tensor);
  bind_unary(tensor);
  bind_in_place(tensor);
  bind_hooks(module, tensor);
  bind_interchange(module, tensor);
  bind_tensor_methods(tensor);
  bind_backend(tensor);
  bind_dialect(tensor);
  module.def(
      "full",
      [](const array::Shape& shape, Number value, array::Dtype dtype,
         array::Device device) {
        return autograd::make_tensor(ops::full(shape, value, dtype, device));
      },
      py::arg("shape"), py::arg("value"), py::arg("dtype"), py::arg("device"), Nogil(),
      "A tensor of one value.");
  module.def(
      "arange",
      [](Number start, Number step, int64_t count, array::Dtype dtype,
         array::Device device) {
        return autograd::make_tensor(ops::arange(start, step, count, dtype, device));
      },
      py::arg("start"), py::arg("step"), py::arg("count"), py::arg("dtype"),
      py::arg("device"), Nogil(), "start, start + step, ...: `count` numbers.");
  module.def(
      "empty",
      [](const array::Shape& shape, array::Dtype dtype, array::Device device) {
        return autograd::make_tensor(ops::empty(shape, dtype, device));
      },
      py::arg("shape"), py::arg("dtype"), py::arg("device"), Nogil(),
      "A tensor whose elements are not yet written.");
}

}  // namespace minitorch::bindings
