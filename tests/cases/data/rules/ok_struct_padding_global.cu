struct Pair { int id; double weight; };
extern "C" __global__ void fill(Pair* p) { }
extern "C" __global__ void k(Pair* items, Pair* copy) {
  int t = threadIdx.x;
  items[t].id = t;
  items[t].weight = 0.5 * t;
  __syncthreads();
  copy[t] = items[31 - t];
}
