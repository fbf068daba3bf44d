// The functions about memory that graphs allocate and free.
#include <cstring>

#include "libcuda/exports/exports.h"
#include "libcuda/graphs/graph_nodes.h"

namespace minitorch::libcuda::api {
namespace {

enum Attribute { kUsedNow, kUsedMost, kReservedNow, kReservedMost };

void check_memory_attribute(int attribute) {
  require(attribute >= kUsedNow && attribute <= kReservedMost, CUDA_ERROR_INVALID_VALUE,
          "got attribute ", attribute, "; need one of CUgraphMem_attribute.");
}

}  // namespace

CUresult graph_add_mem_alloc_node(CUgraphNode* node, CUgraph graph,
                                  const CUgraphNode* after, size_t count,
                                  CUDA_MEM_ALLOC_NODE_PARAMS_v1* wanted) {
  auto& parameters = required(wanted, "nodeParams");
  return add_node(node, graph, after, count, [&] {
    NodeWork work = allocation_work(parameters);
    return work;
  });
}

CUresult graph_mem_alloc_node_get_params(CUgraphNode handle,
                                         CUDA_MEM_ALLOC_NODE_PARAMS_v1* given) {
  std::lock_guard lock(graph_mutex());
  const GraphMemory& memory = *work_in<AllocWork>(*node_of(handle)).memory;
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 told{};
  told.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  told.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  told.bytesize = memory.bytes;
  told.dptr = memory.address;
  required(given, "params_out") = told;
  return CUDA_SUCCESS;
}

CUresult graph_add_mem_free_node(CUgraphNode* node, CUgraph graph,
                                 const CUgraphNode* after, size_t count,
                                 CUdeviceptr pointer) {
  return add_node(node, graph, after, count, [&] { return free_work(pointer); });
}

CUresult graph_mem_free_node_get_params(CUgraphNode handle, CUdeviceptr* pointer) {
  std::lock_guard lock(graph_mutex());
  required(pointer, "dptr_out") = work_in<FreeWork>(*node_of(handle)).memory->address;
  return CUDA_SUCCESS;
}

/// The memory of a graph is taken when its node is made, and given back with it.
CUresult device_get_graph_mem_attribute(CUdevice device, int attribute, void* value) {
  check_device(device);
  check_memory_attribute(attribute);
  const uint64_t bytes = GraphMemory::total();
  std::memcpy(&required(static_cast<char*>(value), "value"), &bytes, sizeof bytes);
  return CUDA_SUCCESS;
}

CUresult device_set_graph_mem_attribute(CUdevice device, int attribute, void* value) {
  check_device(device);
  check_memory_attribute(attribute);
  uint64_t wanted = 1;
  std::memcpy(&wanted, &required(static_cast<char*>(value), "value"), sizeof wanted);
  const bool mark = attribute == kUsedMost || attribute == kReservedMost;
  require(mark && wanted == 0, CUDA_ERROR_INVALID_VALUE, "got ", wanted,
          " for attribute ", attribute, "; need 0 for a high-water mark.");
  return CUDA_SUCCESS;
}

CUresult device_graph_mem_trim(CUdevice device) {
  check_device(device);
  return CUDA_SUCCESS;  // nothing is kept back
}

}  // namespace minitorch::libcuda::api
