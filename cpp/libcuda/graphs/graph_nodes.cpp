#include "libcuda/graphs/graph_nodes.h"

namespace minitorch::libcuda {
namespace {

template <class Parameters>
NodeWork kernel_from(const Parameters& wanted, CUfunction function) {
  const LaunchShape shape{{wanted.gridDimX, wanted.gridDimY, wanted.gridDimZ},
                          {wanted.blockDimX, wanted.blockDimY, wanted.blockDimZ},
                          wanted.sharedMemBytes};
  return kernel_work(function, shape, wanted.kernelParams, wanted.extra);
}

std::pair<CUevent, std::shared_ptr<Event>> event_in(CUevent handle) {
  return {handle, event_of(handle)};
}

void set_end(const CopyEnd& end, CUmemorytype* type, CUdeviceptr* device, size_t* pitch,
             size_t* rows) {
  *type = CU_MEMORYTYPE_UNIFIED;
  *device = end.address;
  *pitch = end.pitch;
  *rows = end.pitch == 0 ? 0 : end.slice / end.pitch;
}

}  // namespace

NodeWork work_from(const CUDA_KERNEL_NODE_PARAMS_v1* wanted) {
  const auto& parameters = required(wanted, "nodeParams");
  return kernel_from(parameters, parameters.func);
}

NodeWork work_from(const CUDA_KERNEL_NODE_PARAMS_v2* wanted) {
  const auto& parameters = required(wanted, "nodeParams");
  // A kernel of a library is the function of the same value.
  return kernel_from(parameters, parameters.func != nullptr
                                     ? parameters.func
                                     : reinterpret_cast<CUfunction>(parameters.kern));
}

NodeWork work_from(const CUDA_MEMCPY3D* wanted) {
  const CopyWork copy = copy_of(required(wanted, "copyParams"));
  if (!copy.empty()) check_ranges(copy);
  return copy;
}

NodeWork work_from(const CUDA_MEMSET_NODE_PARAMS_v1* wanted) {
  const auto& parameters = required(wanted, "memsetParams");
  const FillWork fill{parameters.dst,         parameters.pitch, parameters.value,
                      parameters.elementSize, parameters.width, parameters.height};
  check(fill);
  return fill;
}

NodeWork work_from(const CUDA_HOST_NODE_PARAMS_v1* wanted) {
  const auto& parameters = required(wanted, "nodeParams");
  require(parameters.fn != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got no function; need one.");
  return HostWork{parameters.fn, parameters.userData};
}

NodeWork child_work(CUgraph handle) {
  auto copy = graph_of(handle)->clone(true);
  copy->inside_another = true;
  return ChildWork{std::move(copy)};
}

NodeWork wait_work(CUevent event) {
  auto [handle, object] = event_in(event);
  return WaitWork{handle, std::move(object)};
}

NodeWork record_work(CUevent event) {
  auto [handle, object] = event_in(event);
  return RecordWork{handle, std::move(object)};
}

NodeWork allocation_work(CUDA_MEM_ALLOC_NODE_PARAMS_v1& wanted) {
  const CUmemLocation& location = wanted.poolProps.location;
  require(wanted.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED,
          CUDA_ERROR_INVALID_VALUE, "got allocation type ",
          static_cast<int>(wanted.poolProps.allocType), "; need PINNED.");
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED,
          "got location type ", static_cast<int>(location.type),
          "; need CU_MEM_LOCATION_TYPE_DEVICE.");
  check_device(location.id);
  AllocWork work{GraphMemory::create(wanted.bytesize)};
  wanted.dptr = work.memory->address;
  return work;
}

NodeWork free_work(CUdeviceptr pointer) {
  auto memory = GraphMemory::find(pointer);
  require(memory != nullptr, CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex, pointer,
          "; need the address that an allocating node of a graph gives.");
  return FreeWork{std::move(memory)};
}

NodeWork work_from(CUgraphNodeParams* wanted) {
  CUgraphNodeParams& parameters = required(wanted, "nodeParams");
  switch (parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return work_from(&parameters.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return work_from(&parameters.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return work_from(&parameters.memset);
    case CU_GRAPH_NODE_TYPE_HOST:
      return work_from(&parameters.host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return child_work(parameters.graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return EmptyWork{};
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return wait_work(parameters.eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return record_work(parameters.eventRecord.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return allocation_work(parameters.alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return free_work(parameters.free.dptr);
    default:
      fail(CUDA_ERROR_NOT_SUPPORTED, "graph nodes of type ",
           static_cast<int>(parameters.type), " are not offered by the emulator.");
  }
}

CUDA_KERNEL_NODE_PARAMS_v2 kernel_parameters(Node& node) {
  KernelWork& work = work_in<KernelWork>(node);
  node.parameters.clear();
  for (const ptx::Parameter& parameter : work.function->program().parameters) {
    node.parameters.push_back(work.parameters.data() + parameter.offset);
  }
  const auto& [grid, block, shared] = work.shape;
  CUDA_KERNEL_NODE_PARAMS_v2 given{};
  given.func = work.handle;
  given.gridDimX = grid.x;
  given.gridDimY = grid.y;
  given.gridDimZ = grid.z;
  given.blockDimX = block.x;
  given.blockDimY = block.y;
  given.blockDimZ = block.z;
  given.sharedMemBytes = shared;
  given.kernelParams = node.parameters.data();
  return given;
}

/// As unified addresses without offsets, whatever the client wrote.
CUDA_MEMCPY3D copy_parameters(const CopyWork& work) {
  CUDA_MEMCPY3D given{};
  set_end(work.from, &given.srcMemoryType, &given.srcDevice, &given.srcPitch,
          &given.srcHeight);
  set_end(work.to, &given.dstMemoryType, &given.dstDevice, &given.dstPitch,
          &given.dstHeight);
  given.WidthInBytes = work.width;
  given.Height = work.height;
  given.Depth = work.depth;
  return given;
}

CUDA_MEMSET_NODE_PARAMS_v1 fill_parameters(const FillWork& work) {
  return {work.address, work.pitch, work.value, work.element, work.width, work.height};
}

void replace_work(Node& node, NodeWork work) {
  require(node.work.index() == work.index(), CUDA_ERROR_INVALID_VALUE,
          "got parameters of type ", work.index(), " for a node of type ",
          node.work.index(), ".");
  if (auto* child = std::get_if<ChildWork>(&node.work)) child->graph->forget_handles();
  node.work = std::move(work);
}

}  // namespace minitorch::libcuda
