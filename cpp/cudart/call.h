// One call of the runtime API: its context, its thread's last error, its default
// stream.
#pragma once

#include "cuda_abi/runtime_types.h"
#include "cudart/thread_state.h"

namespace minitorch::cudart {

/// Initialises the driver; makes a context current where the thread has none.
int enter(bool needs_context);
/// Resets the device's primary context, if it was made.
void forget_primary(int device);
/// Notes a failure as the thread's last error and in the report.
int failed(const char* symbol, int result);

/// Notes a call of a function that is not offered.
int absent(const char* symbol);

/// Errors after which a context answers nothing else; cudaDeviceReset ends them.
bool is_sticky(int result);

template <class Body>
int answer(const char* symbol, bool needs_context, bool per_thread, Body body) {
  ThreadState& thread = thread_state();
  const bool before = thread.per_thread;
  thread.per_thread = per_thread;
  thread.refused = false;
  int result = enter(needs_context);
  if (result == 0) result = body();
  if (result != 0) result = failed(symbol, result);
  thread.per_thread = before;
  return result;
}

}  // namespace minitorch::cudart
