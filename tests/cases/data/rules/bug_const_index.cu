__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void k(const int* in, int* out) {
  out[threadIdx.x] = table[in[threadIdx.x]];
}
