// out = convolution of x with w, plus a bias, as a product of matrices through shared
// memory: rows are outputs, columns are windows, and the sum goes over the taps of a
// window. The matrix of windows is never stored: its cells are read out of x.
//
// x (batch, channels, height, width), w (outputs, channels / groups, kernel rows,
// kernel columns) -> out (batch, outputs, rows, columns)
//
// Launch: grid (ceil(batch * rows * columns / TILE), ceil(outputs / groups / TILE),
// groups), block (TILE, TILE, 1); none when out is empty.
//
// A thread owns one output cell, and loads one cell of each tile per step along the
// taps. Neighbouring threads own neighbouring windows.
//
// Shared memory: `w_tile` and `x_tile`, TILE x TILE; each of their cells is written
// once and read TILE times per step. Cells past the edge, and padding, are 0.
//
// Spec: Scalar, Index, TILE, BIAS (false: the bias is not read).
//
// Parameters: out, x, w, bias (outputs,), all contiguous; shape.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d_tiled(Scalar* out, const Scalar* x, const Scalar* w,
                                        const Scalar* bias, ConvShape shape) {
  __shared__ Scalar w_tile[TILE][TILE];
  __shared__ Scalar x_tile[TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index height = static_cast<Index>(rows.size);
  const Index width = static_cast<Index>(columns.size);
  const Index kernel_rows = static_cast<Index>(rows.kernel);
  const Index kernel_columns = static_cast<Index>(columns.kernel);
  const Index kernel_cells = kernel_rows * kernel_columns;
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index outputs = static_cast<Index>(shape.outputs / shape.groups);  // of a group
  const Index windows = static_cast<Index>(rows.count * columns.count);  // of an image
  const Index taps = depth * kernel_cells;

  const Index window = static_cast<Index>(blockIdx.x) * TILE + tx;
  const Index image = window / windows;
  const Index cell = window % windows;  // of this thread, in a plane of out
  const Index row = cell / static_cast<Index>(columns.count);
  const Index column = cell % static_cast<Index>(columns.count);
  const bool is_window = image < static_cast<Index>(shape.batch);
  const Index output = static_cast<Index>(blockIdx.y) * TILE + ty;
  const Index group = blockIdx.z;
  x += (image * static_cast<Index>(shape.channels) + group * depth) * height * width;
  w += (group * outputs + output) * taps;

  Digits tap(ty, kernel_rows, kernel_columns);  // channel, row, column; of this thread
  const Digits step(TILE, kernel_rows, kernel_columns);

  Scalar sum = 0;
#pragma unroll 1
  for (Index first = 0; first < taps; first += TILE) {
    const Index weight = first + tx;
    w_tile[ty][tx] = output < outputs && weight < taps ? w[weight] : Scalar(0);
    const Index y = position_of(rows, row, tap.middle);
    const Index at = position_of(columns, column, tap.low);
    const bool is_cell =
        is_window && tap.high < depth && inside(rows, y) && inside(columns, at);
    x_tile[ty][tx] = is_cell ? x[(tap.high * height + y) * width + at] : Scalar(0);
    tap.add(step, kernel_rows, kernel_columns);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += w_tile[ty][i] * x_tile[i][tx];
    __syncthreads();  // nobody may overwrite a tile that a slower thread still reads
  }
  if (!is_window || output >= outputs) return;
  const Index plane = group * outputs + output;
  if (BIAS) sum += bias[plane];
  out[(image * static_cast<Index>(shape.outputs) + plane) * windows + cell] = sum;
}
