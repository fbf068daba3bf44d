// Owns the way from a kernel's source and spec to a loaded function, and launching it;
// the only hub between nvrtc, driver and arrays. Must not know which ops exist.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "runtime/device.h"
#include "runtime/stream.h"

namespace minitorch::runtime {

/// Which specialisation of which embedded kernel file: `file` is a name in cpp/kernels
/// ("matmul_tiled.cu"), `spec` the text that NVRTC receives as spec.cuh.
/// `options` go to NVRTC, e.g. "--fmad=false" where device and host must agree bit by
/// bit. The headers are the .cuh files of cpp/kernels, with `spec` as spec.cuh.
struct KernelSpec {
  std::string file, entry, spec;
  std::vector<std::string> options = {};
};

/// A function loaded into one Api (kernel.h).
class Kernel;

/// Compiles (or takes from memory or disk cache), loads and returns the kernel for the
/// current device. Of several threads that ask for the same kernel one compiles it and
/// the others wait; what other kernels they ask for does not wait. It lives as long as
/// it is held, launches until `reset`. Raises nvrtc::CompileError, driver::CudaError.
std::shared_ptr<Kernel> get_kernel(const KernelSpec& spec);

/// The arguments of a launch: each is copied by value into the parameter buffer in
/// order.
class Arguments {
 public:
  template <class T>
  Arguments& add(const T& value) {
    return add_bytes(&value, sizeof value);
  }
  Arguments& add_bytes(const void* data, size_t bytes);
  std::span<void* const> pointers() const;

 private:
  std::vector<std::unique_ptr<std::byte[]>> values_;
  std::vector<void*> pointers_;
};

/// Launches on the current stream of the current device. Records kernel, grid, block
/// and time for `launch_table`. Library kernels are launched with no uninitialised-read
/// reporting and without an instruction budget. Throws LaunchError("launch_config").
void launch(const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
            const Arguments& arguments, uint32_t dynamic_shared = 0);
/// The same on a given stream; each of `arguments` points to a parameter's value.
/// `owner` goes into the launch's tag (launch_record.h).
void launch_on(CUstream stream, const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
               std::span<void* const> arguments, uint32_t dynamic_shared = 0,
               uint32_t owner = 0);

/// Forgets the loaded kernels (`reset`; tests that measure loading).
void clear_kernels();

// Beside this header: device.h (cuda_api, reset), stream.h (current_stream,
// synchronize), memory.h (allocate, copies), raw_module.h (the user's kernels).

}  // namespace minitorch::runtime
