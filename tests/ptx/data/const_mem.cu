__constant__ float w[64];
__device__ int counter;
__device__ float table[4] = {1, 2, 3, 4};
extern "C" __global__ void k(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 9; ++j) sum += in[i + j] * w[j];
  if (sum > 0) atomicAdd(&counter, 1);
  out[i] = sum * table[i & 3];
}
