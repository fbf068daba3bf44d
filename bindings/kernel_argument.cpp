#include "bindings/kernel_argument.h"

#include <charconv>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::bindings {
namespace {

namespace py = pybind11;
using runtime::Argument;
using runtime::ParameterInfo;

/// "<f4" -> {'f', 4}; the byte order is the machine's.
runtime::ElementType element_type(std::string_view typestr) {
  runtime::ElementType type;
  if (typestr.size() < 3) return type;
  type.kind = typestr[1];
  std::from_chars(typestr.data() + 2, typestr.data() + typestr.size(), type.size);
  return type;
}

Argument device_array(py::handle protocol) {
  const auto fields = protocol.cast<py::tuple>();
  runtime::ArrayArgument array;
  array.pointer = fields[0].cast<CUdeviceptr>();
  array.element = element_type(fields[1].cast<std::string>());
  array.api = reinterpret_cast<const cuda_client::Api*>(fields[2].cast<uintptr_t>());
  return array;
}

/// The value's own description, or a null object. What the property raises (a tensor
/// that is not on the device, or not contiguous) is the caller's to see.
py::object protocol_of(py::handle value) {
  PyObject* found = PyObject_GetAttrString(value.ptr(), "__minitorch_device_array__");
  if (found != nullptr) return py::reinterpret_steal<py::object>(found);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw py::error_already_set();
  PyErr_Clear();
  return {};
}

py::object numpy_type(const char* name) {
  return py::module_::import("numpy").attr(name);
}

Argument numpy_scalar(py::handle value) {
  runtime::ScalarArgument scalar;
  scalar.element = element_type(value.attr("dtype").attr("str").cast<std::string>());
  const std::string bytes = value.attr("tobytes")().cast<py::bytes>();
  scalar.bytes.resize(bytes.size());
  std::memcpy(scalar.bytes.data(), bytes.data(), bytes.size());
  return scalar;
}

/// Which argument of the launch a value is; its text is for errors alone.
struct Place {
  size_t index;
  std::span<const ParameterInfo> parameters;

  /// "argument 2 'n'", counted from 1; the name where it is known.
  std::string text() const {
    const bool named = index < parameters.size() && !parameters[index].name.empty();
    return named ? base::text("argument ", index + 1, " '", parameters[index].name, "'")
                 : base::text("argument ", index + 1);
  }
};

Argument python_integer(py::handle value, const Place& place) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) return static_cast<int64_t>(number);
  const unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
  if (!PyErr_Occurred()) return static_cast<uint64_t>(large);
  PyErr_Clear();
  throw base::ValueError(
      "cuda", base::text("got ", py::str(value).cast<std::string>(), " for ",
                         place.text(), "; need an integer of 64 bits at most."));
}

[[noreturn]] void refuse(py::handle value, const Place& place) {
  const std::string type = py::str(py::type::of(value).attr("__name__"));
  const bool host_array = py::isinstance(value, numpy_type("ndarray"));
  const char* hint = host_array ? "Copy it to the device first: cuda.to_device(array)."
                                : "Pass a struct as a NumPy structured scalar.";
  throw base::TypeError("cuda",
                        base::text("got ", host_array ? "a host array (" : "", type,
                                   host_array ? ")" : "", " for ", place.text(),
                                   "; need a device array, a number or None. ", hint));
}

Argument to_argument(py::handle value, const Place& place) {
  if (value.is_none()) return runtime::NullPointer{};
  if (PyBool_Check(value.ptr())) return value.is(py::handle(Py_True));
  if (PyLong_CheckExact(value.ptr())) return python_integer(value, place);
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (const py::object array = protocol_of(value)) return device_array(array);
  if (py::isinstance(value, numpy_type("generic"))) return numpy_scalar(value);
  if (PyLong_Check(value.ptr())) return python_integer(value, place);
  if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  refuse(value, place);
}

}  // namespace

std::vector<Argument> to_arguments(const py::sequence& values,
                                   std::span<const ParameterInfo> parameters) {
  std::vector<Argument> arguments;
  arguments.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    arguments.push_back(to_argument(values[i], Place{i, parameters}));
  }
  return arguments;
}

}  // namespace minitorch::bindings
