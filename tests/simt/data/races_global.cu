// Races on global memory: right kernels, and the same with a line missing or a scope too
// small. A comment at the end of a line names it for the tests.
extern "C" __global__ void map(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2;
}

extern "C" __global__ void in_place(int* data, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + shift < n) data[i] = data[i + shift] + 1;  // in_place
}

extern "C" __global__ void exchange(int* tmp, int* out, int barrier) {
  int b = blockIdx.x * blockDim.x, t = threadIdx.x;
  tmp[b + t] = t;  // exchange: write
  if (barrier) __syncthreads();
  out[b + t] = tmp[b + (t + 33) % blockDim.x];  // exchange: read
}

extern "C" __global__ void scatter(int* out, const int* to) {
  out[to[threadIdx.x]] = threadIdx.x;  // scatter
}

extern "C" __global__ void neighbour_bytes(unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<unsigned char>(i);
}

extern "C" __global__ void histogram(int* bins, const int* in, int atomic) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomic) {
    atomicAdd(&bins[in[i]], 1);
  } else {
    bins[in[i]] += 1;  // histogram: add
  }
}

extern "C" __global__ void counter(int* count, int* seen) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(count, 1);  // counter: add
  seen[i] = *count;     // counter: read
}

extern "C" __global__ void block_scope(int* count) {
  atomicAdd_block(count, 1);  // block_scope
}
