// The binding of device memory as plain bytes. Shape and dtype are minitorch/cuda's.
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "runtime/memory.h"

namespace minitorch::bindings {
namespace {

using cuda_client::Buffer;

std::shared_ptr<Buffer> make_buffer(size_t bytes) {
  const ReleaseGil nogil;
  return runtime::allocate(bytes);
}

void set_label(const Buffer& buffer, const std::string& label) {
  const cuda_client::Api& api = buffer.api();
  api.make_current();
  if (api.emulated()) api.inspect_label_allocation(buffer.pointer(), label.c_str());
}

void mark_unwritten(const Buffer& buffer) {
  const cuda_client::Api& api = buffer.api();
  api.make_current();
  if (api.emulated())
    api.inspect_mark_undefined(buffer.pointer(), buffer.bytes(), nullptr);
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
      .def("label", &set_label, py::arg("label"),
           "Names it in the emulator's findings.")
      .def("mark_unwritten", &mark_unwritten, Nogil(),
           "What it holds stays, but counts as never written on the emulator.");
}

}  // namespace minitorch::bindings
