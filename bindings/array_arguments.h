// How Python values become what arrays are described with: shapes, dtypes, devices,
// numbers.
#pragma once

#include "array/array.h"
#include "bindings/bindings.h"
#include "bindings/tensor_argument.h"
#include "ops/number.h"

namespace minitorch::bindings {

/// A DType, a name, a NumPy dtype or anything numpy.dtype() takes; TypeError otherwise.
array::Dtype dtype_from(const py::handle& value);

py::tuple tuple_from(const array::Dims& dims);

}  // namespace minitorch::bindings

namespace pybind11::detail {

/// Dims from any sequence of integers.
template <>
struct type_caster<minitorch::array::Dims> {
  PYBIND11_TYPE_CASTER(minitorch::array::Dims, const_name("Sequence[int]"));

  bool load(handle source, bool) {
    if (!PyTuple_Check(source.ptr()) && !PyList_Check(source.ptr())) return false;
    minitorch::array::Dims dims(len(source), 0);
    for (size_t i = 0; i < dims.size(); ++i) {
      const object item = reinterpret_borrow<sequence>(source)[i];
      if (!PyIndex_Check(item.ptr())) return false;
      dims[i] = PyNumber_AsSsize_t(item.ptr(), PyExc_OverflowError);
      if (dims[i] == -1 && PyErr_Occurred()) throw error_already_set();
    }
    value = std::move(dims);
    return true;
  }
  static handle cast(const minitorch::array::Dims& dims, return_value_policy, handle) {
    return minitorch::bindings::tuple_from(dims).release();
  }
};

/// A Python or NumPy number; never an array or tensor.
template <>
struct type_caster<minitorch::ops::Number> {
  PYBIND11_TYPE_CASTER(minitorch::ops::Number, const_name("float"));

  bool load(handle source, bool) {
    PyObject* number = source.ptr();
    if (PyFloat_CheckExact(number)) {  // the common case, without the questions below
      value.value = PyFloat_AS_DOUBLE(number);
      value.is_integer = false;
      return true;
    }
    value.is_integer = !PyFloat_Check(number) && PyIndex_Check(number);
    const PyNumberMethods* methods = Py_TYPE(number)->tp_as_number;
    const bool real = methods && (methods->nb_float || value.is_integer);
    if (!real) return false;
    const bool plain = PyLong_CheckExact(number) || PyBool_Check(number);
    if (!plain && (PySequence_Check(number) || hasattr(source, "backward"))) {
      return false;
    }
    value.value = PyFloat_AsDouble(number);
    if (value.value == -1 && PyErr_Occurred()) throw error_already_set();
    value.is_bool = PyBool_Check(number);
    if (value.is_integer) {
      const object whole = reinterpret_steal<object>(PyNumber_Index(number));
      int overflow = 0;
      value.integer = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    }
    return true;
  }
  static handle cast(minitorch::ops::Number number, return_value_policy, handle) {
    if (number.is_bool) return PyBool_FromLong(number.integer);
    if (number.is_integer) return PyLong_FromLongLong(number.integer);
    return PyFloat_FromDouble(number.value);
  }
};

/// "cpu" or "cuda".
template <>
struct type_caster<minitorch::array::Device> {
  PYBIND11_TYPE_CASTER(minitorch::array::Device, const_name("str"));

  bool load(handle source, bool) {
    if (!PyUnicode_Check(source.ptr())) return false;
    value = minitorch::array::parse_device(source.cast<std::string>());
    return true;
  }
  static handle cast(minitorch::array::Device device, return_value_policy, handle) {
    return str(minitorch::array::device_name(device)).release();
  }
};

}  // namespace pybind11::detail
