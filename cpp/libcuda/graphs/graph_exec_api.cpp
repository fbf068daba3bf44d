// The functions about executable graphs: instantiate, change, launch.
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"
#include "libcuda/graphs/graph_exec.h"
#include "libcuda/graphs/graph_nodes.h"

namespace minitorch::libcuda::api {
namespace {

constexpr unsigned long long kKnownFlags = 0xf;

Handles<CUgraphExec, GraphExec>& execs() {
  static auto* const all = new Handles<CUgraphExec, GraphExec>;
  return *all;
}

std::shared_ptr<GraphExec> exec_of(CUgraphExec handle) {
  auto exec = execs().find(handle);
  require(exec != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no live executable graph.");
  return exec;
}

CUgraphExec instantiate(CUgraph graph, unsigned long long flags) {
  require((flags & ~kKnownFlags) == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CUgraphInstantiate_flags.");
  require((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) == 0,
          CUDA_ERROR_NOT_SUPPORTED, "kernels cannot launch graphs on the emulator.");
  return execs().insert(std::make_shared<GraphExec>(*graph_of(graph), flags));
}

template <class Make>
CUresult set_exec_node(CUgraphExec handle, CUgraphNode node, Make make) {
  std::lock_guard lock(graph_mutex());
  replace_work(exec_of(handle)->node_for(node), make());
  return CUDA_SUCCESS;
}

}  // namespace

CUresult graph_instantiate_with_flags(CUgraphExec* exec, CUgraph graph,
                                      unsigned long long flags) {
  required(exec, "phGraphExec");
  std::lock_guard lock(graph_mutex());
  *exec = instantiate(graph, flags);
  return CUDA_SUCCESS;
}

/// The older form; its log stays empty.
CUresult graph_instantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node,
                           char* log, size_t bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && bytes > 0) log[0] = '\0';
  return graph_instantiate_with_flags(exec, graph, 0);
}

CUresult graph_instantiate_with_params(CUgraphExec* exec, CUgraph graph,
                                       CUDA_GRAPH_INSTANTIATE_PARAMS* wanted) {
  auto& parameters = required(wanted, "instantiateParams");
  required(exec, "phGraphExec");
  parameters.hErrNode_out = nullptr;
  parameters.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  std::lock_guard lock(graph_mutex());
  const auto original = graph_of(graph);
  if (original->order().empty() && !original->nodes().empty()) {
    parameters.result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  }
  *exec = instantiate(graph, parameters.flags);
  parameters.result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return CUDA_SUCCESS;
}

CUresult graph_exec_destroy(CUgraphExec handle) {
  std::lock_guard lock(graph_mutex());
  exec_of(handle);
  execs().take(handle);
  return CUDA_SUCCESS;
}

CUresult graph_exec_get_flags(CUgraphExec handle, unsigned long long* flags) {
  required(flags, "flags") = exec_of(handle)->flags;
  return CUDA_SUCCESS;
}

CUresult graph_exec_get_id(CUgraphExec handle, unsigned int* id) {
  std::lock_guard lock(graph_mutex());
  required(id, "graphId") = exec_of(handle)->graph().id;
  return CUDA_SUCCESS;
}

CUresult graph_launch(CUgraphExec handle, CUstream stream_handle) {
  const auto stream = usable_stream(stream_handle);
  std::lock_guard lock(graph_mutex());
  const auto exec = exec_of(handle);
  if (capture_of(stream) != nullptr) {
    ChildWork child{exec->graph().clone(true)};
    child.graph->inside_another = true;
    capture_instead(stream, child);
    return CUDA_SUCCESS;
  }
  exec->launch(stream);
  return CUDA_SUCCESS;
}

/// Everything is where it is needed already.
CUresult graph_upload(CUgraphExec handle, CUstream stream) {
  usable_stream(stream);
  exec_of(handle);
  return CUDA_SUCCESS;
}

CUresult graph_exec_update_v2(CUgraphExec handle, CUgraph graph,
                              CUgraphExecUpdateResultInfo* info) {
  required(info, "resultInfo") = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  std::lock_guard lock(graph_mutex());
  *info = exec_of(handle)->update(*graph_of(graph));
  require(info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS,
          CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
          "the graph has other nodes or another order than the executable one.");
  return CUDA_SUCCESS;
}

CUresult graph_exec_update(CUgraphExec handle, CUgraph graph, CUgraphNode* error_node,
                           CUgraphExecUpdateResult* result) {
  required(error_node, "hErrorNode_out") = nullptr;
  required(result, "updateResult_out");
  CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  std::lock_guard lock(graph_mutex());
  info = exec_of(handle)->update(*graph_of(graph));
  *error_node = info.errorNode;
  *result = info.result;
  return info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS
             ? CUDA_SUCCESS
             : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult graph_exec_kernel_node_set_params(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v1* wanted) {
  return set_exec_node(exec, node, [&] { return work_from(wanted); });
}

CUresult graph_exec_kernel_node_set_params_v2(
    CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* wanted) {
  return set_exec_node(exec, node, [&] { return work_from(wanted); });
}

CUresult graph_exec_memcpy_node_set_params(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_MEMCPY3D* wanted, CUcontext) {
  return set_exec_node(exec, node, [&] { return work_from(wanted); });
}

CUresult graph_exec_memset_node_set_params(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_MEMSET_NODE_PARAMS_v1* wanted,
                                           CUcontext) {
  return set_exec_node(exec, node, [&] { return work_from(wanted); });
}

CUresult graph_exec_host_node_set_params(CUgraphExec exec, CUgraphNode node,
                                         const CUDA_HOST_NODE_PARAMS_v1* wanted) {
  return set_exec_node(exec, node, [&] { return work_from(wanted); });
}

CUresult graph_exec_child_graph_node_set_params(CUgraphExec exec, CUgraphNode node,
                                                CUgraph child) {
  return set_exec_node(exec, node, [&]() -> NodeWork {
    return ChildWork{graph_of(child)->clone(false)};
  });
}

CUresult graph_exec_event_record_node_set_event(CUgraphExec exec, CUgraphNode node,
                                                CUevent event) {
  return set_exec_node(exec, node, [&] { return record_work(event); });
}

CUresult graph_exec_event_wait_node_set_event(CUgraphExec exec, CUgraphNode node,
                                              CUevent event) {
  return set_exec_node(exec, node, [&] { return wait_work(event); });
}

CUresult graph_exec_node_set_params(CUgraphExec exec, CUgraphNode node,
                                    CUgraphNodeParams* wanted) {
  return set_exec_node(exec, node, [&] { return work_from(wanted); });
}

CUresult graph_node_set_enabled(CUgraphExec handle, CUgraphNode original,
                                unsigned int enabled) {
  std::lock_guard lock(graph_mutex());
  Node& node = exec_of(handle)->node_for(original);
  require(node.type() <= CU_GRAPH_NODE_TYPE_MEMSET, CUDA_ERROR_INVALID_VALUE,
          "got a node of type ", static_cast<int>(node.type()),
          "; need a kernel, a copy or a fill.");
  node.enabled = enabled != 0;
  return CUDA_SUCCESS;
}

CUresult graph_node_get_enabled(CUgraphExec handle, CUgraphNode original,
                                unsigned int* enabled) {
  std::lock_guard lock(graph_mutex());
  required(enabled, "isEnabled") = exec_of(handle)->node_for(original).enabled;
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
