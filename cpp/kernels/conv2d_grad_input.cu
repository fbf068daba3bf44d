// dx = what each cell of the image gave to the output, taken back: a cell collects from
// every window that read it, the window's gradient times the weight of that tap.
//
// g (batch, outputs, rows, columns), w (outputs, channels / groups, kernel rows, kernel
// columns) -> dx (batch, channels, height, width)
//
// Launch: grid (ceil(cells of dx / block.x)), block (any, 1, 1); none when dx is empty.
//
// A thread owns one cell of dx, which it writes once, so no two threads meet; it reads
// at most outputs / groups * kernel rows * kernel columns cells of g and of w. Shared
// memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: dx, g, w, all contiguous; shape; cells of dx.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d_grad_input(Scalar* dx, const Scalar* g,
                                             const Scalar* w, ConvShape shape,
                                             Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index x = i % static_cast<Index>(columns.size);
  const Index y = i / static_cast<Index>(columns.size) % static_cast<Index>(rows.size);
  const Index plane = i / static_cast<Index>(columns.size * rows.size);
  const Index channel = plane % static_cast<Index>(shape.channels);
  const Index image = plane / static_cast<Index>(shape.channels);
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index share = static_cast<Index>(shape.outputs / shape.groups);
  const Index group = channel / depth;
  const Index windows = static_cast<Index>(rows.count * columns.count);
  const Index taps = static_cast<Index>(rows.kernel * columns.kernel);

  g += (image * static_cast<Index>(shape.outputs) + group * share) * windows;
  w += (group * share * depth + channel % depth) * taps;
  Scalar sum = 0;
#pragma unroll 1
  for (Index ky = 0; ky < static_cast<Index>(rows.kernel); ++ky) {
    const Index row = window_of(rows, y, ky);
    if (row < 0) continue;
#pragma unroll 1
    for (Index kx = 0; kx < static_cast<Index>(columns.kernel); ++kx) {
      const Index column = window_of(columns, x, kx);
      if (column < 0) continue;
      const Scalar* gradient = g + row * static_cast<Index>(columns.count) + column;
      const Scalar* weight = w + ky * static_cast<Index>(columns.kernel) + kx;
      for (Index o = 0; o < share; ++o) {
        sum += *gradient * *weight;
        gradient += windows;
        weight += depth * taps;
      }
    }
  }
  dx[i] = sum;
}
