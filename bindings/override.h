// How an op that Python calls reaches what stands in its place: nothing, but for one
// look at a number, while no override is open.
#pragma once

#include <pybind11/stl.h>

#include <atomic>

#include "autograd/tensor.h"
#include "bindings/array_arguments.h"
#include "bindings/bindings.h"

namespace minitorch::bindings {

/// Overrides that are open, on all threads together.
inline std::atomic<int> open_overrides{0};

/// Notes that Python can override the op `name`.
void note_overridable(const char* name);

/// Asks Python for the op in place of `name`, which Tensor has as `method`; null: there
/// is none on this thread. Needs the GIL.
autograd::TensorPtr ask_override(const char* name, const char* method,
                                 const py::args& arguments);

/// What stands in the place of an op, or null; called without the GIL.
template <class... A>
autograd::TensorPtr overridden(const char* name, const char* method,
                               const A&... arguments) {
  if (open_overrides.load(std::memory_order_relaxed) == 0) [[likely]]
    return nullptr;
  const AcquireGil gil;
  return ask_override(name, method, py::make_tuple(arguments...));
}

/// `op` as Python has it under `method`: what is bound for an op of Tensor.
template <class... A>
auto op(const char* name, const char* method, autograd::TensorPtr (*function)(A...)) {
  note_overridable(name);
  return [=](A... arguments) -> autograd::TensorPtr {
    if (autograd::TensorPtr other = overridden(name, method, arguments...)) [[unlikely]]
      return other;
    return function(arguments...);
  };
}
template <class... A>
auto op(const char* name, autograd::TensorPtr (*function)(A...)) {
  return op(name, name, function);
}

}  // namespace minitorch::bindings
