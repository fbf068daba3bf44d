#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out, int *count) {
  int i = threadIdx.x;
  if (in[i] & 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
    base = g.shfl(base, 0);
    out[base + g.thread_rank()] = in[i];
  }
}
