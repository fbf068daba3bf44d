// The binding of indexing, choosing and joining.
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

/// An integer of Python itself, not a bool and not of a subclass.
bool is_plain_integer(PyObject* part) { return PyLong_CheckExact(part) != 0; }

/// The part that an integer is, or nothing: Python has the words for what is wrong.
std::optional<IndexPart> position_from(PyObject* part, int64_t size) {
  int overflow = 0;
  const int64_t at = PyLong_AsLongLongAndOverflow(part, &overflow);
  if (overflow || at < -size || at >= size) return std::nullopt;
  return IndexPart{IndexPart::Kind::At, at < 0 ? at + size : at};
}

/// The part that a slice of plain integers is, or nothing.
std::optional<IndexPart> range_from(PyObject* part, int64_t size, bool backwards) {
  const auto* slice = reinterpret_cast<PySliceObject*>(part);
  for (PyObject* end : {slice->start, slice->stop, slice->step}) {
    if (end != Py_None && !is_plain_integer(end)) return std::nullopt;
  }
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(part, &start, &stop, &step) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (step < 0 && !backwards) return std::nullopt;
  const Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
  // Steps are only walked where there are two elements, and may be huge otherwise.
  return IndexPart{IndexPart::Kind::Range, count ? start : 0, count,
                   count > 1 ? step : 1};
}

/// What an index of integers, slices, None and one Ellipsis means, or nothing where it
/// has anything else or does not fit. `backwards`: a slice's step may be negative.
std::optional<std::vector<IndexPart>> plain_parts(PyObject* index,
                                                  const array::Shape& shape,
                                                  bool backwards) {
  const bool several = PyTuple_CheckExact(index);
  const Py_ssize_t count = several ? PyTuple_GET_SIZE(index) : 1;
  const auto part_at = [&](Py_ssize_t i) {
    return several ? PyTuple_GET_ITEM(index, i) : index;
  };
  size_t used = 0, open = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* part = part_at(i);
    if (is_plain_integer(part) || PySlice_Check(part)) {
      ++used;
    } else if (part == Py_Ellipsis) {
      ++open;
    } else if (part != Py_None) {
      return std::nullopt;
    }
  }
  if (used > shape.size() || open > 1) return std::nullopt;
  std::vector<IndexPart> parts;
  parts.reserve(static_cast<size_t>(count) + shape.size() - used);
  size_t dim = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* part = part_at(i);
    std::optional<IndexPart> next;
    if (part == Py_Ellipsis) {
      for (const size_t end = dim + shape.size() - used; dim < end; ++dim)
        parts.push_back({IndexPart::Kind::Range, 0, shape[dim]});
      continue;
    }
    if (part == Py_None) {
      next = IndexPart{IndexPart::Kind::New};
    } else if (PySlice_Check(part)) {
      next = range_from(part, shape[dim++], backwards);
    } else {
      next = position_from(part, shape[dim++]);
    }
    if (!next) return std::nullopt;
    parts.push_back(*next);
  }
  return parts;
}

/// Does an index leave no dimension of these?
bool takes_one(const std::vector<IndexPart>& parts, size_t dims) {
  for (const IndexPart& part : parts) {
    if (part.kind != IndexPart::Kind::At) return false;
  }
  return parts.size() == dims;
}

/// The view that an index makes, or null where Python has to look at it.
TensorPtr plain_view(const TensorPtr& a, const py::object& index, bool numbers,
                     bool backwards) {
  const auto parts = plain_parts(index.ptr(), a->value.shape(), backwards);
  if (!parts || (!numbers && takes_one(*parts, a->value.dims()))) return nullptr;
  const ReleaseGil free;
  return autograd::index(a, *parts);
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
      .def("_plain_view", &plain_view, py::arg("index"), py::arg("numbers"),
           py::arg("backwards"),
           "The view of an index of integers, slices, None and Ellipsis; None if there "
           "is anything else in it, it does not fit, or, unless `numbers`, leaves one "
           "element. `backwards`: slices may step to the front.")
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
