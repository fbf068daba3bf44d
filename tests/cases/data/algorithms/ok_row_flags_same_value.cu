extern "C" __global__ void k(const int *in, int *found, int key) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] == key) *found = 1;
}
