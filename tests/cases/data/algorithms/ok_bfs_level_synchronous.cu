extern "C" __global__ void k(const int *start, const int *edges, int *depth, int *changed, int level, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || atomicAdd(&depth[v], 0) != level) return;
  for (int e = start[v]; e < start[v + 1]; ++e)
    if (atomicCAS(&depth[edges[e]], -1, level + 1) == -1) atomicExch(changed, 1);
}
