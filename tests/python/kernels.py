"""Small CUDA C++ kernels that several tests launch."""

SCALE = """
__global__ void scale(const float* x, float* out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * x[i];
}
"""

# One line each, so that tests can name the line of the fault.
NO_GUARD = """
__global__ void no_guard(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
}
"""

SPIN = """
__global__ void spin(volatile int* stop, unsigned* rounds) {
  while (*stop == 0) atomicAdd(rounds, 1u);
}
"""
