// The binding of copies to, from and within device memory by address, and of tensors on
// memory that an object lends. Which view is meant is minitorch/cuda's.
#include "autograd/tensor.h"
#include "bindings/array_arguments.h"
#include "ops/layout.h"
#include "runtime/device.h"
#include "runtime/memory.h"

namespace minitorch::bindings {
namespace {

size_t bytes_of(const py::buffer_info& info) {
  return static_cast<size_t>(info.size * info.itemsize);
}

void copy_to_device(CUdeviceptr destination, const py::buffer& source) {
  const py::buffer_info info = source.request();
  const ReleaseGil nogil;
  runtime::copy_to_device(destination, info.ptr, bytes_of(info));
}

void copy_to_host(const py::buffer& destination, CUdeviceptr source) {
  const py::buffer_info info = destination.request(/*writable=*/true);
  const ReleaseGil nogil;
  runtime::copy_to_host_in_stream(info.ptr, source, bytes_of(info));
}

void queue_to_device(CUdeviceptr destination, const py::buffer& source) {
  const py::buffer_info info = source.request();
  const ReleaseGil nogil;
  runtime::queue_copy_to_device(destination, info.ptr, bytes_of(info));
}

void queue_to_host(const py::buffer& destination, CUdeviceptr source) {
  const py::buffer_info info = destination.request(/*writable=*/true);
  const ReleaseGil nogil;
  runtime::queue_copy_to_host(info.ptr, source, bytes_of(info));
}

/// The array that starts with the element at `pointer`; `keep` holds its memory.
array::Array array_at(CUdeviceptr pointer, array::Dtype dtype,
                      const array::Shape& shape, const array::Strides& strides,
                      std::shared_ptr<void> keep) {
  const array::Array layout(dtype, shape, strides, 0, nullptr);
  const auto [low, high] = layout.reach();
  const auto itemsize = static_cast<int64_t>(size_of(dtype));
  const int64_t count = layout.size() == 0 ? 0 : high - low + 1;
  const auto bytes = static_cast<size_t>(count * itemsize);
  auto storage = array::Storage::device(runtime::current_device().api(),
                                        pointer + static_cast<uint64_t>(low * itemsize),
                                        bytes, std::move(keep));
  return {dtype, shape, strides, -low, std::move(storage)};
}

/// Where elements lie: address of the first one, and elements between neighbours.
using Place = std::pair<CUdeviceptr, array::Strides>;

void copy_strided(const Place& destination, const Place& source,
                  const array::Shape& shape, const array::Dtype& dtype) {
  const ReleaseGil nogil;
  const auto to = array_at(destination.first, dtype, shape, destination.second, {});
  ops::copy_into(array_at(source.first, dtype, shape, source.second, {}), to);
}

/// Keeps a Python object as long as what it lends is in use.
std::shared_ptr<void> kept(const py::object& owner) {
  return {new py::object(owner), [](void* object) {
            while_python_lives([object] { delete static_cast<py::object*>(object); });
          }};
}

autograd::TensorPtr tensor_at(const Place& place, const array::Shape& shape,
                              const array::Dtype& dtype, const py::object& owner) {
  array::element_count(shape, "from_dlpack");
  return autograd::make_tensor(
      array_at(place.first, dtype, shape, place.second, kept(owner)));
}

}  // namespace

void init_device_moves(py::module_& module) {
  module.def("copy_to_device", &copy_to_device, py::arg("destination"),
             py::arg("source"), "Queues a copy of contiguous host memory.");
  module.def("copy_to_host", &copy_to_host, py::arg("destination"), py::arg("source"),
             "Waits, then copies into contiguous host memory.");
  module.def("queue_to_device", &queue_to_device, py::arg("destination"),
             py::arg("source"),
             "The same from page-locked memory, which must stay as it is until then.");
  module.def("queue_to_host", &queue_to_host, py::arg("destination"), py::arg("source"),
             "Queues a copy into page-locked memory; it is there when the stream is.");
  module.def("copy_on_device", &runtime::copy_on_device, py::arg("destination"),
             py::arg("source"), py::arg("bytes"), Nogil(),
             "Queues a copy from one device address to another.");
  module.def("copy_strided", &copy_strided, py::arg("destination"), py::arg("source"),
             py::arg("shape"), py::arg("dtype"),
             "Queues a copy between places (address, strides in elements).");
  module.def("tensor_at", &tensor_at, py::arg("place"), py::arg("shape"),
             py::arg("dtype"), py::arg("owner"),
             "A tensor on device memory that `owner` lends.");
}

}  // namespace minitorch::bindings
