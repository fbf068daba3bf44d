// What is asked of the data of a graph's edges.
#pragma once

#include "cuda_abi/work_types.h"
#include "libcuda/contexts/failure.h"

namespace minitorch::libcuda {

/// Fails for edges that are more than "after"; null stands for plain ones.
inline void check_plain_edges(const CUgraphEdgeData* edges, size_t count) {
  for (size_t i = 0; edges != nullptr && i < count; ++i) {
    require(edges[i].from_port == 0 && edges[i].to_port == 0 && edges[i].type == 0,
            CUDA_ERROR_NOT_SUPPORTED, "edge ", i, " is not a plain dependency.");
  }
}

}  // namespace minitorch::libcuda
