// Holds a kernel in CUDA C++: x[i] *= factor for i < n, a thread for each i.
extern "C" __global__ void scale(float *x, float factor, int n) {
  /// BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
  /// END SOLUTION
}
