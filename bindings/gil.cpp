#include "bindings/gil.h"

#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace minitorch::bindings {
namespace {

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

bool on_main_thread() { return syscall(SYS_gettid) == getpid(); }

// Is this one of the threads that the end of the interpreter leaves behind?
bool left_behind() { return !Py_IsInitialized() && !on_main_thread(); }

/// Calls `take`. The interpreter may begin to end while it waits for the GIL, and then
/// unwinds the thread by force; the handler is never left, so no frame above is
/// unwound.
template <class Take>
auto take_gil(const Take& take) {
  if (left_behind()) sleep_for_ever();
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    sleep_for_ever();
  }
}

}  // namespace

ReleaseGil::~ReleaseGil() noexcept(false) {
  take_gil([this] { PyEval_RestoreThread(state_); });
}

AcquireGil::AcquireGil() : state_(take_gil([] { return PyGILState_Ensure(); })) {}

void look_for_signals() {
  if (!on_main_thread() || !Py_IsInitialized()) return;
  const AcquireGil gil;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace minitorch::bindings
