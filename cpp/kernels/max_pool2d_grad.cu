// dx = the gradient of each window, given to the cell that was its largest.
//
// g and at (planes, rows, columns) -> dx (planes, height, width); `at` comes from
// max_pool2d.cu.
//
// Launch: grid (ceil(cells of dx / block.x)), block (any, 1, 1); none when dx is empty.
//
// A thread owns one cell of dx and asks every window that covers it, so no two threads
// meet. Shared memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: dx, g, at, all contiguous; shape; cells of dx.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void max_pool2d_grad(Scalar* dx, const Scalar* g, const int* at,
                                           PoolShape shape, Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index x = i % static_cast<Index>(columns.size);
  const Index y = i / static_cast<Index>(columns.size) % static_cast<Index>(rows.size);
  const Index plane = i / static_cast<Index>(columns.size * rows.size);
  g += plane * static_cast<Index>(rows.count * columns.count);
  at += plane * static_cast<Index>(rows.count * columns.count);

  Scalar sum = 0;
#pragma unroll 1
  for (Index ky = 0; ky < static_cast<Index>(rows.kernel); ++ky) {
    const Index row = window_of(rows, y, ky);
    if (row < 0) continue;
#pragma unroll 1
    for (Index kx = 0; kx < static_cast<Index>(columns.kernel); ++kx) {
      const Index column = window_of(columns, x, kx);
      if (column < 0) continue;
      const Index window = row * static_cast<Index>(columns.count) + column;
      if (at[window] == y * static_cast<Index>(columns.size) + x) sum += g[window];
    }
  }
  dx[i] = sum;
}
