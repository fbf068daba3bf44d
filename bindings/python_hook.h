// A hook on a gradient that is written in Python.
#pragma once

#include "autograd/node.h"
#include "bindings/bindings.h"

namespace minitorch::bindings {

/// Calls `function(gradient)`, which returns a tensor to go on with or None.
class PythonHook final : public autograd::Hook {
 public:
  explicit PythonHook(py::object function) : function_(std::move(function)) {}
  ~PythonHook() override;
  autograd::TensorPtr operator()(const autograd::TensorPtr& gradient) override;

  /// Visits the Python object it owns, for the garbage collector.
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(function_.ptr());
    return 0;
  }

 private:
  py::object function_;
};

}  // namespace minitorch::bindings
