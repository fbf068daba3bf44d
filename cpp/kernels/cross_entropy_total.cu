// out = sum of losses, with MEAN divided by total = sum of shares: what joins the
// losses of cross_entropy.cu.
//
// losses, shares (count) -> out and total, one cell each
//
// Launch: grid (1), block (TILE, 1, 1).
//
// The threads of the only block take every TILE-th cell; each cell is read once. Shared
// memory: `partial`, one cell per thread.
//
// Spec: Scalar (of losses, shares and total), Source (of out), MEAN, Index, TILE (a
// power of two).
//
// Parameters: out, total, losses, shares, all contiguous; count.
#include "block_join.cuh"
#include "spec.cuh"

extern "C" __global__ void cross_entropy_total(Source* out, Scalar* total,
                                               const Scalar* losses,
                                               const Scalar* shares, Index count) {
  __shared__ Scalar partial[TILE];
  const int t = threadIdx.x;
  Scalar loss = 0, share = 0;
#pragma unroll 1
  for (Index i = t; i < count; i += TILE) {
    loss += losses[i];
    share += shares[i];
  }
  loss = block_sum(loss, partial);
  share = block_sum(share, partial);
  if (t != 0) return;
  total[0] = share;
  out[0] = static_cast<Source>(MEAN ? loss / share : loss);
}
