// The exchange of tensors with other libraries by DLPack capsules. Which device, and
// whether to copy, is decided in minitorch/tensors/interchange.py.
#include <pybind11/stl.h>

#include <memory>
#include <vector>

#include "autograd/tensor.h"
#include "base/error.h"
#include "base/text.h"
#include "bindings/array_arguments.h"
#include "bindings/dlpack_abi.h"
#include "runtime/device.h"
#include "runtime/stream.h"

namespace minitorch::bindings {
namespace {

using array::Array;
using array::Dtype;
using autograd::TensorPtr;

struct TypeRow {
  Dtype dtype;
  uint8_t code, bits;
};
constexpr TypeRow kTypes[] = {
    {Dtype::Float32, dlpack::kFloat, 32}, {Dtype::Float64, dlpack::kFloat, 64},
    {Dtype::Float16, dlpack::kFloat, 16}, {Dtype::BFloat16, dlpack::kBFloat, 16},
    {Dtype::Int32, dlpack::kInt, 32},     {Dtype::Int64, dlpack::kInt, 64},
    {Dtype::UInt8, dlpack::kUInt, 8},     {Dtype::Bool, dlpack::kBool, 8},
};

dlpack::DataType type_of(Dtype dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return {row.code, row.bits, 1};
  }
  throw base::TypeError("dlpack", base::text("got ", dtype_name(dtype), "."));
}

Dtype dtype_of(dlpack::DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) {
      return row.dtype;
    }
  }
  throw base::TypeError("from_dlpack",
                        base::text("got DLPack's type code ", int{type.code}, " with ",
                                   int{type.bits}, " bits and ", type.lanes,
                                   " lanes; need float16, bfloat16, float32, "
                                   "float64, int32, int64, uint8 or bool."));
}

/// What a capsule of ours keeps alive until its user is done.
template <class Struct>
struct Exported {
  Array array;
  std::vector<int64_t> shape, strides;
  Struct managed{};
};

template <class Struct>
void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, Struct::kName)) return;  // its user has taken it over
  auto* managed = static_cast<Struct*>(PyCapsule_GetPointer(capsule, Struct::kName));
  managed->deleter(managed);
}

template <class Struct>
std::unique_ptr<Exported<Struct>> exported(const Array& array) {
  auto made = std::make_unique<Exported<Struct>>();
  made->array = array;
  made->shape.assign(array.shape().begin(), array.shape().end());
  made->strides.assign(array.strides().begin(), array.strides().end());
  const bool on_host = array.device() == array::Device::Cpu;
  dlpack::Tensor& tensor = made->managed.tensor;
  tensor.data =
      on_host ? array.raw_data() : reinterpret_cast<void*>(array.device_address());
  tensor.device = {on_host ? dlpack::kCpu : dlpack::kCuda, 0};
  tensor.dims = static_cast<int32_t>(array.dims());
  tensor.dtype = type_of(array.dtype());
  tensor.shape = made->shape.data();
  tensor.strides = made->strides.data();
  made->managed.context = made.get();
  made->managed.deleter = [](Struct* self) {
    delete static_cast<Exported<Struct>*>(self->context);
  };
  return made;
}

template <class Struct>
py::object capsule_of(std::unique_ptr<Exported<Struct>> made) {
  PyObject* capsule =
      PyCapsule_New(&made->managed, Struct::kName, drop_capsule<Struct>);
  if (!capsule) throw py::error_already_set();
  made.release();  // the capsule's now
  return py::reinterpret_steal<py::object>(capsule);
}

py::object to_capsule(const TensorPtr& tensor, bool versioned, bool copied) {
  const Array& array = tensor->value;
  if (array.device() == array::Device::Cuda) {
    const ReleaseGil nogil;  // whoever reads it next need not know our streams
    runtime::synchronize(runtime::WaitReason::Exchange);
  }
  if (!versioned) return capsule_of(exported<dlpack::Managed>(array));
  auto made = exported<dlpack::ManagedVersioned>(array);
  made->managed.version = {1, 0};
  made->managed.flags = (array.storage()->read_only() ? dlpack::kReadOnly : 0) |
                        (copied ? dlpack::kIsCopied : 0);
  return capsule_of(std::move(made));
}

/// Keeps what a capsule held until its memory is no longer used.
template <class Struct>
std::shared_ptr<void> taken(const py::handle& capsule, Struct* managed) {
  std::shared_ptr<void> owner(managed, [](void* held) {
    while_python_lives([held] {
      auto* self = static_cast<Struct*>(held);
      if (self->deleter) self->deleter(self);
    });
  });
  if (PyCapsule_SetName(capsule.ptr(), Struct::kUsedName) != 0) {
    throw py::error_already_set();
  }
  return owner;
}

array::Dims dims_of(const int64_t* values, int32_t count) {
  return array::Dims(std::span<const int64_t>(values, static_cast<size_t>(count)));
}

TensorPtr imported(const dlpack::Tensor& tensor, std::shared_ptr<void> owner,
                   bool read_only) {
  const Dtype dtype = dtype_of(tensor.dtype);
  const auto itemsize = static_cast<int64_t>(size_of(dtype));
  if (tensor.dims < 0 || tensor.dims > static_cast<int32_t>(array::kMaxDims)) {
    throw base::ValueError("from_dlpack",
                           base::text("got ", tensor.dims, " dimensions; need at most ",
                                      array::kMaxDims, "."));
  }
  const array::Shape shape = dims_of(tensor.shape, tensor.dims);
  array::element_count(shape, "from_dlpack");
  const array::Strides strides = tensor.strides ? dims_of(tensor.strides, tensor.dims)
                                                : array::contiguous_strides(shape);
  const Array layout(dtype, shape, strides, 0, nullptr);
  const auto [low, high] = layout.reach();
  const auto address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byte_offset +
                       static_cast<uint64_t>(low * itemsize);
  const auto bytes =
      static_cast<size_t>(layout.size() == 0 ? 0 : (high - low + 1) * itemsize);
  if (bytes != 0 && address % static_cast<uint64_t>(itemsize) != 0) {
    throw py::buffer_error(
        base::text("[from_dlpack] got memory that is not aligned to ", itemsize,
                   " bytes; need it to be. Try a copy."));
  }
  const bool on_host =
      tensor.device.type == dlpack::kCpu || tensor.device.type == dlpack::kCudaHost;
  auto storage = on_host ? array::Storage::borrow(reinterpret_cast<void*>(address),
                                                  bytes, std::move(owner), read_only)
                         : array::Storage::device(runtime::current_device().api(),
                                                  address, bytes, std::move(owner));
  return autograd::make_tensor(Array(dtype, shape, strides, -low, std::move(storage)));
}

TensorPtr from_capsule(const py::object& capsule) {
  using dlpack::Managed;
  using dlpack::ManagedVersioned;
  if (PyCapsule_IsValid(capsule.ptr(), ManagedVersioned::kName)) {
    auto* managed = static_cast<ManagedVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), ManagedVersioned::kName));
    if (managed->version.major != 1) {
      throw py::buffer_error(base::text("[from_dlpack] got version ",
                                        managed->version.major, ".",
                                        managed->version.minor, "; need 1."));
    }
    return imported(managed->tensor, taken(capsule, managed),
                    managed->flags & dlpack::kReadOnly);
  }
  if (PyCapsule_IsValid(capsule.ptr(), Managed::kName)) {
    auto* managed =
        static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::kName));
    return imported(managed->tensor, taken(capsule, managed), false);
  }
  const bool used = PyCapsule_CheckExact(capsule.ptr());
  throw base::ValueError(
      "from_dlpack",
      base::text("got ",
                 used ? "a capsule that was used before or is not DLPack's"
                      : Py_TYPE(capsule.ptr())->tp_name,
                 "; need a new capsule from __dlpack__()."));
}

}  // namespace

void init_dlpack(py::module_& module) {
  module.def("to_dlpack", &to_capsule, py::arg("tensor"), py::arg("versioned"),
             py::arg("copied"), "A capsule that shares the tensor's memory.");
  module.def("from_dlpack", &from_capsule, py::arg("capsule"),
             "A tensor on the memory of a capsule, which is used up.");
  module.def(
      "current_stream_handle",
      [] { return reinterpret_cast<uintptr_t>(runtime::current_stream()); },
      "The stream of this thread, as the driver knows it; 0 for the default one.");
}

}  // namespace minitorch::bindings
