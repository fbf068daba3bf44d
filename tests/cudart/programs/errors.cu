// What the runtime says to mistakes, and how a program goes on after a fault.
#include <cstring>
#include <thread>

#include "check.h"

__device__ int count = 3;
__global__ void add_one(int* value) { *value += count; }
__global__ void shared(int* value) {
  extern __shared__ int own[];
  own[0] = 1;
  *value = own[0];
}

int main() {
  void* none = nullptr;
  EXPECT(cudaMalloc(&none, 0) == cudaSuccess && none == nullptr);
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  int* value;
  CHECK(cudaMalloc(&value, sizeof(int)));
  CHECK(cudaMemset(value, 0, sizeof(int)));

  add_one<<<1, 2048>>>(value);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  add_one<<<0, 1>>>(value);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                     "cudaErrorInvalidConfiguration") == 0);
  shared<<<1, 1, 60000>>>(value);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(
      cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  shared<<<1, 1, 60000>>>(value);
  CHECK(cudaGetLastError());

  EXPECT(cudaSetDevice(7) == cudaErrorInvalidDevice);
  EXPECT(cudaMalloc(&none, size_t{1} << 40) == cudaErrorMemoryAllocation);
  EXPECT(cudaMemcpy(value, value, 4, (cudaMemcpyKind)9) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaFuncSetAttribute((void*)main, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              1) == cudaErrorInvalidDeviceFunction);
  std::thread([] { EXPECT(cudaGetLastError() == cudaSuccess); }).join();
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(cudaStreamQuery(stream) == cudaSuccess);

  add_one<<<1, 1>>>(nullptr);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  EXPECT(cudaMalloc(&none, 4) == cudaErrorIllegalAddress);
  for (int times = 0; times < 3; ++times) {
    CHECK(cudaDeviceReset());
    EXPECT(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&value, sizeof(int)));
    CHECK(cudaMemset(value, 0, sizeof(int)));
    add_one<<<1, 1>>>(value);
    CHECK(cudaGetLastError());
    int seen = 0;
    CHECK(cudaMemcpy(&seen, value, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen == 3);
    const int other = 5;
    CHECK(cudaMemcpyToSymbol(count, &other, sizeof other));
  }
  EXPECT(cudaFree(value) == cudaSuccess && cudaFree(value) == cudaErrorInvalidValue);
  cudaGetLastError();
  std::puts("right");
}
