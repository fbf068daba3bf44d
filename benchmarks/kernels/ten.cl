// Ten kernels as CUDA C++ and as OpenCL: one text, compared by benchmarks/pocl.py.
// Blocks have 256 threads, or 16 x 16.
#ifdef __OPENCL_VERSION__
#define KERNEL __kernel void
#define GLOBAL __global
#define SHARED __local
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define THREAD(d) ((int)get_local_id(d))
#define BLOCK(d) ((int)get_group_id(d))
#define EXP(x) native_exp(x)
#else
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define SHARED __shared__
#define SYNC() __syncthreads()
#define THREAD(d) ((int)((d) == 0 ? threadIdx.x : threadIdx.y))
#define BLOCK(d) ((int)((d) == 0 ? blockIdx.x : blockIdx.y))
#define EXP(x) __expf(x)
#endif

KERNEL map(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  int i = BLOCK(0) * 256 + THREAD(0);
  if (i < n) out[i] = 2.0f * a[i] + 1.0f;
}

KERNEL saxpy(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  int i = BLOCK(0) * 256 + THREAD(0);
  if (i < n) out[i] = 3.0f * a[i] + b[i];
}

KERNEL tiled(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  SHARED float tile_a[16][16], tile_b[16][16];
  int x = THREAD(0), y = THREAD(1);
  int column = BLOCK(0) * 16 + x, row = BLOCK(1) * 16 + y;
  float sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    SYNC();
    for (int i = 0; i < 16; ++i) sum += tile_a[y][i] * tile_b[i][x];
    SYNC();
  }
  out[row * n + column] = sum;
}

KERNEL naive(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  int column = BLOCK(0) * 16 + THREAD(0), row = BLOCK(1) * 16 + THREAD(1);
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  out[row * n + column] = sum;
}

KERNEL tree(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  SHARED float part[256];
  int t = THREAD(0);
  part[t] = a[BLOCK(0) * 256 + t];
  SYNC();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    SYNC();
  }
  if (t == 0) out[BLOCK(0)] = part[0];
}

KERNEL scan(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  SHARED float part[2][256];
  int t = THREAD(0), now = 0;
  part[0][t] = a[BLOCK(0) * 256 + t];
  SYNC();
  for (int step = 1; step < 256; step *= 2) {
    float value = part[now][t];
    if (t >= step) value += part[now][t - step];
    part[1 - now][t] = value;
    now = 1 - now;
    SYNC();
  }
  out[BLOCK(0) * 256 + t] = part[now][t];
}

KERNEL transpose(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  SHARED float tile[16][17];
  int x = THREAD(0), y = THREAD(1);
  tile[y][x] = a[(BLOCK(1) * 16 + y) * n + BLOCK(0) * 16 + x];
  SYNC();
  out[(BLOCK(0) * 16 + y) * n + BLOCK(1) * 16 + x] = tile[x][y];
}

KERNEL stencil(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  int x = BLOCK(0) * 16 + THREAD(0), y = BLOCK(1) * 16 + THREAD(1);
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int i = y + dy, j = x + dx;
      if (i >= 0 && i < n && j >= 0 && j < n) sum += a[i * n + j];
    }
  }
  out[y * n + x] = sum / 9.0f;
}

KERNEL softmax(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  SHARED float part[256];
  int t = THREAD(0), i = BLOCK(0) * 256 + t;
  float value = a[i];
  part[t] = value;
  SYNC();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step && part[t + step] > part[t]) part[t] = part[t + step];
    SYNC();
  }
  float power = EXP(value - part[0]);
  SYNC();
  part[t] = power;
  SYNC();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    SYNC();
  }
  out[i] = power / part[0];
}

KERNEL mandelbrot(GLOBAL float* out, GLOBAL const float* a, GLOBAL const float* b, int n) {
  int x = BLOCK(0) * 16 + THREAD(0), y = BLOCK(1) * 16 + THREAD(1);
  float re = 3.0f * x / n - 2.0f, im = 2.0f * y / n - 1.0f, u = 0.0f, v = 0.0f;
  int round = 0;
  while (round < 64 && u * u + v * v < 4.0f) {
    float next = u * u - v * v + re;
    v = 2.0f * u * v + im;
    u = next;
    ++round;
  }
  out[y * n + x] = round;
}
