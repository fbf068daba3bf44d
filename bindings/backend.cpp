#include "bindings/backend.h"

#include <unordered_map>

#include "array/strided.h"
#include "autograd/node.h"
#include "base/error.h"
#include "bindings/python_node.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {

using array::Array;
using autograd::Backend;
using autograd::Node;
using autograd::Tensor;
using autograd::TensorPtr;

namespace {

PyObject* operations = nullptr;  // a dict from names to callables, never freed
int64_t identities = 0;          // changed under the GIL

const Backend* backend_of(const py::object& object, bool native) {
  static auto& known = *new std::unordered_map<PyObject*, const Backend*>();
  const auto found = known.find(object.ptr());
  if (found != known.end()) return found->second;
  object.inc_ref();
  return known[object.ptr()] = new Backend{object.ptr(), native};
}

autograd::Identity& identity(Tensor& a) {
  if (!a.identity) {
    const int64_t id = ++identities;
    a.identity = std::make_unique<autograd::Identity>(
        autograd::Identity{id, std::to_string(id)});
  }
  return *a.identity;
}

/// A new tensor with all of `made`: what the class itself returns when called.
TensorPtr construct(const py::args& values, const py::kwargs& options) {
  const auto made = backend_operation("Tensor")(*values, **options).cast<TensorPtr>();
  auto out = autograd::make_tensor(made->value, made->requires_grad);
  out->node = made->node;
  out->backend = made->backend;
  out->dialect = autograd::Dialect::MiniTorch;
  if (made->identity) {
    out->identity = std::make_unique<autograd::Identity>(*made->identity);
  }
  return out;
}

void forget_history(Tensor& a) {
  a.node.reset();
  a.accumulator.store({});
  a.base.reset();
  a.hooks.reset();
  a.requires_grad = false;
}

}  // namespace

py::object backend_operation(const char* name) {
  PyObject* found = operations ? PyDict_GetItemString(operations, name) : nullptr;
  if (!found) {
    throw base::StateError("backend",
                           std::string("got no operation ") + name + "; need one.");
  }
  return py::reinterpret_borrow<py::object>(found);
}

void bind_backend(TensorClass& tensor) {
  tensor.def(py::init(&construct))
      .def_property_readonly(
          "unique_id", [](Tensor& a) { return identity(a).unique_id; },
          "A number that no other tensor has.")
      .def_property(
          "name", [](Tensor& a) { return identity(a).name; },
          [](Tensor& a, std::string name) { identity(a).name = std::move(name); },
          "How drawings show it; by default its `unique_id`.")
      .def("_backend",
           [](const Tensor& a) -> py::object {
             if (!a.backend) return py::none();
             return py::reinterpret_borrow<py::object>(a.backend->object);
           })
      .def(
          "_set_backend",
          [](Tensor& a, const py::object& object, bool native) {
            a.backend = object.is_none() ? nullptr : backend_of(object, native);
          },
          py::arg("backend"), py::arg("native"))
      .def("_forget_history", &forget_history)
      .def("_memory_row",
           [](const Tensor& a) {
             return autograd::make_tensor(array::memory_row(a.value));
           })
      .def("_whole_memory",
           [](const Tensor& a) {
             return autograd::make_tensor(array::whole_memory(a.value));
           })
      .def(
          "_strided",
          [](const Tensor& a, const array::Shape& shape,
             const array::Strides& strides) {
            return autograd::make_tensor(array::strided(a.value, shape, strides));
          },
          py::arg("shape"), py::arg("strides"));
}

void init_backend(py::module_& module) {
  module.def(
      "set_backend_operations",
      [](py::dict table) { operations = table.release().ptr(); }, py::arg("table"),
      "Registers the operations of tensors with a backend of Python's, by name.");
}

}  // namespace minitorch::bindings
