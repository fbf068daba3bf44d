// The binding of a graph's steps, for those who look at it or walk it in Python.
#include <pybind11/stl.h>

#include "autograd/node.h"
#include "bindings/array_arguments.h"
#include "bindings/python_node.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {

using autograd::Gradients;
using autograd::Node;
using autograd::TensorPtr;
using NodePtr = std::shared_ptr<Node>;

namespace {

/// For each input the leaf or the step that it came from, or None.
py::list inputs_of(const Node& node) {
  py::list found;
  for (const NodePtr& input : node.inputs()) {
    if (!input) {
      found.append(py::none());
    } else if (TensorPtr leaf = input->leaf()) {
      found.append(py::cast(std::move(leaf)));
    } else {
      found.append(py::cast(input));
    }
  }
  return found;
}

Gradients gradients_of(Node& node, const TensorPtr& gradient) {
  const autograd::GradMode off(false);
  return node.backward(gradient);
}

}  // namespace

void init_graph(py::module_& module) {
  py::class_<Node, NodePtr>(module, "GraphStep", "A step of a graph.")
      .def_property_readonly(
          "op", [](const Node& n) { return std::string(n.name()); }, "The op's name.")
      .def_property(
          "called", [](const Node& n) { return std::string(n.called()); },
          [](Node& n, const std::string& name) { n.call(name); },
          "What PyTorch's dialect calls the step, if somebody said so; else empty.")
      .def_property_readonly(
          "id", [](const Node& n) { return reinterpret_cast<uintptr_t>(&n); },
          "A number that no other step has.")
      .def_property_readonly(
          "shape", [](const Node& n) { return tuple_from(n.shape()); },
          "The shape of what it made.")
      .def_property_readonly("dtype", &Node::dtype, "The type of what it made.")
      .def_property_readonly("released", &Node::released,
                             "Has a backward() dropped what it kept?")
      .def_property_readonly("inputs", &inputs_of,
                             "For each input its leaf, its step, or None.")
      .def_property_readonly(
          "python",
          [](const Node& n) -> py::object {
            const auto* python = dynamic_cast<const PythonNode*>(&n);
            return python ? python->objects() : py::none();
          },
          "A step written in Python: (backward, context), else None.")
      .def("backward", &gradients_of, py::arg("gradient"), Nogil(),
           "From the gradient of its output to those of its inputs.");
  module.def(
      "call_step",
      [](const TensorPtr& a, const std::string& name) {
        if (a->node) a->node->call(name);
        return a;
      },
      py::arg("tensor"), py::arg("name"),
      "Says what PyTorch's dialect calls the step that made a tensor; the tensor.");
  module.def(
      "graph_step", [](const TensorPtr& a) { return a->node; }, py::arg("tensor"),
      "The step that made a tensor, or None.");
}

}  // namespace minitorch::bindings
