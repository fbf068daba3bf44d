// loss = (1 - smoothing) * w[label] * (l - x[label]) + smoothing / length * sum of
// w * (l - x) of each line, where l is the logarithm of the sum of exp(x): the loss on
// the number of a class. A line whose label is `ignored` has loss 0 and share 0.
//
// x (outer, length, inner), labels (outer, inner) -> loss, share (w[label]), largest
// (cell of the line) and logarithm (l - largest), each (outer, inner)
//
// Launch: grid (outer * inner), block (TILE, 1, 1).
//
// A block owns one line: the `length` cells of one outer and one inner index, of which
// its threads take every TILE-th. It reads them twice: for the largest, and for the
// sums. Shared memory: `partial`, one cell per thread. A label that is no class is
// noted for the host, and class 0 stands in its place.
//
// Spec: Scalar (computed in), Source (of x and weight), Result (of loss), Label,
// WEIGHT, SMOOTH, Index, TILE (a power of two).
//
// Parameters: loss, share, largest, logarithm, x, labels, weight, all contiguous (null
// what the spec leaves out); length, inner; the ignored label; smoothing; note, rule of
// the host's words.
#include "block_join.cuh"
#include "refusal.cuh"
#include "spec.cuh"

extern "C" __global__ void cross_entropy(Result* loss, Scalar* share, Scalar* largest,
                                         Scalar* logarithm, const Source* x,
                                         const Label* labels, const Source* weight,
                                         Index length, Index inner, long long ignored,
                                         Scalar smoothing, Refusal* note,
                                         unsigned int rule) {
  __shared__ Scalar partial[TILE];
  const Index line = blockIdx.x;
  const Index start = line / inner * length * inner + line % inner;
  const int t = threadIdx.x;

  Scalar most = static_cast<Scalar>(x[start]);
#pragma unroll 1
  for (Index i = t; i < length; i += TILE)
    most = larger(most, static_cast<Scalar>(x[start + i * inner]));
  most = block_largest(most, partial);

  Scalar sum = 0, weights = 0, along = 0;
#pragma unroll 1
  for (Index i = t; i < length; i += TILE) {
    const Scalar shifted = static_cast<Scalar>(x[start + i * inner]) - most;
    sum += exp(shifted);
    if (SMOOTH) {
      const Scalar w = WEIGHT ? static_cast<Scalar>(weight[i]) : Scalar(1);
      weights += w;
      along += w * shifted;
    }
  }
  const Scalar height = log(block_sum(sum, partial));
  if (SMOOTH) {
    weights = block_sum(weights, partial);
    along = block_sum(along, partial);
  }
  if (t != 0) return;

  const long long given = static_cast<long long>(labels[line]);
  const bool skipped = given == ignored;
  const bool fits = given >= 0 && given < length;
  if (!fits && !skipped)
    refuse(note, rule, given, static_cast<double>(given), line, length);
  const Index label = fits && !skipped ? static_cast<Index>(given) : 0;
  const Scalar w = WEIGHT ? static_cast<Scalar>(weight[label]) : Scalar(1);
  Scalar cost = w * (height - (static_cast<Scalar>(x[start + label * inner]) - most));
  if (SMOOTH) {
    const Scalar even = (weights * height - along) / static_cast<Scalar>(length);
    cost = (1 - smoothing) * cost + smoothing * even;
  }
  loss[line] = static_cast<Result>(skipped ? Scalar(0) : cost);
  share[line] = skipped ? Scalar(0) : w;
  largest[line] = most;
  logarithm[line] = height;
}
