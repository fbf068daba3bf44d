// What a kernel takes on a card, from the code that the compiler makes for it.
#pragma once

#include <cstdint>
#include <string>

#include "base/card_profile.h"
#include "base/occupancy.h"
#include "runtime/kernel_store.h"
#include "runtime/raw_module.h"

namespace minitorch::runtime {

/// Bytes of shared memory are a block's, of local memory (stack) and spills a
/// thread's.
struct Resources {
  std::string kernel;
  base::CardProfile card;
  int registers = 0;
  uint64_t shared_bytes = 0, local_bytes = 0, constant_bytes = 0, parameter_bytes = 0;
  /// Bytes written to and read from local memory because registers ran out, counted in
  /// the code, not in a run.
  uint64_t spill_stores = 0, spill_loads = 0;
  bool recursive = false;  // the stack's size is not known
  int barriers = 0;
  int max_threads = 1024;  // of a block, from __launch_bounds__ or the card
  uint64_t code_bytes = 0;
};

/// Compiles `kernel` for the card called `gpu` ("": the device's own) and reads the
/// machine code's needs. Throws ValueError for an unknown card, StateError for a kernel
/// given as PTX or an NVRTC that cannot make code for the card.
Resources resources(const RawKernel& kernel, const std::string& gpu);

/// The same of one of the library's kernels.
Resources resources(const KernelSpec& spec, const std::string& gpu);

/// Blocks of `threads` threads and `dynamic_shared` bytes (opted in to where they are
/// more than the ordinary limit) that one multiprocessor holds.
base::Occupancy occupancy(const Resources& resources, int threads,
                          uint64_t dynamic_shared);

}  // namespace minitorch::runtime
