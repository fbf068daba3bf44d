// Four streams with asynchronous copies, a host function, and a graph by capture.
#include "check.h"

__global__ void scale(float* values, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

void CUDART_CB count(void* counter) { ++*static_cast<int*>(counter); }

int main() {
  const int streams = 4, part = 256, n = streams * part;
  float *host, *device;
  CHECK(cudaMallocHost(&host, n * sizeof(float)));
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t stream[streams];
  int counter = 0;
  for (int s = 0; s < streams; ++s) {
    CHECK(cudaStreamCreate(&stream[s]));
    float *own = host + s * part, *d_own = device + s * part;
    const size_t bytes = part * sizeof(float);
#ifdef FAULT
    const auto up = cudaMemcpyHostToDevice;
    cudaMemcpyAsync(own, d_own, bytes, up, stream[s]);  // fault: copy_direction
    CHECK(cudaMemsetAsync(d_own, 0, bytes, stream[s]));
#else
    CHECK(cudaMemcpyAsync(d_own, own, bytes, cudaMemcpyHostToDevice, stream[s]));
#endif
    scale<<<part / 64, 64, 0, stream[s]>>>(d_own, part, 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(own, d_own, bytes, cudaMemcpyDeviceToHost, stream[s]));
  }
  CHECK(cudaLaunchHostFunc(stream[0], count, &counter));
  for (int s = 0; s < streams; ++s) CHECK(cudaStreamSynchronize(stream[s]));
  EXPECT(counter == 1);
#ifndef FAULT
  for (int i = 0; i < n; ++i) EXPECT(host[i] == 2 * i);
#endif

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream[1], cudaStreamCaptureModeGlobal));
  scale<<<n / 64, 64, 0, stream[1]>>>(device, n, 3);
  scale<<<n / 64, 64, 0, stream[1]>>>(device, n, 0.5f);
  CHECK(cudaMemcpyAsync(host, device, n * sizeof(float), cudaMemcpyDeviceToHost,
                        stream[1]));
  CHECK(cudaStreamEndCapture(stream[1], &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int times = 0; times < 2; ++times) CHECK(cudaGraphLaunch(exec, stream[1]));
  CHECK(cudaStreamSynchronize(stream[1]));
#ifndef FAULT
  for (int i = 0; i < n; ++i) EXPECT(host[i] == 2 * i * 2.25f);
#endif
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  for (int s = 0; s < streams; ++s) CHECK(cudaStreamDestroy(stream[s]));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  std::puts("right");
}
