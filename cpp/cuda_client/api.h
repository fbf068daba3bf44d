// The CUDA driver API as an object: a table of functions filled by dlopen from
// libcuda.so.1 or from libminitorch_emulator.so.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "cuda_abi/driver_types.h"
#include "cuda_abi/inspect.h"
#include "cuda_abi/work_types.h"

namespace minitorch::cuda_client {

/// A driver call that failed. Python: minitorch.cuda.CudaError.
class CudaError : public base::Error {
 public:
  CudaError(const std::string& where, const std::string& what, CUresult result)
      : base::Error(where, what), result(result) {}
  CUresult result;
};

/// Out of device memory; Python: minitorch.cuda.OutOfMemoryError (a CudaError).
class OutOfMemory : public CudaError {
  using CudaError::CudaError;
};

/// What cannot be done while a graph is captured, or a capture that failed. Python:
/// minitorch.cuda.GraphCaptureError (a CudaError).
class GraphCaptureError : public CudaError {
  using CudaError::CudaError;
};

/// Does it say that a call does not go together with a capture?
bool is_capture_error(CUresult result);

/// Does it say that a kernel failed? Then every call in that context says so again.
bool is_kernel_fault(CUresult result);

/// One loaded driver library and its first device's primary context. Several may live
/// in one process; every context, buffer, stream and module belongs to one Api.
class Api {
 public:
  /// Loads `library` (a path or soname, RTLD_LOCAL), initialises it, retains the
  /// primary context of device 0. Throws CudaError with one sentence of advice.
  static std::shared_ptr<Api> open(const std::string& library);

  /// The same over any source of symbols (`find` gives nullptr for an unknown name).
  static std::shared_ptr<Api> from_symbols(
      const std::string& library, const std::function<void*(const char* symbol)>& find);

  // The raw table; null where the library lacks the symbol.
#define CU_FUNCTION(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "cuda_abi/driver_functions.inc"
#undef CU_FUNCTION
#define INSPECT_FUNCTION(member, symbol, parameters) \
  CUresult(*inspect_##member) parameters = nullptr;
#include "cuda_abi/inspect_functions.inc"
#undef INSPECT_FUNCTION

  bool emulated() const { return inspect_version != nullptr; }
  int driver_version() const { return driver_version_; }  // 13000 for 13.0
  const std::string& device_name() const { return device_name_; }
  const std::string& library() const { return library_; }
  int compute_capability() const { return compute_capability_; }  // 75 for 7.5
  int attribute(CUdevice_attribute attribute) const;
  std::pair<size_t, size_t> memory() const;  // free, total
  CUcontext context() const { return context_; }

  /// Makes the context current on this thread; every RAII type calls it first. Throws
  /// StateError in a process forked after `open`. A kernel's fault, which a driver may
  /// tell here as anywhere, is left to the call that follows.
  void make_current() const;
  /// Was this process forked after `open`? Then no driver call may be made.
  bool inherited() const;
  /// Throws CudaError / OutOfMemory naming `where` unless `result` is success.
  void check(CUresult result, const char* where) const;
  /// The driver's own name of a result: "CUDA_ERROR_ILLEGAL_ADDRESS".
  std::string error_name(CUresult result) const;

  /// Destroys the primary context (a real GPU after a fault) and retains a new one; all
  /// pointers, modules and streams of the old one are gone.
  void reset_context();
  /// Counts resets: what was made under another number is gone with its context.
  unsigned generation() const { return generation_; }
  /// May something made under `generation` still be handed to the driver? Makes the
  /// context current if so; for destructors, which must not throw.
  bool reachable(unsigned generation) const;

  /// Why the thread's last call failed, in the driver's own words; "" when it has none.
  std::string explanation(CUresult result) const;

  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

 private:
  Api() = default;
  void fill(const std::function<void*(const char*)>& find);
  void open_device();

  // A reset changes these two while other threads call the driver.
  std::atomic<CUcontext> context_ = nullptr;
  std::atomic<unsigned> generation_ = 0;
  CUdevice device_ = 0;
  unsigned fork_stamp_ = 0;
  int driver_version_ = 0;
  int compute_capability_ = 0;
  std::string library_, device_name_;
};

}  // namespace minitorch::cuda_client
