// Owns the binding of recording and of going back, and steps written in Python.
#include <pybind11/stl.h>

#include <optional>

#include "autograd/engine.h"
#include "autograd/node.h"
#include "bindings/array_arguments.h"
#include "bindings/python_node.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {

using autograd::Gradients;
using autograd::GradMode;
using autograd::TensorPtr;

PythonNode::Objects::~Objects() {
  if (!Py_IsInitialized()) {  // the interpreter is gone, and its objects with it
    backward.release();
    context.release();
    return;
  }
  const AcquireGil gil;
  backward = py::object();
  context = py::object();
}

PythonNode::PythonNode(std::string name, py::object backward, py::object context)
    : name_(std::move(name)), objects_(std::make_shared<Objects>()) {
  objects_->backward = std::move(backward);
  objects_->context = std::move(context);
}

PythonNode::~PythonNode() { destroy_later(std::move(objects_)); }

Gradients PythonNode::backward(const TensorPtr& gradient) {
  const AcquireGil gil;
  const auto objects = objects_;
  return objects->backward(objects->context, gradient).cast<Gradients>();
}

void PythonNode::release() {
  released_ = true;
  destroy_later(std::move(objects_));
}

int PythonNode::traverse(visitproc visit, void* arg) const {
  if (!objects_ || objects_.use_count() != 1) return 0;
  Py_VISIT(objects_->backward.ptr());
  Py_VISIT(objects_->context.ptr());
  return 0;
}

namespace {

/// Recording switched for a `with` block of one thread.
class GradScope {
 public:
  explicit GradScope(bool enabled) : enabled_(enabled) {}
  void enter() { modes_.push_back(std::make_unique<GradMode>(enabled_)); }
  void leave() { modes_.pop_back(); }

 private:
  bool enabled_;
  std::vector<std::unique_ptr<GradMode>> modes_;
};

TensorPtr attach_python(const TensorPtr& output, const std::vector<TensorPtr>& inputs,
                        const std::string& name, py::object backward,
                        py::object context) {
  if (!autograd::records(inputs)) return output;
  auto node =
      std::make_shared<PythonNode>(name, std::move(backward), std::move(context));
  return autograd::attach(output->value, inputs, std::move(node));
}

void backward(const TensorPtr& root, const std::optional<TensorPtr>& gradient,
              bool retain_graph, bool create_graph) {
  autograd::backward(root, gradient.value_or(nullptr),
                     {retain_graph, create_graph, look_for_signals});
}

}  // namespace

void init_autograd(py::module_& module) {
  py::class_<GradScope>(module, "GradScope", "Switches recording for a with block.")
      .def(py::init<bool>(), py::arg("enabled"))
      .def("__enter__", &GradScope::enter)
      .def("__exit__", [](GradScope& scope, const py::args&) { scope.leave(); });
  module.def("grad_enabled", &autograd::grad_enabled, "Is history recorded now?");
  module.def("attach_python", &attach_python, py::arg("output"), py::arg("inputs"),
             py::arg("name"), py::arg("backward"), py::arg("context"),
             "`output` with a step written in Python as its history.");
  module.def("backward", &backward, py::arg("root"), py::arg("gradient"),
             py::arg("retain_graph"), py::arg("create_graph"), Nogil(),
             "Adds the gradients of `root` to its leaves.");
}

}  // namespace minitorch::bindings
