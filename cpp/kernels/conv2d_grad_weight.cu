// dw = for each weight, the sum over all windows of all images of the window's gradient
// times the cell that the weight met there.
//
// g (batch, outputs, rows, columns), x (batch, channels, height, width) -> dw (outputs,
// channels / groups, kernel rows, kernel columns)
//
// Launch: grid (cells of dw), block (TILE, 1, 1); none when dw is empty.
//
// A block owns one weight. Its threads take every TILE-th window and add up their
// products; the partial sums meet in a tree in shared memory (`partial`, one cell per
// thread), which halves the active threads at each step. Each cell of g is read once
// per weight of its output channel.
//
// Spec: Scalar, Index, TILE (a power of two).
//
// Parameters: dw, g, x, all contiguous; shape.
#include "block_join.cuh"
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d_grad_weight(Scalar* dw, const Scalar* g,
                                              const Scalar* x, ConvShape shape) {
  __shared__ Scalar partial[TILE];
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const int t = threadIdx.x;
  const Index cell = blockIdx.x;
  const Index kx = cell % static_cast<Index>(columns.kernel);
  const Index ky =
      cell / static_cast<Index>(columns.kernel) % static_cast<Index>(rows.kernel);
  const Index plane = cell / static_cast<Index>(columns.kernel * rows.kernel);
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index output = plane / depth;
  const Index group = output / static_cast<Index>(shape.outputs / shape.groups);
  const Index channel = group * depth + plane % depth;
  const Index width = static_cast<Index>(columns.size);
  const Index image_cells = static_cast<Index>(rows.size) * width;
  const Index windows = static_cast<Index>(rows.count * columns.count);

  Scalar sum = 0;
#pragma unroll 1
  for (Index i = t; i < static_cast<Index>(shape.batch) * windows; i += TILE) {
    const Index image = i / windows;
    const Index window = i % windows;
    const Index y = position_of(rows, window / static_cast<Index>(columns.count), ky);
    const Index at =
        position_of(columns, window % static_cast<Index>(columns.count), kx);
    const bool is_cell = inside(rows, y) && inside(columns, at);
    const Index place =
        (image * static_cast<Index>(shape.channels) + channel) * image_cells +
        y * width + at;
    sum += g[(image * static_cast<Index>(shape.outputs) + output) * windows + window] *
           (is_cell ? x[place] : Scalar(0));
  }
  sum = block_sum(sum, partial);
  if (t == 0) dw[cell] = sum;
}
