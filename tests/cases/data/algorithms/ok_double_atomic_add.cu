extern "C" __global__ void k(const double *in, double *out) { atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }
