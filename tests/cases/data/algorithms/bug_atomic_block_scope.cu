extern "C" __global__ void k(int *total) { atomicAdd_block(total, 1); }
