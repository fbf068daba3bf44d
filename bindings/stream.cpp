// Owns the binding of streams and events. Must not know what is queued on them.
#include "runtime/stream.h"

#include <pybind11/stl.h>

#include "bindings/bindings.h"

namespace minitorch::bindings {
namespace {

using driver::Event;
using driver::Stream;

std::shared_ptr<Event> make_event() {
  return std::make_shared<Event>(runtime::current_device().shared_api());
}

using OptionalStream = std::optional<std::shared_ptr<Stream>>;

CUstream handle_or_current(const OptionalStream& stream) {
  return stream ? (*stream)->handle() : runtime::current_stream();
}

}  // namespace

void init_stream(py::module_& module) {
  py::class_<Stream, std::shared_ptr<Stream>>(module, "Stream",
                                              "A queue of work in order.")
      .def(py::init(&runtime::make_stream))
      .def(
          "synchronize",
          [](const Stream& stream) {
            runtime::synchronize_stream(runtime::current_device(), stream.handle());
          },
          Nogil(), "Waits for the stream's work; raises the first fault.")
      .def_property_readonly(
          "handle", [](const Stream& stream) { return uintptr_t(stream.handle()); },
          "The CUstream as an integer.");
  py::class_<runtime::StreamGuard>(module, "StreamGuard", "Keeps a stream current.")
      .def(py::init<std::shared_ptr<Stream>>(), py::arg("stream"));
  py::class_<Event, std::shared_ptr<Event>>(module, "Event",
                                            "A point in a stream's order.")
      .def(py::init(&make_event))
      .def(
          "record",
          [](Event& event, const OptionalStream& stream) {
            event.record(handle_or_current(stream));
          },
          py::arg("stream") = py::none(), "Marks the end of the work queued so far.")
      .def("done", &Event::done, "Has the work before the last `record` ended?")
      .def(
          "synchronize",
          [](const Event& event) {
            runtime::synchronize_event(runtime::current_device(), event);
          },
          Nogil(), "Waits until `done()`; raises the first fault.")
      .def("elapsed_since", &Event::elapsed_since, py::arg("start"),
           "Milliseconds from `start` to this event.");
}

}  // namespace minitorch::bindings
