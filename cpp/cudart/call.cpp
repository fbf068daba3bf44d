#include "cudart/call.h"

#include <map>
#include <mutex>

#include "cudart/api.h"
#include "cudart/driver.h"
#include "cudart/report.h"

namespace minitorch::cudart {
namespace {

std::mutex primary_mutex;
std::map<int, CUcontext>& primaries() {
  static auto* const all = new std::map<int, CUcontext>;  // threads may call at exit
  return *all;
}

/// The primary context of the thread's device, retained once for the process.
int use_primary(int device) {
  std::lock_guard lock(primary_mutex);
  CUcontext& context = primaries()[device];
  if (context == nullptr) {
    const int result = driver().primary_ctx_retain(&context, device);
    if (result != 0) return result;
  }
  return driver().ctx_set_current(context);
}

}  // namespace

bool is_sticky(int result) {
  switch (result) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

int enter(bool needs_context) {
  const int state = driver_state();
  if (state != 0 || !needs_context) return state;
  CUcontext current = nullptr;
  const int result = driver().ctx_get_current(&current);
  if (result != 0 || current != nullptr) return result;
  return use_primary(thread_state().device);
}

int failed(const char* symbol, int result) {
  if (result == cudaErrorNotReady) return result;  // an answer, not an error
  ThreadState& thread = thread_state();
  thread.last_error = result;
  // What a fault of a kernel is has been reported, and every later call repeats it.
  thread.unasked =
      is_sticky(result) ? -1 : report_failure(symbol, result, !thread.refused);
  return result;
}

int absent(const char* symbol) {
  report_absent(symbol);
  thread_state().last_error = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}

void forget_primary(int device) {
  std::lock_guard lock(primary_mutex);
  CUcontext& context = primaries()[device];
  if (context == nullptr) return;
  // Some drivers count the reset as a release: retained anew where it is needed.
  driver().primary_ctx_reset(device);
  driver().primary_ctx_release(device);
  context = nullptr;
}

namespace api {

int get_last_error() {
  ThreadState& thread = thread_state();
  const int error = thread.last_error;
  if (!is_sticky(error)) thread.last_error = 0;
  report_asked(thread.unasked);
  thread.unasked = -1;
  return error;
}

int peek_at_last_error() {
  report_asked(thread_state().unasked);
  thread_state().unasked = -1;
  return thread_state().last_error;
}

}  // namespace api
}  // namespace minitorch::cudart
