// The way from the source and spec of one of the library's kernels to a loaded
// function.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/kernel.h"

namespace minitorch::runtime {

/// Which specialisation of which embedded kernel file: `file` is a name in cpp/kernels
/// ("matmul_tiled.cu"), `spec` the text that NVRTC receives as spec.cuh.
/// `options` go to NVRTC, e.g. "--fmad=false" where device and host must agree bit by
/// bit. A text that stands in the file's place on this thread (kernel_texts.h) is taken
/// instead, under the same spec. The headers are the .cuh files of cpp/kernels, with
/// `spec` as spec.cuh.
struct KernelSpec {
  std::string file, entry, spec;
  std::vector<std::string> options = {};
};

/// The file of cpp/kernels that has the guard; only kernels with a guard are given it.
inline constexpr std::string_view kPlacementHeader = "placement.cuh";

/// Compiles (or takes from memory or disk cache), loads and returns the kernel for the
/// current device. Of several threads that ask for the same kernel one compiles it and
/// the others wait; what other kernels they ask for does not wait. It lives as long as
/// it is held, launches until `reset`. Raises nvrtc::CompileError,
/// cuda_client::CudaError.
std::shared_ptr<Kernel> get_kernel(const KernelSpec& spec);

/// What the compiler is given for a kernel, but for what the device decides.
nvrtc::Request request_for(const KernelSpec& spec);

/// The PTX of a kernel for the current device's architecture; on a GPU, too, where
/// machine code runs. Raises nvrtc::CompileError.
std::string ptx_of(const KernelSpec& spec);

/// Forgets the loaded kernels (`reset`; tests that measure loading).
void clear_kernels();

}  // namespace minitorch::runtime
