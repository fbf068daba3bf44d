// out = the mean of each window of an image.
//
// x (planes, height, width) -> out (planes, rows, columns)
//
// Launch: grid (ceil(cells of out / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns one window and reads each of its cells once. Shared memory: none.
//
// Spec: Scalar, Index, COUNT_PADDING (the mean is over the padding, too).
//
// Parameters: out, x, both contiguous; shape (dilation 1); cells of out.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void avg_pool2d(Scalar* out, const Scalar* x, PoolShape shape,
                                      Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index column = i % static_cast<Index>(columns.count);
  const Index row =
      i / static_cast<Index>(columns.count) % static_cast<Index>(rows.count);
  const Index plane = i / static_cast<Index>(columns.count * rows.count);
  const Index width = static_cast<Index>(columns.size);

  x += plane * static_cast<Index>(rows.size) * width;
  Scalar sum = 0;
#pragma unroll 1
  for (Index ky = 0; ky < static_cast<Index>(rows.kernel); ++ky) {
    const Index y = position_of(rows, row, ky);
    if (!inside(rows, y)) continue;
#pragma unroll 1
    for (Index kx = 0; kx < static_cast<Index>(columns.kernel); ++kx) {
      const Index cell = position_of(columns, column, kx);
      if (inside(columns, cell)) sum += x[y * width + cell];
    }
  }
  const Index taps = COUNT_PADDING
                         ? static_cast<Index>(rows.kernel * columns.kernel)
                         : taps_inside(rows, row) * taps_inside(columns, column);
  out[i] = sum / static_cast<Scalar>(taps);
}
