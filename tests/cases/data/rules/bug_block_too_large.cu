extern "C" __global__ void k(int* out) { out[threadIdx.x] = 1; }
