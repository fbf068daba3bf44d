// How ops on tensors of somebody else's backend reach it: operations in Python,
// registered by name.
#pragma once

#include <pybind11/stl.h>

#include "autograd/layout.h"
#include "autograd/tensor.h"
#include "bindings/array_arguments.h"
#include "bindings/bindings.h"
#include "bindings/override.h"

namespace minitorch::autograd {

/// A TensorBackend of Python. Tensors point to it without owning it, so it is never
/// freed; programs have a handful. A `native` one is this library under upstream's
/// name: its ops stay in C++.
struct Backend {
  PyObject* object;
  bool native;
};

}  // namespace minitorch::autograd

namespace minitorch::bindings {

/// The Python operation registered as `name`; needs the GIL.
py::object backend_operation(const char* name);

/// Is this a tensor whose ops are Python's?
inline bool foreign(const autograd::TensorPtr& a) {
  return a->backend && !a->backend->native;
}
template <class T>
bool foreign(const T&) {
  return false;
}

/// Calls the operation `name` of the arguments' backend; called without the GIL.
template <class... A>
autograd::TensorPtr on_backend(const char* name, const A&... arguments) {
  const AcquireGil gil;
  const py::object result = backend_operation(name)(arguments...);
  return result.template cast<autograd::TensorPtr>();
}

/// `op`, or the operation `name` of a tensor's backend: what is bound for an op that a
/// backend has.
template <class... A>
auto own_or_backend(const char* name, autograd::TensorPtr (*op)(A...)) {
  return [name, op](A... arguments) -> autograd::TensorPtr {
    if ((foreign(arguments) || ...)) [[unlikely]]
      return on_backend(name, arguments...);
    return op(arguments...);
  };
}

/// The same for an op that Tensor has as `method` and that Python can override.
template <class... A>
auto op_or_backend(const char* name, const char* method,
                   autograd::TensorPtr (*function)(A...), const char* backend) {
  note_overridable(name);
  return [=](A... arguments) -> autograd::TensorPtr {
    if (autograd::TensorPtr other = overridden(name, method, arguments...)) [[unlikely]]
      return other;
    if ((foreign(arguments) || ...)) [[unlikely]]
      return on_backend(backend, arguments...);
    return function(arguments...);
  };
}
template <class... A>
auto op_or_backend(const char* name, autograd::TensorPtr (*function)(A...)) {
  return op_or_backend(name, name, function, name);
}

/// `b` where `a` is: of tensors with a backend, the left one decides about the device.
inline autograd::TensorPtr joined(const autograd::TensorPtr& a,
                                  const autograd::TensorPtr& b) {
  const bool upstream = a->backend || b->backend;
  if (!upstream || a->value.device() == b->value.device()) [[likely]]
    return b;
  return autograd::to_device(b, a->value.device());
}

}  // namespace minitorch::bindings
