// The functions that add nodes to graphs and read or change what they do.
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/graph_edges.h"
#include "libcuda/graphs/graph_nodes.h"

namespace minitorch::libcuda::api {
namespace {

template <class Make>
CUresult set_node(CUgraphNode handle, Make make) {
  std::lock_guard lock(graph_mutex());
  replace_work(*node_of(handle), make());
  return CUDA_SUCCESS;
}

Stream::Attribute& attribute_of(CUgraphNode handle, int attribute) {
  const auto node = node_of(handle);
  work_in<KernelWork>(*node);
  require(attribute > 0 && attribute <= 18, CUDA_ERROR_INVALID_VALUE,
          "got kernel node attribute ", attribute,
          "; need one of CUlaunchAttributeID.");
  return node->attributes[attribute];
}

}  // namespace

CUresult graph_add_kernel_node(CUgraphNode* node, CUgraph graph,
                               const CUgraphNode* after, size_t count,
                               const CUDA_KERNEL_NODE_PARAMS_v1* wanted) {
  return add_node(node, graph, after, count, [&] { return work_from(wanted); });
}

CUresult graph_add_kernel_node_v2(CUgraphNode* node, CUgraph graph,
                                  const CUgraphNode* after, size_t count,
                                  const CUDA_KERNEL_NODE_PARAMS_v2* wanted) {
  return add_node(node, graph, after, count, [&] { return work_from(wanted); });
}

CUresult graph_add_memcpy_node(CUgraphNode* node, CUgraph graph,
                               const CUgraphNode* after, size_t count,
                               const CUDA_MEMCPY3D* wanted, CUcontext) {
  return add_node(node, graph, after, count, [&] { return work_from(wanted); });
}

CUresult graph_add_memset_node(CUgraphNode* node, CUgraph graph,
                               const CUgraphNode* after, size_t count,
                               const CUDA_MEMSET_NODE_PARAMS_v1* wanted, CUcontext) {
  return add_node(node, graph, after, count, [&] { return work_from(wanted); });
}

CUresult graph_add_host_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                             size_t count, const CUDA_HOST_NODE_PARAMS_v1* wanted) {
  return add_node(node, graph, after, count, [&] { return work_from(wanted); });
}

CUresult graph_add_child_graph_node(CUgraphNode* node, CUgraph graph,
                                    const CUgraphNode* after, size_t count,
                                    CUgraph child) {
  return add_node(node, graph, after, count, [&] { return child_work(child); });
}

CUresult graph_add_empty_node(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* after, size_t count) {
  return add_node(node, graph, after, count, [] { return NodeWork(EmptyWork{}); });
}

CUresult graph_add_event_record_node(CUgraphNode* node, CUgraph graph,
                                     const CUgraphNode* after, size_t count,
                                     CUevent event) {
  return add_node(node, graph, after, count, [&] { return record_work(event); });
}

CUresult graph_add_event_wait_node(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* after, size_t count,
                                   CUevent event) {
  return add_node(node, graph, after, count, [&] { return wait_work(event); });
}

CUresult graph_add_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                        size_t count, CUgraphNodeParams* wanted) {
  return add_node(node, graph, after, count, [&] { return work_from(wanted); });
}

CUresult graph_add_node_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                           const CUgraphEdgeData* edges, size_t count,
                           CUgraphNodeParams* wanted) {
  check_plain_edges(edges, count);
  return graph_add_node(node, graph, after, count, wanted);
}

CUresult graph_kernel_node_get_params(CUgraphNode handle,
                                      CUDA_KERNEL_NODE_PARAMS_v1* given) {
  required(given, "nodeParams");
  std::lock_guard lock(graph_mutex());
  const CUDA_KERNEL_NODE_PARAMS_v2 all = kernel_parameters(*node_of(handle));
  *given = {all.func,         all.gridDimX,  all.gridDimY,  all.gridDimZ,
            all.blockDimX,    all.blockDimY, all.blockDimZ, all.sharedMemBytes,
            all.kernelParams, all.extra};
  return CUDA_SUCCESS;
}

CUresult graph_kernel_node_get_params_v2(CUgraphNode handle,
                                         CUDA_KERNEL_NODE_PARAMS_v2* given) {
  required(given, "nodeParams");
  std::lock_guard lock(graph_mutex());
  *given = kernel_parameters(*node_of(handle));
  return CUDA_SUCCESS;
}

CUresult graph_kernel_node_set_params(CUgraphNode node,
                                      const CUDA_KERNEL_NODE_PARAMS_v1* wanted) {
  return set_node(node, [&] { return work_from(wanted); });
}

CUresult graph_kernel_node_set_params_v2(CUgraphNode node,
                                         const CUDA_KERNEL_NODE_PARAMS_v2* wanted) {
  return set_node(node, [&] { return work_from(wanted); });
}

CUresult graph_kernel_node_get_attribute(CUgraphNode node, int attribute,
                                         CUlaunchAttributeValue* value) {
  std::lock_guard lock(graph_mutex());
  const auto& kept = attribute_of(node, attribute);
  std::copy(kept.begin(), kept.end(), required(value, "value_out").pad);
  return CUDA_SUCCESS;
}

CUresult graph_kernel_node_set_attribute(CUgraphNode node, int attribute,
                                         const CUlaunchAttributeValue* value) {
  std::lock_guard lock(graph_mutex());
  auto& kept = attribute_of(node, attribute);
  required(value, "value");
  if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    KernelWork& work = work_in<KernelWork>(*node_of(node));
    work.cooperative = false;
    if (value->cooperative != 0) make_cooperative(work);
  }
  std::copy_n(value->pad, kept.size(), kept.begin());
  return CUDA_SUCCESS;
}

CUresult graph_kernel_node_copy_attributes(CUgraphNode to, CUgraphNode from) {
  std::lock_guard lock(graph_mutex());
  const auto source = node_of(from), destination = node_of(to);
  work_in<KernelWork>(*source);
  work_in<KernelWork>(*destination);
  destination->attributes = source->attributes;
  return CUDA_SUCCESS;
}

CUresult graph_memcpy_node_get_params(CUgraphNode handle, CUDA_MEMCPY3D* given) {
  std::lock_guard lock(graph_mutex());
  required(given, "nodeParams") = copy_parameters(work_in<CopyWork>(*node_of(handle)));
  return CUDA_SUCCESS;
}

CUresult graph_memcpy_node_set_params(CUgraphNode node, const CUDA_MEMCPY3D* wanted) {
  return set_node(node, [&] { return work_from(wanted); });
}

CUresult graph_memset_node_get_params(CUgraphNode handle,
                                      CUDA_MEMSET_NODE_PARAMS_v1* given) {
  std::lock_guard lock(graph_mutex());
  required(given, "nodeParams") = fill_parameters(work_in<FillWork>(*node_of(handle)));
  return CUDA_SUCCESS;
}

CUresult graph_memset_node_set_params(CUgraphNode node,
                                      const CUDA_MEMSET_NODE_PARAMS_v1* wanted) {
  return set_node(node, [&] { return work_from(wanted); });
}

CUresult graph_host_node_get_params(CUgraphNode handle,
                                    CUDA_HOST_NODE_PARAMS_v1* given) {
  std::lock_guard lock(graph_mutex());
  const HostWork& work = work_in<HostWork>(*node_of(handle));
  required(given, "nodeParams") = {work.function, work.user};
  return CUDA_SUCCESS;
}

CUresult graph_host_node_set_params(CUgraphNode node,
                                    const CUDA_HOST_NODE_PARAMS_v1* wanted) {
  return set_node(node, [&] { return work_from(wanted); });
}

CUresult graph_child_graph_node_get_graph(CUgraphNode handle, CUgraph* graph) {
  std::lock_guard lock(graph_mutex());
  required(graph, "phGraph") = work_in<ChildWork>(*node_of(handle)).graph->handle();
  return CUDA_SUCCESS;
}

CUresult graph_event_record_node_get_event(CUgraphNode handle, CUevent* event) {
  std::lock_guard lock(graph_mutex());
  required(event, "event_out") = work_in<RecordWork>(*node_of(handle)).handle;
  return CUDA_SUCCESS;
}

CUresult graph_event_record_node_set_event(CUgraphNode node, CUevent event) {
  return set_node(node, [&] { return record_work(event); });
}

CUresult graph_event_wait_node_get_event(CUgraphNode handle, CUevent* event) {
  std::lock_guard lock(graph_mutex());
  required(event, "event_out") = work_in<WaitWork>(*node_of(handle)).handle;
  return CUDA_SUCCESS;
}

CUresult graph_event_wait_node_set_event(CUgraphNode node, CUevent event) {
  return set_node(node, [&] { return wait_work(event); });
}

CUresult graph_node_set_params(CUgraphNode node, CUgraphNodeParams* wanted) {
  return set_node(node, [&] { return work_from(wanted); });
}

}  // namespace minitorch::libcuda::api
