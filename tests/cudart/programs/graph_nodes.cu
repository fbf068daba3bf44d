// A graph made by its nodes, and the same with other parameters.
#include "check.h"

__global__ void add(int* values, int n, int amount) {
  const int i = threadIdx.x;
  if (i < n) values[i] += amount;  // fault: oob_global
}

int main() {
  int n = 32, amount = 4, host[32], *device;
  for (int i = 0; i < n; ++i) host[i] = i;
  CHECK(cudaMalloc(&device, sizeof host));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t in, kernel, out;
#ifdef FAULT
  int* wrong = device + 1;
#else
  int* wrong = device;
#endif
  void* arguments[] = {&wrong, &n, &amount};
  cudaKernelNodeParams parameters = {};
  parameters.func = (void*)add;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  parameters.kernelParams = arguments;
  CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, device, host, sizeof host,
                                 cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &in, 1, &parameters));
  CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &kernel, 1, host, device, sizeof host,
                                 cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 4);
  amount = 10;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &parameters));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 14);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(device));
  std::puts("right");
}
