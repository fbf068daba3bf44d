// A kernel on its way into a device: compiling for it, the loaded function, and what
// messages and tables call it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda_client/module.h"
#include "nvrtc/compiler.h"
#include "runtime/device.h"
#include "runtime/record_log.h"

namespace minitorch::runtime {

/// Fills in what `request` needs for `device` (its source, headers and options are the
/// caller's) and compiles it. Throws CompileError, StateError.
std::shared_ptr<const nvrtc::Result> build_for(const Device& device,
                                               nvrtc::Request request);

/// What a kernel was compiled from, but for what the device decides.
struct KernelOrigin {
  nvrtc::Request request;
  bool index_checks = false;  // cuda_client::Module
};

/// A function loaded into one device, ready to launch.
class Kernel {
 public:
  Device* device = nullptr;
  std::shared_ptr<cuda_client::Module> module;
  cuda_client::Function function;
  std::shared_ptr<const KernelFacts> facts;  // for records, which may outlive it
  std::function<KernelOrigin()> origin;      // empty: there was no C++
  std::string name;                          // "matmul_tiled", "scale<float>"
  std::string file;                          // "matmul_tiled.cu"
  bool user = false;         // launched with the checks and the budget of user kernels
  bool own_text = false;     // so is the library's with another text (kernel_texts.h)
  bool cooperative = false;  // its blocks may wait for each other: all run at once
  uint32_t max_threads = 0;  // per block, from the registers it needs
  uint32_t static_shared = 0;           // bytes a block
  uint32_t local_bytes = 0;             // bytes a thread
  uint32_t dynamic_shared_allowed = 0;  // beyond the default, once asked for
};

/// Finds `entry` in `module` and fills a Kernel; throws LaunchError("entry_not_found")
/// that lists `present`.
std::shared_ptr<Kernel> make_kernel(Device& device,
                                    std::shared_ptr<cuda_client::Module> module,
                                    const std::string& entry, const std::string& name,
                                    const std::string& file,
                                    const std::vector<std::string>& present);

}  // namespace minitorch::runtime
