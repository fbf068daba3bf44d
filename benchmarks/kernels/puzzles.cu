// The fourteen GPU puzzles in the usual CUDA C++: int, raw pointers. Matrices are
// row by row. Blocks as in minitorch.learn.puzzles.

extern "C" __global__ void map1(float* out, const float* a) {
  int i = threadIdx.x;
  out[i] = a[i] + 10;
}

extern "C" __global__ void zip2(float* out, const float* a, const float* b) {
  int i = threadIdx.x;
  out[i] = a[i] + b[i];
}

extern "C" __global__ void guard3(float* out, const float* a, int size) {
  int i = threadIdx.x;
  if (i < size) out[i] = a[i] + 10;
}

extern "C" __global__ void map_2d4(float* out, const float* a, int size) {
  int i = threadIdx.x, j = threadIdx.y;
  if (i < size && j < size) out[i * size + j] = a[i * size + j] + 10;
}

extern "C" __global__ void broadcast5(float* out, const float* a, const float* b,
                                      int size) {
  int i = threadIdx.x, j = threadIdx.y;
  if (i < size && j < size) out[i * size + j] = a[i] + b[j];
}

extern "C" __global__ void blocks6(float* out, const float* a, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = a[i] + 10;
}

extern "C" __global__ void blocks_2d7(float* out, const float* a, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < size && j < size) out[i * size + j] = a[i * size + j] + 10;
}

extern "C" __global__ void shared8(float* out, const float* a, int size) {
  __shared__ float shared[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) shared[threadIdx.x] = a[i];
  __syncthreads();
  if (i < size) out[i] = shared[threadIdx.x] + 10;
}

extern "C" __global__ void pooling9(float* out, const float* a, int size) {
  __shared__ float shared[8];
  int i = threadIdx.x;
  float sum = 0;
  if (i < size) {
    sum = a[i];
    shared[i] = sum;
  }
  __syncthreads();
  if (i >= size) return;
  if (i > 0) sum += shared[i - 1];
  if (i > 1) sum += shared[i - 2];
  out[i] = sum;
}

extern "C" __global__ void dot10(float* out, const float* a, const float* b, int size) {
  __shared__ float shared[8];
  int i = threadIdx.x;
  if (i < size) shared[i] = a[i] * b[i];
  __syncthreads();
  if (i == 0) {
    float sum = 0;
    for (int k = 0; k < size; k++) sum += shared[k];
    out[0] = sum;
  }
}

extern "C" __global__ void convolution11(float* out, const float* a, const float* b,
                                         int a_size, int b_size) {
  __shared__ float cells[12], weights[4];
  int local = threadIdx.x, i = blockIdx.x * blockDim.x + local;
  cells[local] = i < a_size ? a[i] : 0;
  if (local < 4)
    cells[local + 8] = i + 8 < a_size ? a[i + 8] : 0;
  else
    weights[local - 4] = local - 4 < b_size ? b[local - 4] : 0;
  __syncthreads();
  if (i >= a_size) return;
  float sum = 0;
  for (int j = 0; j < b_size; j++) sum += cells[local + j] * weights[j];
  out[i] = sum;
}

extern "C" __global__ void prefix_sum12(float* out, const float* a, int size) {
  __shared__ float cache[8];
  int local = threadIdx.x, i = blockIdx.x * blockDim.x + local;
  float sum = i < size ? a[i] : 0;
  for (int half = 4; half > 0; half /= 2) {
    if (half <= local && local < 2 * half) cache[local] = sum;
    __syncthreads();
    if (local < half) sum += cache[local + half];
  }
  if (local == 0) out[blockIdx.x] = sum;
}

extern "C" __global__ void axis_sum13(float* out, const float* a, int size) {
  __shared__ float cache[8];
  int local = threadIdx.x, row = blockIdx.y;
  float sum = local < size ? a[row * size + local] : 0;
  for (int half = 4; half > 0; half /= 2) {
    if (half <= local && local < 2 * half) cache[local] = sum;
    __syncthreads();
    if (local < half) sum += cache[local + half];
  }
  if (local == 0) out[row] = sum;
}

extern "C" __global__ void matmul14(float* out, const float* a, const float* b,
                                    int size) {
  __shared__ float a_tile[3][3], b_tile[3][3];
  int i = blockIdx.x * blockDim.x + threadIdx.x, local_i = threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y, local_j = threadIdx.y;
  float sum = 0;
  for (int start = 0; start < size; start += 3) {
    int column = start + local_j, row = start + local_i;
    a_tile[local_i][local_j] = i < size && column < size ? a[i * size + column] : 0;
    b_tile[local_i][local_j] = row < size && j < size ? b[row * size + j] : 0;
    __syncthreads();
    for (int k = 0; k < 3; k++) sum += a_tile[local_i][k] * b_tile[k][local_j];
    __syncthreads();
  }
  if (i < size && j < size) out[i * size + j] = sum;
}
