// The translation between the parameters of graph nodes, as clients give and take them,
// and work.
#pragma once

#include "libcuda/graphs/graph.h"

namespace minitorch::libcuda {

/// Parameters to work; each throws Failure for what the node could not do.
NodeWork work_from(const CUDA_KERNEL_NODE_PARAMS_v1* wanted);
NodeWork work_from(const CUDA_KERNEL_NODE_PARAMS_v2* wanted);
NodeWork work_from(const CUDA_MEMCPY3D* wanted);
NodeWork work_from(const CUDA_MEMSET_NODE_PARAMS_v1* wanted);
NodeWork work_from(const CUDA_HOST_NODE_PARAMS_v1* wanted);
NodeWork work_from(CUgraphNodeParams* wanted);
/// Also writes the address that the node will give.
NodeWork allocation_work(CUDA_MEM_ALLOC_NODE_PARAMS_v1& wanted);
NodeWork free_work(CUdeviceptr pointer);
NodeWork child_work(CUgraph graph);
NodeWork wait_work(CUevent event);
NodeWork record_work(CUevent event);

/// Work to parameters. Pointers to kernel parameters live in the node.
CUDA_KERNEL_NODE_PARAMS_v2 kernel_parameters(Node& node);
CUDA_MEMCPY3D copy_parameters(const CopyWork& work);
CUDA_MEMSET_NODE_PARAMS_v1 fill_parameters(const FillWork& work);

/// The node's work of this kind; fails for a node of another type.
template <class Work>
Work& work_in(Node& node) {
  Work* const work = std::get_if<Work>(&node.work);
  require(work != nullptr, CUDA_ERROR_INVALID_VALUE, "got a node of type ",
          static_cast<int>(node.type()), "; need one of the type that is asked about.");
  return *work;
}

/// Adds a node; `make` gives its work once the graph and the dependencies are known to
/// be right.
template <class Make>
CUresult add_node(CUgraphNode* node, CUgraph handle, const CUgraphNode* after,
                  size_t count, Make make) {
  required(node, "phGraphNode");
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(handle);
  auto before = nodes_of(*graph, after, count);
  *node = graph->add(make(), std::move(before)).handle;
  return CUDA_SUCCESS;
}

/// Gives the node other work of the same type.
void replace_work(Node& node, NodeWork work);

}  // namespace minitorch::libcuda
