// Owns the binding of device memory as plain bytes. Shape and dtype are
// minitorch/cuda's.
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "runtime/memory.h"

namespace minitorch::bindings {
namespace {

using driver::Buffer;

std::shared_ptr<Buffer> make_buffer(size_t bytes) {
  const ReleaseGil nogil;
  return runtime::allocate(bytes);
}

size_t bytes_of(const py::buffer_info& info) {
  return static_cast<size_t>(info.size * info.itemsize);
}

void copy_from_host(const Buffer& buffer, const py::buffer& source) {
  const py::buffer_info info = source.request();
  const ReleaseGil nogil;
  runtime::copy_to_device(buffer.pointer(), info.ptr, bytes_of(info));
}

void copy_to_host(const Buffer& buffer, const py::buffer& destination) {
  const py::buffer_info info = destination.request(/*writable=*/true);
  const ReleaseGil nogil;
  runtime::copy_to_host(info.ptr, buffer.pointer(), bytes_of(info));
}

void set_label(const Buffer& buffer, const std::string& label) {
  const driver::Api& api = buffer.api();
  api.make_current();
  if (api.emulated()) api.inspect_label_allocation(buffer.pointer(), label.c_str());
}

}  // namespace

void init_device_array(py::module_& module) {
  py::class_<Buffer, std::shared_ptr<Buffer>>(module, "DeviceBuffer",
                                              "Device memory, never written at first.")
      .def(py::init(&make_buffer), py::arg("bytes"))
      .def_property_readonly("pointer", &Buffer::pointer, "The device address.")
      .def_property_readonly("nbytes", &Buffer::bytes, "Its size.")
      .def_property_readonly("freed", &Buffer::freed, "Was `free` called?")
      .def_property_readonly(
          "device_id", [](const Buffer& buffer) { return uintptr_t(&buffer.api()); },
          "Which open driver it belongs to.")
      .def("free", &Buffer::free, Nogil(),
           "Gives the memory back; later use by a kernel is a use_after_free.")
      .def("copy_from_host", &copy_from_host, py::arg("source"),
           "Queues a copy of contiguous host memory of the same size.")
      .def("copy_to_host", &copy_to_host, py::arg("destination"),
           "Waits, then copies into contiguous host memory of the same size.")
      .def("label", &set_label, py::arg("label"),
           "Names it in the emulator's findings.");
}

}  // namespace minitorch::bindings
