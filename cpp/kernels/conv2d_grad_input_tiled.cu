// dx = what each cell of the image gave to the output, taken back, as a product of
// matrices through shared memory: rows are channels, columns are cells of the images,
// and the sum goes over outputs and taps. The matrix of gradients that met a cell is
// never stored: its cells are read out of g.
//
// g (batch, outputs, rows, columns), w (outputs, channels / groups, kernel rows, kernel
// columns) -> dx (batch, channels, height, width)
//
// Launch: grid (ceil(batch * height * width / TILE), ceil(channels / groups / TILE),
// groups), block (TILE, TILE, 1); none when dx is empty.
//
// A thread owns one cell of dx, which it writes once, and loads one cell of each tile
// per step. Neighbouring threads own neighbouring cells.
//
// Shared memory: `w_tile` and `g_tile`, TILE x TILE; each of their cells is written
// once and read TILE times per step. Cells past the edge, and taps that no window has
// there, are 0.
//
// Spec: Scalar, Index, TILE.
//
// Parameters: dx, g, w, all contiguous; shape.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d_grad_input_tiled(Scalar* dx, const Scalar* g,
                                                   const Scalar* w, ConvShape shape) {
  __shared__ Scalar w_tile[TILE][TILE];
  __shared__ Scalar g_tile[TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index width = static_cast<Index>(columns.size);
  const Index image_cells = static_cast<Index>(rows.size) * width;
  const Index kernel_rows = static_cast<Index>(rows.kernel);
  const Index kernel_columns = static_cast<Index>(columns.kernel);
  const Index across = static_cast<Index>(columns.count);
  const Index windows = static_cast<Index>(rows.count) * across;
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index outputs = static_cast<Index>(shape.outputs / shape.groups);  // of a group

  const Index number = static_cast<Index>(blockIdx.x) * TILE + tx;
  const Index image = number / image_cells;
  const Index cell = number % image_cells;
  const bool is_cell = image < static_cast<Index>(shape.batch);
  const Index channel = static_cast<Index>(blockIdx.y) * TILE + ty;
  const Index group = blockIdx.z;
  g += (image * static_cast<Index>(shape.outputs) + group * outputs) * windows;
  w += (group * outputs * depth + channel) * kernel_rows * kernel_columns;
  // Output, row and column of the kernel: of the weight and of the gradient to load.
  Digits weight(tx, kernel_rows, kernel_columns);
  Digits tap(ty, kernel_rows, kernel_columns);
  const Digits step(TILE, kernel_rows, kernel_columns);

  Scalar sum = 0;
  const Index terms = outputs * kernel_rows * kernel_columns;
#pragma unroll 1
  for (Index first = 0; first < terms; first += TILE) {
    const Index place =
        (weight.high * depth * kernel_rows + weight.middle) * kernel_columns +
        weight.low;
    w_tile[ty][tx] = channel < depth && weight.high < outputs ? w[place] : Scalar(0);
    const Index row = window_of(rows, cell / width, tap.middle);
    const Index column = window_of(columns, cell % width, tap.low);
    const bool is_window = is_cell && tap.high < outputs && row >= 0 && column >= 0;
    g_tile[ty][tx] =
        is_window ? g[tap.high * windows + row * across + column] : Scalar(0);
    weight.add(step, kernel_rows, kernel_columns);
    tap.add(step, kernel_rows, kernel_columns);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += w_tile[ty][i] * g_tile[i][tx];
    __syncthreads();  // nobody may overwrite a tile that a slower thread still reads
  }
  if (!is_cell || channel >= depth) return;
  const Index plane =
      image * static_cast<Index>(shape.channels) + group * depth + channel;
  dx[plane * image_cells + cell] = sum;
}
