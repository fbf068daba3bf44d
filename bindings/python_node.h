// A graph step whose gradient is written in Python (minitorch.Function).
#pragma once

#include <string>

#include "autograd/node.h"
#include "bindings/bindings.h"
#include "bindings/tensor_argument.h"

namespace minitorch::bindings {

/// Calls `backward(context, gradient)`, which returns one gradient (or None) per input
/// as a list. The Python objects are dropped under the GIL, after a backward that frees
/// the graph or with the node.
class PythonNode final : public autograd::Node {
 public:
  PythonNode(const std::string& name, py::object backward, py::object context);
  ~PythonNode() override;

  const char* name() const override { return name_; }
  autograd::Gradients backward(const autograd::TensorPtr& gradient) override;
  void release() override;

  /// (backward, context), or None once they are dropped; needs the GIL.
  py::object objects() const;

  /// Visits the Python objects it owns, for the garbage collector.
  int traverse(visitproc visit, void* argument) const;

 private:
  struct Objects {
    py::object backward, context;
    ~Objects();
  };
  const char* name_;  // interned: records keep it
  std::shared_ptr<Objects> objects_;
};

}  // namespace minitorch::bindings
