// One link as a client runs it: inputs one by one, logs, the finished code.
#pragma once

#include <mutex>
#include <string>

#include "cuda_abi/module_types.h"
#include "libcuda/contexts/device.h"
#include "libcuda/modules/jit_options.h"
#include "ptx/link.h"

namespace minitorch::libcuda {

class LinkSession {
 public:
  /// The logs that `options` name are written for as long as this lives.
  LinkSession(const Device& device, const JitOptions& options);

  /// Takes one input in. Throws Failure for what is no PTX.
  void add(CUjitInputType type, const char* name, const char* data, size_t bytes);
  /// The linked text; it lives as long as this. Throws Failure INVALID_PTX for names
  /// that are missing or defined twice.
  const std::string& complete();
  /// Writes to the error log.
  void tell(const std::string& message) const { options_.write_error(message); }

 private:
  const Device& device_;
  JitOptions options_;
  std::mutex mutex_;
  ptx::Linker linker_;
  std::string inputs_, linked_;
  bool complete_ = false, device_runtime_ = false;
};

}  // namespace minitorch::libcuda
