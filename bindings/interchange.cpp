// What other libraries read tensors by, beside DLPack: the buffer protocol, CUDA's
// array interface, shared NumPy arrays, and plain bytes for files.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>

#include "autograd/layout.h"
#include "autograd/tensor.h"
#include "base/error.h"
#include "base/text.h"
#include "bindings/array_arguments.h"
#include "bindings/tensor_class.h"
#include "cuda_client/api.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "ops/transfer.h"
#include "runtime/stream.h"

namespace minitorch::bindings {
namespace {

using array::Array;
using array::Dtype;
using autograd::Tensor;
using autograd::TensorPtr;

/// The letters of Python's struct module; null where it has none.
const char* format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::Float32:
      return "f";
    case Dtype::Float64:
      return "d";
    case Dtype::Float16:
      return "e";
    case Dtype::Int32:
      return "i";
    case Dtype::Int64:
      return "q";
    case Dtype::UInt8:
      return "B";
    case Dtype::Bool:
      return "?";
    default:
      return nullptr;
  }
}

std::vector<py::ssize_t> byte_strides(const Array& a) {
  std::vector<py::ssize_t> strides;
  for (const int64_t step : a.strides()) {
    strides.push_back(step * static_cast<py::ssize_t>(size_of(a.dtype())));
  }
  return strides;
}

std::vector<py::ssize_t> sizes(const Array& a) {
  return {a.shape().begin(), a.shape().end()};
}

py::buffer_info buffer_of(Tensor& tensor) {
  const Array& a = tensor.value;
  const char* format = format_of(a.dtype());
  if (!format) {
    throw py::buffer_error(
        "[buffer] got bfloat16, which Python's buffers have no name "
        "for; need another dtype. Try .to(\"float32\").");
  }
  if (tensor.dialect == autograd::Dialect::Torch && tensor.requires_grad) {
    throw py::buffer_error(
        "[buffer] got a tensor that requires a gradient, which would be lost; need one "
        "without. Try .detach().");
  }
  if (a.device() == array::Device::Cuda) {
    throw py::buffer_error(
        "[buffer] got a tensor on cuda; need host memory. Try "
        ".cpu().");
  }
  return {a.raw_data(),
          static_cast<py::ssize_t>(size_of(a.dtype())),
          format,
          static_cast<py::ssize_t>(a.dims()),
          sizes(a),
          byte_strides(a),
          a.storage()->read_only()};
}

py::dict cuda_array_interface(const Tensor& tensor) {
  const Array& a = tensor.value;
  if (a.device() == array::Device::Cpu || a.storage()->api()->emulated()) {
    throw py::attribute_error(
        "[__cuda_array_interface__] got a tensor whose memory is not on a GPU; need "
        "one "
        "on device cuda with a GPU behind it.");
  }
  {
    const ReleaseGil nogil;  // so that no stream needs to be named
    runtime::synchronize(runtime::WaitReason::Exchange);
  }
  py::dict found;
  found["shape"] = tuple_from(a.shape());
  found["strides"] = py::tuple(py::cast(byte_strides(a)));
  found["typestr"] = py::cast(a.dtype()).attr("dtype").attr("str");
  found["data"] = py::make_tuple(a.device_address(), a.storage()->read_only());
  found["version"] = 3;
  found["stream"] = py::none();
  return found;
}

TensorPtr share_numpy(const py::array& source) {
  const Dtype dtype = dtype_from(source.dtype());
  const auto itemsize = static_cast<py::ssize_t>(size_of(dtype));
  const auto dims = static_cast<size_t>(source.ndim());
  if (dims > array::kMaxDims) {
    throw base::ValueError("from_numpy", base::text("got ", dims,
                                                    " dimensions; need at "
                                                    "most ",
                                                    array::kMaxDims, "."));
  }
  bool fits = source.attr("dtype").attr("isnative").cast<bool>() &&
              source.attr("flags").attr("aligned").cast<bool>();
  array::Shape shape(dims, 0);
  array::Strides strides(dims, 0);
  for (size_t d = 0; d < dims; ++d) {
    shape[d] = source.shape(static_cast<py::ssize_t>(d));
    const py::ssize_t step = source.strides(static_cast<py::ssize_t>(d));
    fits = fits && step % itemsize == 0;
    strides[d] = step / itemsize;
  }
  if (!fits) {
    throw base::ValueError(
        "from_numpy",
        "got an array in another byte order or with elements between "
        "its own; need one that can be shared. Try "
        "minitorch.tensor(array), which copies.");
  }
  const auto [low, high] = Array(dtype, shape, strides, 0, nullptr).reach();
  auto* first =
      const_cast<char*>(static_cast<const char*>(source.data())) + low * itemsize;
  auto* held = new py::object(source);
  std::shared_ptr<void> owner(held, [](void* object) {
    while_python_lives([object] { delete static_cast<py::object*>(object); });
  });
  const auto bytes = static_cast<size_t>((high - low + 1) * itemsize);
  auto storage =
      array::Storage::borrow(first, bytes, std::move(owner), !source.writeable());
  return autograd::make_tensor(Array(dtype, shape, strides, -low, std::move(storage)));
}

py::bytes to_bytes(const TensorPtr& tensor) {
  Array host;
  {
    const ReleaseGil nogil;
    host = ops::contiguous(ops::to_device(tensor->value, array::Device::Cpu));
  }
  return {static_cast<const char*>(host.raw_data()),
          static_cast<size_t>(host.size()) * size_of(host.dtype())};
}

TensorPtr from_bytes(const py::buffer& data, Dtype dtype, const array::Shape& shape) {
  const py::buffer_info info = data.request();
  Array out = ops::empty(shape, dtype, array::Device::Cpu);
  const size_t bytes = static_cast<size_t>(out.size()) * size_of(dtype);
  const auto given = static_cast<size_t>(info.size * info.itemsize);
  if (given != bytes) {
    throw base::ValueError(
        "from_bytes",
        base::text("got ", given, " bytes; need ", bytes, " for ", dtype_name(dtype),
                   " of ", base::tuple_text(shape), "."));
  }
  if (bytes != 0) std::memcpy(out.raw_data(), info.ptr, bytes);
  return autograd::make_tensor(std::move(out));
}

}  // namespace

void bind_interchange(py::module_& module, TensorClass& tensor) {
  tensor.def_buffer(&buffer_of)
      .def_property_readonly("__cuda_array_interface__", &cuda_array_interface,
                             "The memory of a GPU, as other libraries take it.")
      .def_property_readonly(
          "_read_only", [](const Tensor& a) { return a.value.storage()->read_only(); },
          "Is its memory another library's, which must not be written?");
  module.def("share_numpy", &share_numpy, py::arg("array"),
             "A tensor on the memory of a NumPy array.");
  module.def("to_bytes", &to_bytes, py::arg("tensor"), "The elements in row order.");
  module.def("from_bytes", &from_bytes, py::arg("data"), py::arg("dtype"),
             py::arg("shape"), "A tensor of elements in row order.");
}

}  // namespace minitorch::bindings
