// Three kernels in CUDA C++ with the types that Python kernels have: arrays that
// know their shape, indices of 64 bits, literals of double.
template <class T, int N>
struct Array {
  T* data;
  long long shape[N], strides[N];
};

extern "C" __global__ void map(Array<float, 1> out, Array<float, 1> in, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out.data[i] = in.data[i] * 2.0 + 1.0;
}

// out[block] = sum of the block's 256 cells.
extern "C" __global__ void reduce(Array<float, 1> out, Array<float, 1> in,
                                  long long n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  long long i = (long long)blockIdx.x * 256 + t;
  s[t] = i < n ? double(in.data[i]) : 0.0;
  __syncthreads();
  for (long long d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out.data[blockIdx.x] = s[0];
}

// (n, n) @ (n, n) -> (n, n), tiles of 16 by 16, row by row.
extern "C" __global__ void tiled16(Array<float, 2> c, Array<float, 2> a,
                                   Array<float, 2> b, long long n) {
  __shared__ float left[16][16], right[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  long long row = (long long)blockIdx.y * 16 + y;
  long long column = (long long)blockIdx.x * 16 + x;
  float sum = 0;
  for (long long start = 0; start < n; start += 16) {
    long long k = start + x, l = start + y;
    left[y][x] = row < n && k < n ? a.data[row * a.strides[0] + k] : 0.0;
    right[y][x] = l < n && column < n ? b.data[l * b.strides[0] + column] : 0.0;
    __syncthreads();
    for (long long i = 0; i < 16; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < n && column < n) c.data[row * c.strides[0] + column] = sum;
}
