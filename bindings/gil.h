// How C++ lets go of Python's lock and takes it, also while Python ends.
#pragma once

#include <pybind11/pybind11.h>

#include <type_traits>

namespace minitorch::bindings {

/// Without the GIL for the guard's lifetime. Python ends a thread that asks for the GIL
/// after the interpreter began to end by unwinding it, which C++ does not survive: such
/// a thread sleeps in the destructor until the process is gone.
class ReleaseGil {
 public:
  ReleaseGil() : state_(PyEval_SaveThread()) {}
  ~ReleaseGil() noexcept(false);
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

/// With the GIL for the guard's lifetime, in calls back from C++. At the interpreter's
/// end it sleeps as ReleaseGil does.
class AcquireGil {
 public:
  AcquireGil();
  ~AcquireGil() { PyGILState_Release(state_); }
  AcquireGil(const AcquireGil&) = delete;
  AcquireGil& operator=(const AcquireGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// What `work` gives with the GIL, in calls back from C++ that may come when the
/// interpreter is gone, and its objects with it: then nothing is done, and the answer
/// is empty.
template <class Work>
auto while_python_lives(const Work& work) -> std::invoke_result_t<Work> {
  if (!Py_IsInitialized()) return std::invoke_result_t<Work>();
  const AcquireGil gil;
  return work();
}

/// For bound functions that run without the GIL.
using Nogil = pybind11::call_guard<ReleaseGil>;

/// Runs Python's signal handlers and throws what they raise; only the main thread has
/// signals. Called without the GIL, or with it.
void look_for_signals();

}  // namespace minitorch::bindings
