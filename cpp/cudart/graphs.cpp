// Streams, events, and graphs where the runtime's parameters are not the driver's.
#include "cudart/api.h"
#include "cudart/binaries.h"
#include "cudart/call.h"
#include "cudart/driver.h"
#include "cudart/memory.h"

namespace minitorch::cudart {
namespace {

/// Runs `call` with a kernel node's parameters as the driver takes them.
template <class Call>
int with_parameters(const cudart_kernel_node* given, Call call) {
  if (given == nullptr) return refuse(cudaErrorInvalidValue);
  const auto& [function, grid, block, shared, arguments, extra] = *given;
  CUDA_KERNEL_NODE_PARAMS_v1 parameters{nullptr, grid.x,  grid.y, grid.z,    block.x,
                                        block.y, block.z, shared, arguments, extra};
  const int result = function_for(function, &parameters.func);
  return result != 0 ? result : static_cast<int>(call(&parameters));
}

CUcontext current_context() {
  CUcontext context = nullptr;
  driver().ctx_get_current(&context);
  return context;
}

}  // namespace

namespace api {

int create_stream(CUstream* stream) {
  return driver().stream_create(stream, CU_STREAM_DEFAULT);
}

int create_event(CUevent* event) {
  return driver().event_create(event, CU_EVENT_DEFAULT);
}

int instantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return driver().graph_instantiate(exec, graph, flags);
}

int add_kernel_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                    size_t count, const cudart_kernel_node* given) {
  return with_parameters(given, [&](const auto* parameters) {
    return driver().graph_add_kernel_node(node, graph, after, count, parameters);
  });
}

int set_kernel_node(CUgraphNode node, const cudart_kernel_node* given) {
  return with_parameters(given, [&](const auto* parameters) {
    return driver().graph_kernel_node_set(node, parameters);
  });
}

int set_kernel_node_of_exec(CUgraphExec exec, CUgraphNode node,
                            const cudart_kernel_node* given) {
  return with_parameters(given, [&](const auto* parameters) {
    return driver().graph_exec_kernel_node_set(exec, node, parameters);
  });
}

int add_copy_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                  size_t count, void* to, const void* from, size_t bytes, int kind) {
  CUDA_MEMCPY3D copy;
  const int result =
      describe_copy("cudaGraphAddMemcpyNode1D", to, from, bytes, kind, &copy);
  return result != 0 ? result
                     : static_cast<int>(driver().graph_add_copy_node(
                           node, graph, after, count, &copy, current_context()));
}

int add_copy_node_3d(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                     size_t count, const cudart_copy_3d* given) {
  if (given == nullptr) return refuse(cudaErrorInvalidValue);
  CUDA_MEMCPY3D copy;
  const int result = describe_copy("cudaGraphAddMemcpyNode", *given, &copy);
  return result != 0 ? result
                     : static_cast<int>(driver().graph_add_copy_node(
                           node, graph, after, count, &copy, current_context()));
}

int set_copy_node_of_exec(CUgraphExec exec, CUgraphNode node, void* to,
                          const void* from, size_t bytes, int kind) {
  CUDA_MEMCPY3D copy;
  const int result =
      describe_copy("cudaGraphExecMemcpyNodeSetParams1D", to, from, bytes, kind, &copy);
  return result != 0 ? result
                     : static_cast<int>(driver().graph_exec_copy_node_set(
                           exec, node, &copy, current_context()));
}

int add_fill_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                  size_t count, const CUDA_MEMSET_NODE_PARAMS_v1* fill) {
  return driver().graph_add_fill_node(node, graph, after, count, fill,
                                      current_context());
}

}  // namespace api
}  // namespace minitorch::cudart
