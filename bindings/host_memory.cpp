// The binding of host memory that the device reaches. Shape and dtype are
// minitorch/cuda's.
#include "cuda_client/host_memory.h"
#include "cuda_client/bookkeeping.h"

#include "bindings/bindings.h"
#include "runtime/device.h"
#include "runtime/stream.h"

namespace minitorch::bindings {
namespace {

using cuda_client::HostMemory;

/// Freed without the GIL: that waits for work, and the work may call Python.
std::shared_ptr<HostMemory> make_memory(size_t bytes, HostMemory::Kind kind) {
  const ReleaseGil nogil;
  runtime::Device& device = runtime::current_device();
  const auto free = [&device](HostMemory* owned) {
    const cuda_client::Bookkeeping own(device.api());
    runtime::wait_before_release(device);
    delete owned;
  };
  return {new HostMemory(device.shared_api(), bytes, kind), [free](HostMemory* owned) {
            if (!Py_IsInitialized() || !PyGILState_Check()) return free(owned);
            const ReleaseGil nogil;
            free(owned);
          }};
}

py::buffer_info host_bytes(const HostMemory& memory) {
  return {static_cast<unsigned char*>(memory.data()),
          static_cast<py::ssize_t>(memory.bytes())};
}

}  // namespace

void init_host_memory(py::module_& module) {
  py::enum_<HostMemory::Kind>(module, "HostMemoryKind")
      .value("page_locked", HostMemory::Kind::PageLocked)
      .value("write_combined", HostMemory::Kind::WriteCombined)
      .value("managed", HostMemory::Kind::Managed);
  py::class_<HostMemory, std::shared_ptr<HostMemory>>(
      module, "HostMemory", py::buffer_protocol(),
      "Memory that host and device both reach, as a buffer of bytes.")
      .def(py::init(&make_memory), py::arg("bytes"), py::arg("kind"))
      .def_buffer(&host_bytes)
      .def_property_readonly("pointer", &HostMemory::pointer, "The device's address.")
      .def_property_readonly(
          "address",
          [](const HostMemory& memory) {
            return reinterpret_cast<uintptr_t>(memory.data());
          },
          "The host's address.")
      .def_property_readonly("nbytes", &HostMemory::bytes, "Its size.")
      .def_property_readonly("kind", &HostMemory::kind, "Which memory it is.")
      .def_property_readonly(
          "device_id",
          [](const HostMemory& memory) {
            return reinterpret_cast<uintptr_t>(&memory.api());
          },
          "Which open driver it belongs to.");
}

}  // namespace minitorch::bindings
