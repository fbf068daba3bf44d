// The kernel of vector_add.c: one thread an element.
extern "C" __global__ void vector_add(float* out, const float* a, const float* b,
                                      int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
