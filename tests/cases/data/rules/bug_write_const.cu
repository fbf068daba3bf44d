__constant__ int table[32] = {1};
extern "C" __global__ void k(const int* in, int* out) {
  int* p = in[0] == 0 ? (int*)&table[0] : out;
  p[threadIdx.x] = 1;
}
