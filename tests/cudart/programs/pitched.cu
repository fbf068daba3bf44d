// Rows with a pitch: copies and fills of two and three dimensions, a transposition.
#include <vector>

#include "check.h"

__global__ void transpose(const float* from, size_t from_pitch, float* to,
                          size_t to_pitch, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const float* row = (const float*)((const char*)from + y * from_pitch);
  ((float*)((char*)to + x * to_pitch))[y] = row[x];  // fault: uninit_global
}

int main() {
  const int rows = 17, columns = 33;
  std::vector<float> host(rows * columns), out(rows * columns);
  for (int i = 0; i < rows * columns; ++i) host[i] = i;
  float *from, *to;
  size_t from_pitch, to_pitch;
  CHECK(cudaMallocPitch(&from, &from_pitch, columns * sizeof(float), rows));
  CHECK(cudaMallocPitch(&to, &to_pitch, rows * sizeof(float), columns));
  CHECK(cudaMemset2D(to, to_pitch, 0, rows * sizeof(float), columns));
#ifdef FAULT
  const int copied = rows - 1;
#else
  const int copied = rows;
#endif
  CHECK(cudaMemcpy2D(from, from_pitch, host.data(), columns * sizeof(float),
                     columns * sizeof(float), copied, cudaMemcpyHostToDevice));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(from, from_pitch, to, to_pitch, rows,
                                          columns);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2D(out.data(), rows * sizeof(float), to, to_pitch,
                     rows * sizeof(float), columns, cudaMemcpyDeviceToHost));
  for (int y = 0; y < copied; ++y)
    for (int x = 0; x < columns; ++x)
      EXPECT(out[x * rows + y] == host[y * columns + x]);

  cudaPitchedPtr box;
  const cudaExtent extent = make_cudaExtent(20, 3, 2);
  CHECK(cudaMalloc3D(&box, extent));
  CHECK(cudaMemset3D(box, 3, extent));
  unsigned char bytes[20 * 3 * 2] = {};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(bytes, 20, 20, 3);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (unsigned char byte : bytes) EXPECT(byte == 3);
  CHECK(cudaFree(box.ptr));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  std::puts("right");
}
