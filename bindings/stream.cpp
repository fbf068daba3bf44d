// The binding of streams and events.
#include "runtime/stream.h"

#include <pybind11/stl.h>

#include <memory>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/text.h"
#include "runtime/run_ahead.h"
#include "runtime/sync_debug.h"
#include "runtime/work_note.h"

namespace minitorch::bindings {
namespace {

using cuda_client::Event;
using cuda_client::Stream;

std::shared_ptr<Event> make_event(bool timing) {
  const unsigned flags = timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  return std::make_shared<Event>(runtime::current_device().shared_api(), flags);
}

/// Functions that streams have called, kept until the main thread drops them. Freeing
/// one may free device arrays, which the driver forbids during the call. Guarded by the
/// GIL.
std::vector<std::unique_ptr<py::function>>& called() {
  static auto* const made = new std::vector<std::unique_ptr<py::function>>;
  return *made;
}

int drop_called(void*) {
  std::vector<std::unique_ptr<py::function>> dropped;
  dropped.swap(called());
  return 0;
}

/// What a stream calls, once.
void call_back(CUstream, CUresult status, void* user) {
  auto* function = static_cast<py::function*>(user);
  if (!Py_IsInitialized()) return;
  const AcquireGil gil;
  try {
    (*function)(static_cast<int>(status));
  } catch (py::error_already_set& error) {
    error.restore();
    PyErr_WriteUnraisable(function->ptr());
  }
  called().emplace_back(function);
  Py_AddPendingCall(&drop_called, nullptr);  // when that queue is full, a later one
}

void add_callback(const Stream& stream, const py::function& function) {
  auto* kept = new py::function(function);
  try {
    const ReleaseGil nogil;
    stream.add_callback(&call_back, kept);
  } catch (...) {
    delete kept;
    throw;
  }
}

using OptionalStream = std::optional<std::shared_ptr<Stream>>;

CUstream handle_or_current(const OptionalStream& stream) {
  return stream ? (*stream)->handle() : runtime::current_stream();
}

void set_sync_warning_hook(const py::function& hook) {
  auto* kept = new py::function(hook);  // outlives the interpreter
  runtime::set_sync_warning_hook([kept](const std::string& text) {
    while_python_lives([&] { (*kept)(text_of(text)); });
  });
}

void bind_sync_debug(py::module_& module) {
  using runtime::SyncDebug;
  py::enum_<SyncDebug>(module, "SyncDebug", "What a wait that nobody asked for does.")
      .value("default", SyncDebug::Default)
      .value("warn", SyncDebug::Warn)
      .value("error", SyncDebug::Error);
  module.def("set_sync_debug", &runtime::set_sync_debug, py::arg("mode"),
             "For all threads without a mode of their own.");
  module.def("sync_debug", &runtime::sync_debug, "The mode of this thread.");
  module.def("set_thread_sync_debug", &runtime::set_thread_sync_debug, py::arg("mode"),
             "The mode of this thread alone; None: as all. Returns the former.");
  module.def("set_sync_warning_hook", &set_sync_warning_hook, py::arg("hook"),
             "Calls `hook(text)` for each warning.");
}

}  // namespace

void init_stream(py::module_& module) {
  py::class_<Stream, std::shared_ptr<Stream>>(module, "Stream",
                                              "A queue of work in order.")
      .def(py::init(&runtime::make_stream), py::arg("blocking") = true)
      .def_static("borrow", &runtime::borrow_stream, py::arg("handle"),
                  "A stream that someone else made; 0 is the default stream.")
      .def("add_callback", &add_callback, py::arg("function"),
           "Queues a call of `function(status)`; the driver's thread makes it.")
      .def("done", &runtime::is_done<Stream>, "Has the work queued so far ended?")
      .def(
          "synchronize",
          [](const Stream& stream) {
            runtime::synchronize_stream(runtime::current_device(), stream.handle());
          },
          Nogil(), "Waits for the stream's work; raises the first fault.")
      .def_property_readonly(
          "handle", [](const Stream& stream) { return uintptr_t(stream.handle()); },
          "The CUstream as an integer.");
  module.def("current_stream", &runtime::current_stream_object,
             "The stream that a StreamGuard made current, or None.");
  module.def("queue_limit", &runtime::queue_limit,
             "Pieces of work that a stream may have queued.");
  module.def("set_queue_limit", &runtime::set_queue_limit, py::arg("limit"),
             "1 to 960.");
  bind_sync_debug(module);
  py::class_<runtime::StreamGuard>(module, "StreamGuard", "Keeps a stream current.")
      .def(py::init<std::shared_ptr<Stream>>(), py::arg("stream"));
  py::class_<Event, std::shared_ptr<Event>>(module, "Event",
                                            "A point in a stream's order.")
      .def(py::init(&make_event), py::arg("timing") = true)
      .def(
          "record",
          [](Event& event, const OptionalStream& stream) {
            event.record(handle_or_current(stream));
          },
          py::arg("stream") = py::none(), "Marks the end of the work queued so far.")
      .def(
          "hold",
          [](const Event& event, const OptionalStream& stream) {
            runtime::hold_stream(runtime::current_device(), handle_or_current(stream),
                                 event);
          },
          py::arg("stream") = py::none(),
          "Work queued from now on waits for the last `record`.")
      .def("done", &runtime::is_done<Event>,
           "Has the work before the last `record` ended?")
      .def(
          "synchronize",
          [](const Event& event) {
            runtime::synchronize_event(runtime::current_device(), event);
          },
          Nogil(), "Waits until `done()`; raises the first fault.")
      .def("elapsed_since", &runtime::elapsed, py::arg("start"),
           "Milliseconds from `start` to this event.");
}

}  // namespace minitorch::bindings
