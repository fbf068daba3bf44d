// The binding of dtypes and the ways between arrays and NumPy's. No arithmetic.
#include "array/array.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>

#include "autograd/tensor.h"
#include "base/error.h"
#include "bindings/array_arguments.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "ops/transfer.h"

namespace minitorch::bindings {
namespace {

using array::Array;
using array::Dtype;
using autograd::Tensor;
using autograd::TensorPtr;
using namespace py::literals;

/// NumPy has no bfloat16 of its own: that of ml_dtypes where it is installed, else
/// float32, which holds the same values.
py::dtype numpy_dtype(Dtype dtype) {
  if (dtype != Dtype::BFloat16) return py::dtype(std::string(dtype_name(dtype)));
  try {
    return py::dtype::from_args(py::module_::import("ml_dtypes").attr("bfloat16"));
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    return py::dtype("float32");
  }
}

TensorPtr from_numpy(const py::array& source, bool requires_grad) {
  const Dtype dtype = dtype_from(source.dtype());
  // In this machine's byte order, which "=" stands for.
  const auto native = py::dtype::from_args(source.dtype().attr("newbyteorder")("="));
  const auto plain = py::array::ensure(
      source.attr("astype")(native, "order"_a = "C", "copy"_a = false));
  array::Shape shape(
      std::span<const int64_t>(plain.shape(), static_cast<size_t>(plain.ndim())));
  Array out = ops::empty(shape, dtype, array::Device::Cpu);
  std::memcpy(out.raw_data(), plain.data(), static_cast<size_t>(plain.nbytes()));
  TensorPtr tensor = autograd::make_tensor(std::move(out));
  if (requires_grad) autograd::set_requires_grad(tensor, true);
  return tensor;
}

/// Shares memory with a tensor on `cpu`; a copy of one on `cuda`, and of bfloat16 where
/// NumPy does not know it.
py::array to_numpy(const TensorPtr& tensor) {
  const py::dtype dtype = numpy_dtype(tensor->value.dtype());
  const bool known = dtype.itemsize() == py::ssize_t(size_of(tensor->value.dtype()));
  Array host;
  {
    const ReleaseGil nogil;
    host = ops::to_device(tensor->value, array::Device::Cpu);
    if (!known) host = ops::cast(host, Dtype::Float32);
  }
  std::vector<py::ssize_t> strides;
  for (int64_t step : host.strides()) {
    strides.push_back(step * static_cast<py::ssize_t>(size_of(host.dtype())));
  }
  auto owner = std::make_unique<Array>(host);
  py::capsule keep(owner.get(), [](void* p) { delete static_cast<Array*>(p); });
  owner.release();
  const std::vector<py::ssize_t> shape(host.shape().begin(), host.shape().end());
  py::array out(dtype, shape, strides, host.raw_data(), keep);
  if (host.storage()->read_only()) out.attr("flags").attr("writeable") = false;
  return out;
}

void bind_dtype(py::module_& module) {
  py::class_<Dtype> dtype(module, "DType", "The type of a tensor's elements.");
  dtype
      .def(py::init([](const std::string& name) { return array::parse_dtype(name); }),
           py::arg("name"))
      .def_property_readonly("name", &array::dtype_name, "NumPy's name for it.")
      .def_property_readonly("itemsize", &array::size_of, "Bytes of one element.")
      .def_property_readonly("is_floating_point", &array::is_floating, "Is it a float?")
      .def_property_readonly("dtype", &numpy_dtype, "The same as a NumPy dtype.")
      .def("__repr__",
           [](Dtype d) { return std::string("minitorch.") + dtype_name(d); })
      .def("__hash__", [](Dtype d) { return py::hash(py::str(dtype_name(d))); })
      .def("__reduce__",
           [](const py::object& self) -> py::object { return self.attr("name"); })
      .def("__eq__", [](Dtype d, const py::object& other) {
        try {
          return dtype_from(other) == d;
        } catch (const base::TypeError&) {
          return false;
        }
      });
  for (const char* name :
       {"float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8"}) {
    module.attr(name) = array::parse_dtype(name);
  }
  module.attr("bool_") = array::parse_dtype("bool");  // the stub needs Python's bool
  module.def(
      "as_dtype", [](const py::object& value) { return dtype_from(value); },
      py::arg("value"), "The DType that a name or NumPy dtype stands for.");
}

}  // namespace

Dtype dtype_from(const py::handle& value) {
  if (py::isinstance<Dtype>(value)) return value.cast<Dtype>();
  if (py::isinstance<py::str>(value))
    return array::parse_dtype(value.cast<std::string>());
  py::object found;
  try {
    found = py::module_::import("numpy").attr("dtype")(value).attr("name");
  } catch (const py::error_already_set&) {
    found = py::repr(value);
  }
  return array::parse_dtype(found.cast<std::string>());
}

py::tuple tuple_from(const array::Dims& dims) {
  py::tuple out(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) out[i] = dims[i];
  return out;
}

void init_array(py::module_& module) { bind_dtype(module); }

void init_numpy(py::module_& module) {
  module.def("from_numpy", &from_numpy, py::arg("array"),
             py::arg("requires_grad") = false,
             "Copies a NumPy array into a tensor on the CPU.");
  module.def("to_numpy", &to_numpy, py::arg("tensor"),
             "The tensor as a NumPy array; shares memory on the CPU.");
}

}  // namespace minitorch::bindings
