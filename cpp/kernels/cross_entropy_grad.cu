// dx = g * (exp(x - l) * t - smoothing / length * w, less (1 - smoothing) * w[label]
// at the label), where t is the sum of what is taken off: what cross_entropy.cu does,
// taken back. 0 in a line whose label is `ignored`.
//
// x (outer, length, inner), labels (outer, inner) -> dx of x's shape
//
// Launch: grid (outer * inner), block (TILE, 1, 1).
//
// A block owns one line: the `length` cells of one outer and one inner index, of which
// its threads take every TILE-th. It reads them once. Shared memory: `partial`, one
// cell per thread.
//
// Spec: Scalar (computed in), Source (of dx, g, x and weight), Label, WEIGHT, SMOOTH,
// EACH (g has a cell for each line, not one for all), MEAN (g is divided by total),
// Index, TILE (a power of two).
//
// Parameters: dx, g, total, largest, logarithm (largest + logarithm = l, of each line),
// x, labels, weight, all contiguous (null what the spec leaves out); length, inner; the
// ignored label; smoothing.
#include "block_join.cuh"
#include "spec.cuh"

extern "C" __global__ void cross_entropy_grad(
    Source* dx, const Source* g, const Scalar* total, const Scalar* largest,
    const Scalar* logarithm, const Source* x, const Label* labels, const Source* weight,
    Index length, Index inner, long long ignored, Scalar smoothing) {
  __shared__ Scalar partial[TILE];
  const Index line = blockIdx.x;
  const Index start = line / inner * length * inner + line % inner;
  const int t = threadIdx.x;
  const long long given = static_cast<long long>(labels[line]);
  const bool skipped = given == ignored;
  const Index label = given >= 0 && given < length ? static_cast<Index>(given) : 0;

  Scalar weights = static_cast<Scalar>(length);
  if (SMOOTH && WEIGHT) {
    weights = 0;
#pragma unroll 1
    for (Index i = t; i < length; i += TILE) weights += static_cast<Scalar>(weight[i]);
    weights = block_sum(weights, partial);
  }
  Scalar arrived = static_cast<Scalar>(g[EACH ? line : 0]);
  if (MEAN) arrived /= total[0];
  const Scalar even = SMOOTH ? smoothing / static_cast<Scalar>(length) : Scalar(0);
  Scalar hard = WEIGHT ? static_cast<Scalar>(weight[label]) : Scalar(1);
  if (SMOOTH) hard *= 1 - smoothing;
  const Scalar whole = SMOOTH ? hard + even * weights : hard;
  const Scalar most = largest[line], height = logarithm[line];

#pragma unroll 1
  for (Index i = t; i < length; i += TILE) {
    const Index at = start + i * inner;
    Scalar off = i == label ? hard : Scalar(0);
    if (SMOOTH) off += WEIGHT ? even * static_cast<Scalar>(weight[i]) : even;
    const Scalar share = exp((static_cast<Scalar>(x[at]) - most) - height);
    dx[at] = static_cast<Source>(skipped ? Scalar(0) : arrived * (share * whole - off));
  }
}
