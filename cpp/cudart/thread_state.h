// What belongs to each thread that calls the runtime.
#pragma once

#include <vector>

#include "cuda_abi/runtime_types.h"

namespace minitorch::cudart {

struct Configuration {
  cudart_dim3 grid, block;
  size_t shared;
  void* stream;
};

struct ThreadState {
  int last_error = 0;
  long unasked = -1;  // row of the report about it, see report.h; -1: none
  int device = 0;
  bool per_thread = false;  // stream 0 is its own in the running call
  bool refused = false;     // the running call, by the runtime and not by the driver
  std::vector<Configuration> configurations;  // pushed by <<<...>>>, not yet popped
};
ThreadState& thread_state();

/// An error that the runtime itself finds: the driver has said nothing about it.
inline int refuse(cudart_results error) {
  thread_state().refused = true;
  return error;
}

}  // namespace minitorch::cudart
