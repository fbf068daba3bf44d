struct Body { float x, y, vx, vy; };
extern "C" __global__ void k(const Body *in, Body *out, int n, float dt) {
  __shared__ float sx[32], sy[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  Body me = {0, 0, 0, 0};
  if (i < n) me = in[i];
  float ax = 0, ay = 0;
  for (int base = 0; base < n; base += 32) {
    int j = base + threadIdx.x;
    sx[threadIdx.x] = j < n ? in[j].x : 0;
    sy[threadIdx.x] = j < n ? in[j].y : 0;
    __syncthreads();
    for (int q = 0; q < 32 && base + q < n; ++q) { ax += sx[q] - me.x; ay += sy[q] - me.y; }
    __syncthreads();
  }
  if (i < n) { me.vx += dt * ax; me.vy += dt * ay; out[i] = me; }
}
