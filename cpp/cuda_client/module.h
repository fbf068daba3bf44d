// A loaded module (PTX or cubin) and the functions in it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// The driver refused an image; `log` is its JIT compiler's text. Python: PtxError.
class ImageError : public CudaError {
 public:
  ImageError(const std::string& what, CUresult result, std::string log)
      : CudaError("cuda", what, result), log(std::move(log)) {}
  std::string log;
};

/// Where a kernel parameter lies in the parameter buffer.
struct ParameterSlot {
  size_t offset = 0, size = 0;
};

/// A kernel of a loaded module, valid as long as the module.
class Function {
 public:
  Function() = default;
  Function(const Api* api, CUfunction handle) : api_(api), handle_(handle) {}

  CUfunction handle() const { return handle_; }
  int attribute(CUfunction_attribute attribute) const;
  /// Allows up to `bytes` of dynamic shared memory.
  void set_dynamic_shared(uint32_t bytes) const;
  /// How many blocks of such a launch one multiprocessor holds at once.
  int resident_blocks(uint32_t threads, uint32_t dynamic_shared) const;
  /// Empty with `known` false when the driver cannot tell (before CUDA 12.4).
  std::vector<ParameterSlot> parameters(bool* known) const;

 private:
  const Api* api_ = nullptr;
  CUfunction handle_ = nullptr;
};

/// One image in one context.
class Module {
 public:
  /// `image`: PTX text or a cubin. `index_checks`: on the emulator its comments are
  /// checks of indices (kMtJitIndexChecks). Throws ImageError with the JIT log.
  Module(std::shared_ptr<Api> api, const std::string& image, bool index_checks = false);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// False (and `function` untouched) when the module has no kernel of that name.
  bool find(const std::string& name, Function* function) const;
  /// Address and size of a __device__ or __constant__ variable; {0, 0} if there is
  /// none.
  std::pair<CUdeviceptr, size_t> global(const std::string& name) const;

 private:
  std::shared_ptr<Api> api_;
  CUmodule handle_ = nullptr;
  unsigned generation_ = 0;
};

}  // namespace minitorch::cuda_client
