// Corpus kernels as host C++: loops over threads, cut at barriers, with the fused
// multiply-adds that the compiler made.
#pragma once

#include "bench.h"

namespace corpus {

/// What a kernel must leave in the buffer number `output`, from the buffers before it.
struct HostKernel {
  const char* name;
  size_t output;
  std::vector<uint8_t> (*compute)(const Bench&);
};

const std::vector<HostKernel>& host_kernels();

}  // namespace corpus
