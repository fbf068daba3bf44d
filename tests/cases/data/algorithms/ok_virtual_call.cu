struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { float a; __device__ Square(float a) : a(a) {} __device__ float area() const override { return a * a; } };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area() const override { return 3 * r * r; } };
extern "C" __global__ void k(const float *in, float *out) {
  int i = threadIdx.x;
  Square s(in[i]);
  Circle c(in[i]);
  const Shape *shape = (i & 1) ? (const Shape *)&c : (const Shape *)&s;
  out[i] = shape->area();
}
