// dw = for each weight, the sum over all windows of all images of the window's gradient
// times the cell that the weight met there, as a product of matrices through shared
// memory: rows are outputs, columns are taps, and the sum goes over the windows. The
// matrix of windows is never stored: its cells are read out of x.
//
// g (batch, outputs, rows, columns), x (batch, channels, height, width) -> dw (outputs,
// channels / groups, kernel rows, kernel columns)
//
// Launch: grid (ceil(taps / TILE), ceil(outputs / groups / TILE), groups), block (TILE,
// TILE, 1), where taps are the weights of one output; none when dw is empty.
//
// A thread owns one weight, and loads one cell of each tile per step along the windows.
//
// Shared memory: `g_tile` and `x_tile`, TILE x TILE; each of their cells is written
// once and read TILE times per step. Cells past the edge, and padding, are 0.
//
// Spec: Scalar, Index, TILE.
//
// Parameters: dw, g, x, all contiguous; shape.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d_grad_weight_tiled(Scalar* dw, const Scalar* g,
                                                    const Scalar* x, ConvShape shape) {
  __shared__ Scalar g_tile[TILE][TILE];
  __shared__ Scalar x_tile[TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index height = static_cast<Index>(rows.size);
  const Index width = static_cast<Index>(columns.size);
  const Index kernel_rows = static_cast<Index>(rows.kernel);
  const Index kernel_columns = static_cast<Index>(columns.kernel);
  const Index down = static_cast<Index>(rows.count);
  const Index across = static_cast<Index>(columns.count);
  const Index batch = static_cast<Index>(shape.batch);
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index outputs = static_cast<Index>(shape.outputs / shape.groups);  // of a group
  const Index taps = depth * kernel_rows * kernel_columns;

  const Index number = static_cast<Index>(blockIdx.x) * TILE + tx;
  const Digits tap(number, kernel_rows, kernel_columns);  // channel, row, column
  const Index output = static_cast<Index>(blockIdx.y) * TILE + ty;
  const Index group = blockIdx.z;
  g += (group * outputs + output) * down * across;
  x += (group * depth + tap.high) * height * width;
  // Image, row and column of the window: of the gradient and of the cell to load.
  Digits gradient(tx, down, across);
  Digits window(ty, down, across);
  const Digits step(TILE, down, across);
  const Index g_image = static_cast<Index>(shape.outputs) * down * across;
  const Index x_image = static_cast<Index>(shape.channels) * height * width;

  Scalar sum = 0;
  const Index windows = batch * down * across;
#pragma unroll 1
  for (Index first = 0; first < windows; first += TILE) {
    const Index place =
        gradient.high * g_image + gradient.middle * across + gradient.low;
    g_tile[ty][tx] = output < outputs && gradient.high < batch ? g[place] : Scalar(0);
    const Index y = position_of(rows, window.middle, tap.middle);
    const Index at = position_of(columns, window.low, tap.low);
    const bool is_cell =
        number < taps && window.high < batch && inside(rows, y) && inside(columns, at);
    x_tile[ty][tx] = is_cell ? x[window.high * x_image + y * width + at] : Scalar(0);
    gradient.add(step, down, across);
    window.add(step, down, across);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += g_tile[ty][i] * x_tile[i][tx];
    __syncthreads();  // nobody may overwrite a tile that a slower thread still reads
  }
  if (number >= taps || output >= outputs) return;
  dw[(group * outputs + output) * taps + number] = sum;
}
