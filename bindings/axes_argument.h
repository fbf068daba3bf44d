// How a Python value becomes the dimensions of a reduction.
#pragma once

#include "autograd/reduce.h"
#include "bindings/array_arguments.h"

namespace pybind11::detail {

/// None (all dimensions), one, or several.
template <>
struct type_caster<minitorch::autograd::Axes> {
  using Axes = minitorch::autograd::Axes;
  using Dims = minitorch::array::Dims;
  static constexpr auto name = const_name("int | Sequence[int] | None");
  Axes value{std::nullopt};

  template <class T>
  using cast_op_type = pybind11::detail::cast_op_type<T>;
  operator Axes&() { return value; }
  operator Axes*() { return &value; }

  static handle cast(const Axes& axes, return_value_policy, handle) {
    if (axes.all) return none().release();
    if (axes.dims.size() == 1) return int_(axes.dims[0]).release();
    return minitorch::bindings::tuple_from(axes.dims).release();
  }

  bool load(handle source, bool convert) {
    if (source.is_none()) return true;
    if (PyIndex_Check(source.ptr())) {
      value = Axes(source.cast<int64_t>());
      return true;
    }
    make_caster<Dims> dims;
    if (!dims.load(source, convert)) return false;
    value = Axes(cast_op<Dims&>(dims));
    return true;
  }
};

}  // namespace pybind11::detail
