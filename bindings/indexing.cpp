// Owns the binding of indexing, choosing and joining.
#include "autograd/indexing.h"
#include "autograd/node.h"

#include <pybind11/stl.h>

#include <optional>

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "bindings/array_arguments.h"
#include "bindings/override.h"
#include "bindings/tensor_class.h"
#include "ops/check.h"
#include "ops/elementwise.h"
#include "ops/gather.h"

namespace minitorch::bindings {
namespace {

using array::IndexPart;
using autograd::Number;
using autograd::TensorPtr;

/// (kind, first, count, step) of each part; kind 0: position, 1: range, 2: new.
using Row = std::tuple<int, int64_t, int64_t, int64_t>;

std::vector<IndexPart> parts_from(const std::vector<Row>& rows) {
  std::vector<IndexPart> parts;
  for (const auto& [kind, first, count, step] : rows) {
    parts.push_back({static_cast<IndexPart::Kind>(kind), first, count, step});
  }
  return parts;
}

}  // namespace

void bind_indexing(TensorClass& tensor) {
  const auto dim = py::arg("dim");
  const auto index = py::arg("index"), source = py::arg("source");
  tensor
      .def(
          "_index",
          [](const TensorPtr& a, const std::vector<Row>& rows) {
            return autograd::index(a, parts_from(rows));
          },
          py::arg("parts"), Nogil())
      .def(
          "_element",
          [](const TensorPtr& a,
             const std::vector<Row>& rows) -> std::optional<TensorPtr> {
            if (!autograd::records({a})) return std::nullopt;
            return autograd::element(a, parts_from(rows));
          },
          py::arg("parts"), Nogil(),
          "The one element of shape (), if its gradient is recorded; else None.")
      .def(
          "_at",
          [](const TensorPtr& a, int64_t position) {
            return autograd::index(a, {{IndexPart::Kind::At, position}});
          },
          py::arg("position"), Nogil())
      .def("_flip", &autograd::flip, py::arg("dims"), Nogil())
      .def("gather", op("gather", &autograd::gather), dim, index, Nogil(),
           "out[i] = self[i with index[i] as its coordinate along `dim`].")
      .def("index_select", op("index_select", &autograd::index_select), dim, index,
           Nogil(), "The slices of the numbers `index` (n,) along `dim`.")
      .def("scatter", op("scatter", &autograd::scatter), dim, index, source, Nogil(),
           "A copy with source[i] at [i with index[i] along `dim`].")
      .def("scatter_add", op("scatter_add", &autograd::scatter_add), dim, index, source,
           Nogil(), "A copy with source[i] added at [i with index[i] along `dim`].")
      .def(
          "nonzero",
          [](const TensorPtr& a) {
            return autograd::without_node(ops::nonzero(a->value), {a});
          },
          Nogil(), "Coordinates of the elements that are not 0: (count, dims), int64.")
      .def("clamp", op("clamp", &autograd::clamp), py::arg("min") = py::none(),
           py::arg("max") = py::none(), Nogil(),
           "Limited to min ... max; the gradient is 1 between them, 0 elsewhere.")
      .def(
          "_checked_index",
          [](const TensorPtr& a, int64_t size) {
            return autograd::without_node(ops::checked_index(a->value, size, "index"),
                                          {a});
          },
          py::arg("size"), Nogil())
      .def(
          "_checked_labels",
          [](const TensorPtr& a, int64_t classes, const std::string& where,
             std::optional<int64_t> ignored) {
            return autograd::without_node(
                ops::checked_numbers(ops::Numbers::PlainLabel, a->value, classes,
                                     where.c_str(), ignored),
                {a});
          },
          py::arg("classes"), py::arg("where"), py::arg("ignored") = py::none(),
          Nogil())
      .def(
          "_pick",
          [](const TensorPtr& a, int64_t dim, const TensorPtr& checked) {
            return autograd::gather_checked(a, dim, checked->value);
          },
          py::arg("dim"), py::arg("checked"), Nogil())
      .def(
          "_require_probabilities",
          [](const TensorPtr& a, const std::string& where) {
            ops::require_probabilities(a->value, where.c_str());
          },
          py::arg("where"), Nogil())
      .def("_where",
           py::overload_cast<const TensorPtr&, const TensorPtr&, const TensorPtr&>(
               &autograd::where),
           py::arg("a"), py::arg("b"), Nogil())
      .def("_where",
           py::overload_cast<const TensorPtr&, const TensorPtr&, Number>(
               &autograd::where),
           py::arg("a"), py::arg("b"), Nogil())
      .def("_where",
           py::overload_cast<const TensorPtr&, Number, const TensorPtr&>(
               &autograd::where),
           py::arg("a"), py::arg("b"), Nogil())
      .def(
          "_beside",
          [](const TensorPtr& a, Number number) {
            return autograd::make_tensor(ops::beside(a->value, number, "tensor"));
          },
          py::arg("number"), Nogil());
}

void init_joining(py::module_& module) {
  module.def("cat", &autograd::cat, py::arg("tensors"), py::arg("dim") = 0, Nogil(),
             "The tensors one after another along `dim`.");
}

}  // namespace minitorch::bindings
