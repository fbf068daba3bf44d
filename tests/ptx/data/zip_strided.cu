__device__ void to_index(int i, const int* shape, int* index, int dims) {
  for (int d = dims - 1; d >= 0; --d) {
    index[d] = i % shape[d];
    i /= shape[d];
  }
}
// The index in a smaller shape, whose sizes of 1 are repeated.
__device__ void broadcast(const int* index, int dims, const int* shape, int* small,
                          int few) {
  for (int d = 0; d < few; ++d)
    if (shape[d] > 1)
      small[d] = index[d + dims - few];
    else
      small[d] = 0;
}
__device__ int position(const int* index, const int* strides, int dims) {
  int at = 0;
  for (int d = 0; d < dims; ++d) at += index[d] * strides[d];
  return at;
}
extern "C" __global__ void k(float* out, const int* shape, const int* strides, int n,
                             const float* a, const int* a_shape, const int* a_strides,
                             const float* b, const int* b_shape, const int* b_strides,
                             int dims, int a_dims, int b_dims) {
  int index[8], a_index[8], b_index[8], i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  to_index(i, shape, index, dims);
  broadcast(index, dims, a_shape, a_index, a_dims);
  broadcast(index, dims, b_shape, b_index, b_dims);
  int at = position(index, strides, dims);
  out[at] =
      a[position(a_index, a_strides, a_dims)] * b[position(b_index, b_strides, b_dims)];
}
