// The binding of recording and of going back, and steps written in Python.
#include <pybind11/stl.h>

#include <optional>

#include "autograd/anomaly.h"
#include "autograd/engine.h"
#include "autograd/node.h"
#include "bindings/array_arguments.h"
#include "bindings/python_node.h"
#include "bindings/tensor_class.h"
#include "runtime/recorder.h"

namespace minitorch::bindings {

using autograd::Gradients;
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

PythonNode::PythonNode(const std::string& name, py::object backward, py::object context)
    : name_(runtime::interned(name)), objects_(std::make_shared<Objects>()) {
  objects_->backward = std::move(backward);
  objects_->context = std::move(context);
}

PythonNode::~PythonNode() { destroy_later(std::move(objects_)); }

Gradients PythonNode::backward(const TensorPtr& gradient) {
  const AcquireGil gil;
  const auto objects = objects_;
  const auto found = objects->backward(objects->context, gradient)
                         .cast<std::vector<std::optional<TensorPtr>>>();
  Gradients gradients;
  for (const auto& one : found) gradients.push_back(one.value_or(nullptr));
  return gradients;
}

void PythonNode::release() {
  released_ = true;
  destroy_later(std::move(objects_));
}

py::object PythonNode::objects() const {
  if (!objects_) return py::none();
  return py::make_tuple(objects_->backward, objects_->context);
}

int PythonNode::traverse(visitproc visit, void* arg) const {
  if (!objects_ || objects_.use_count() != 1) return 0;
  Py_VISIT(objects_->backward.ptr());
  Py_VISIT(objects_->context.ptr());
  return 0;
}

namespace {

TensorPtr attach_python(const TensorPtr& output, const std::vector<TensorPtr>& inputs,
                        const std::string& name, py::object backward,
                        py::object context) {
  if (!autograd::records(inputs)) return output;
  auto node =
      std::make_shared<PythonNode>(name, std::move(backward), std::move(context));
  return autograd::attach(output->value, inputs, std::move(node));
}

/// Anomaly mode for a `with` block of one thread.
class AnomalyScope {
 public:
  void enter() { previous_.push_back(autograd::set_anomaly_mode(true)); }
  void leave() {
    autograd::set_anomaly_mode(previous_.back());
    previous_.pop_back();
  }

 private:
  std::vector<bool> previous_;
};

/// Names the line with what a Python function returns.
void set_call_site(const py::function& find) {
  PyObject* kept = py::function(find).release().ptr();  // as long as the process
  autograd::set_call_site([kept] {
    return while_python_lives([kept] {
      return py::reinterpret_borrow<py::function>(kept)().cast<std::string>();
    });
  });
}

std::vector<autograd::Root> roots_of(
    const std::vector<TensorPtr>& tensors,
    const std::vector<std::optional<TensorPtr>>& gradients) {
  std::vector<autograd::Root> roots;
  for (size_t i = 0; i < tensors.size(); ++i) {
    roots.push_back({tensors[i], gradients.at(i).value_or(nullptr)});
  }
  return roots;
}

void backward(const std::vector<TensorPtr>& roots,
              const std::vector<std::optional<TensorPtr>>& gradients, bool retain_graph,
              bool create_graph) {
  autograd::backward(roots_of(roots, gradients),
                     {retain_graph, create_graph, look_for_signals});
}

std::vector<std::optional<TensorPtr>> gradients(
    const std::vector<TensorPtr>& roots, const std::vector<TensorPtr>& inputs,
    const std::vector<std::optional<TensorPtr>>& gradients, bool retain_graph,
    bool create_graph) {
  std::vector<std::optional<TensorPtr>> found;
  for (TensorPtr& one :
       autograd::gradients(roots_of(roots, gradients), inputs,
                           {retain_graph, create_graph, look_for_signals})) {
    found.push_back(one ? std::optional(std::move(one)) : std::nullopt);
  }
  return found;
}

}  // namespace

void init_autograd(py::module_& module) {
  module.def("grad_enabled", &autograd::grad_enabled, "Is history recorded now?");
  module.def("attach_python", &attach_python, py::arg("output"), py::arg("inputs"),
             py::arg("name"), py::arg("backward"), py::arg("context"),
             "`output` with a step written in Python as its history.");
  module.def("set_grad_enabled", &autograd::set_grad_enabled, py::arg("enabled"),
             "Switches recording on this thread; returns what it was.");
  py::class_<AnomalyScope>(module, "AnomalyScope", "Anomaly mode for a with block.")
      .def(py::init<>())
      .def("__enter__", &AnomalyScope::enter)
      .def("__exit__", [](AnomalyScope& scope, const py::args&) { scope.leave(); });
  module.def("set_call_site", &set_call_site, py::arg("find"),
             "How anomaly mode finds the line that calls an op.");
  module.def("backward", &backward, py::arg("roots"), py::arg("gradients"),
             py::arg("retain_graph"), py::arg("create_graph"), Nogil(),
             "Adds the gradients of the roots to their leaves.");
  module.def("gradients", &gradients, py::arg("roots"), py::arg("inputs"),
             py::arg("gradients"), py::arg("retain_graph"), py::arg("create_graph"),
             Nogil(), "The gradients of the roots for the inputs alone.");
}

}  // namespace minitorch::bindings
