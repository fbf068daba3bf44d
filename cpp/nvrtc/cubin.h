// What a cubin says of its kernels: registers, memory, barriers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minitorch::nvrtc {

/// What one kernel takes; bytes of shared memory are a block's, of local memory and
/// parameters a thread's and a launch's.
struct CubinKernel {
  std::string name;  // as the linker knows it
  int registers = 0;
  uint64_t shared_bytes = 0;  // declared arrays, without what the driver reserves
  uint64_t local_bytes = 0;   // stack, with the functions it calls
  /// The stack's size is not known and local_bytes is one frame. CUDA 12 does not
  /// always say so.
  bool recursive = false;
  uint64_t parameter_bytes = 0;
  int barriers = 0;
  int max_threads = 0;  // of __launch_bounds__; 0: none
  uint64_t code_bytes = 0;
};

struct Cubin {
  int architecture = 0;         // 75
  uint64_t constant_bytes = 0;  // of all __constant__ variables
  std::vector<CubinKernel> kernels;

  /// The kernel of that name, or nullptr.
  const CubinKernel* kernel(std::string_view name) const;
};

/// Reads a cubin of CUDA 12 or 13. Throws ValueError for anything else, and for a
/// damaged one.
Cubin read_cubin(std::string_view image);

}  // namespace minitorch::nvrtc
