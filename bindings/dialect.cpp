// The binding of dialects: which Python class shows a tensor, and how one is looked at
// as another.
#include "autograd/dialect.h"
#include "autograd/layout.h"

#include "autograd/promotion.h"
#include "base/error.h"
#include "bindings/array_arguments.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {
namespace {

using autograd::Dialect;
using autograd::Tensor;
using autograd::TensorPtr;

PyTypeObject* require_subclass(const py::type& type, const char* where) {
  auto* found = reinterpret_cast<PyTypeObject*>(type.ptr());
  const auto* info = py::detail::get_type_info(typeid(Tensor));
  if (PyType_IsSubtype(found, info->type)) return found;
  throw base::TypeError(where, std::string("got the class ") + found->tp_name +
                                   "; need a subclass of Tensor.");
}

}  // namespace

void bind_dialect(TensorClass& tensor) {
  tensor
      .def(
          "as_torch",
          [](const TensorPtr& a) {
            const auto torch = static_cast<size_t>(Dialect::Torch);
            if (!tensor_types[torch]) py::module_::import("minitorch.torch");
            return autograd::in_dialect(a, Dialect::Torch);
          },
          "The same elements, shared, as a `minitorch.torch.Tensor`, whose methods "
          "have\n"
          "PyTorch's meaning; gradients come back. Itself if it is one.")
      .def(
          "as_minitorch",
          [](const TensorPtr& a) {
            return autograd::in_dialect(a, Dialect::MiniTorch);
          },
          "The same elements, shared, as a `minitorch.Tensor`, whose methods have\n"
          "MiniTorch's meaning; gradients come back. Itself if it is one.")
      .def(
          "_say_minitorch",
          [](const TensorPtr& a) {
            if (a->dialect == Dialect::Torch) autograd::refuse_mixture("Tensor");
            a->dialect = Dialect::MiniTorch;
            return a;
          },
          "Itself: from here on no tensor without a dialect, but MiniTorch's.")
      .def_property_readonly(
          "_dialect", [](const Tensor& a) { return autograd::dialect_name(a.dialect); },
          "Whose meaning the methods have: \"minitorch\", \"torch\", or \"\" of what "
          "the\n"
          "library makes for itself.")
      .def(
          "_as_instance",
          [](const TensorPtr& a, const py::type& type) {
            return as_instance(require_subclass(type, "Tensor"), autograd::detach(a));
          },
          py::arg("type"),
          "The same elements, shared, without history, as an object of a subclass.");
}

void init_dialect(py::module_& module) {
  module.def(
      "set_tensor_type",
      [](const std::string& dialect, const py::type& type) {
        PyTypeObject* shown = require_subclass(type, "set_tensor_type");
        type.inc_ref();  // for good: objects of it may outlive the module
        if (dialect == "torch") {
          tensor_types[static_cast<size_t>(Dialect::Torch)] = shown;
        } else {
          tensor_types[static_cast<size_t>(Dialect::None)] = shown;
          tensor_types[static_cast<size_t>(Dialect::MiniTorch)] = shown;
        }
      },
      py::arg("dialect"), py::arg("type"),
      "Registers the class that shows tensors of a dialect; \"minitorch\" shows those "
      "of "
      "none, too.");
  module.def(
      "set_torch_dtype",
      [](const py::object& shown) {
        // For good: tensors show it as long as there are any.
        const auto number = static_cast<size_t>(shown.cast<array::Dtype>());
        torch_dtypes[number] = py::object(shown).release().ptr();
      },
      py::arg("shown"), "Registers what PyTorch's dialect shows as this dtype.");
  module.def(
      "set_torch_default_dtype",
      [](array::Dtype dtype) { autograd::set_torch_default_dtype(dtype); },
      py::arg("dtype"), "The dtype that PyTorch's dialect gives new real numbers.");
  module.def(
      "torch_default_dtype", &autograd::torch_default_dtype,
      "The dtype that PyTorch's dialect gives new real numbers, at first float32.");
}

}  // namespace minitorch::bindings
