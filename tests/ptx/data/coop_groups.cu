#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int* in, int* sums, const float* values,
                             float* tops) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto eight = cg::tiled_partition<8>(block);
  unsigned t = block.thread_rank();
  int sum = in[t];
  for (int d = 16; d > 0; d /= 2) sum += warp.shfl_xor(sum, d);
  float top = cg::reduce(eight, values[t], cg::greater<float>());
  block.sync();
  if (warp.thread_rank() == 0) sums[t / 32] = sum;
  if (eight.thread_rank() == 0) tops[t] = top;
  if (threadIdx.x & 1) {
    auto odd = cg::coalesced_threads();
    sums[threadIdx.x + 100] = odd.size() + odd.thread_rank() + odd.shfl(sum, 0);
  }
}
