// out = the largest cell of each window of an image, and where it lies.
//
// x (planes, height, width) -> out and at (planes, rows, columns); `at` is the position
// in the plane, row by row, of the first of the largest, or -1 for a window that lies
// in the padding (its value is -inf). A NaN counts as the largest.
//
// Launch: grid (ceil(cells of out / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns one window and reads each of its cells once. Shared memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: out, at, x, all contiguous; shape; cells of out.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void max_pool2d(Scalar* out, int* at, const Scalar* x,
                                      PoolShape shape, Index cells) {
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
  Scalar best = __int_as_float(0xff800000);  // -inf
  Index found = -1;
#pragma unroll 1
  for (Index ky = 0; ky < static_cast<Index>(rows.kernel); ++ky) {
    const Index y = position_of(rows, row, ky);
    if (!inside(rows, y)) continue;
#pragma unroll 1
    for (Index kx = 0; kx < static_cast<Index>(columns.kernel); ++kx) {
      const Index cell = position_of(columns, column, kx);
      if (!inside(columns, cell)) continue;
      const Scalar value = x[y * width + cell];
      if (found < 0 || value > best || (value != value && best == best)) {
        best = value;
        found = y * width + cell;
      }
    }
  }
  out[i] = best;
  at[i] = static_cast<int>(found);
}
