// The binding of translated scalar functions: map, zip and reduce over tensors.
#include "ops/scalar_function.h"

#include <pybind11/stl.h>

#include "autograd/node.h"
#include "bindings/bindings.h"
#include "bindings/tensor_argument.h"
#include "ops/elementwise.h"

namespace minitorch::bindings {
namespace {

using autograd::TensorPtr;
using ops::ScalarFunction;

/// (operation, type, operands, constant)
using Row = std::tuple<std::string, std::string, std::vector<size_t>,
                       std::variant<int64_t, double>>;

ScalarFunction make(std::string name, std::string cuda,
                    const std::vector<std::string>& arguments,
                    const std::vector<Row>& instructions, size_t result) {
  ScalarFunction made{std::move(name), std::move(cuda), {}, {}, result};
  for (const std::string& type : arguments) {
    made.arguments.push_back(cpu::parse_scalar_type(type));
  }
  for (const auto& [operation, type, operands, constant] : instructions) {
    made.instructions.push_back(
        {operation, cpu::parse_scalar_type(type), operands, constant});
  }
  return made;
}

}  // namespace

void init_scalar_function(py::module_& module) {
  module.def("promote", &array::promote, py::arg("a"), py::arg("b"),
             "The dtype that holds the result of an operation on both.");
  module.def(
      "float_code",
      [](const std::string& op) {
        const ops::FloatCode code = ops::float_code(op);
        return std::make_pair(code.inputs, code.body);
      },
      py::arg("op"),
      "How many inputs an op of floats has, and the body of its functor in kernels.");
  py::class_<ScalarFunction>(module, "ScalarFunction",
                             "A Python function of numbers, translated for one type.")
      .def(py::init(&make), py::arg("name"), py::arg("cuda"), py::arg("arguments"),
           py::arg("instructions"), py::arg("result"))
      .def(
          "map",
          [](const ScalarFunction& f, const TensorPtr& a) {
            return autograd::without_node(ops::map(f, a->value), {a});
          },
          py::arg("a"), Nogil(), "f(a), element by element, without history.")
      .def(
          "zip",
          [](const ScalarFunction& f, const TensorPtr& a, const TensorPtr& b) {
            return autograd::without_node(ops::zip(f, a->value, b->value), {a, b});
          },
          py::arg("a"), py::arg("b"), Nogil(),
          "f(a, b), element by element with broadcasting, without history.")
      .def(
          "reduce",
          [](const ScalarFunction& f, const TensorPtr& a, int64_t dim, double start) {
            return autograd::without_node(ops::reduce(f, a->value, dim, start), {a});
          },
          py::arg("a"), py::arg("dim"), py::arg("start"), Nogil(),
          "Joins the elements along `dim` by f, and `start` once, without history.");
}

}  // namespace minitorch::bindings
