#include "prepare.h"

namespace corpus {

uint32_t blocks_of(int n, uint32_t threads) {
  return (static_cast<uint32_t>(n) + threads - 1) / threads;
}
/// An odd number of elements that grows with the size.
int odd(const Bench& b) { return b.size == 1 ? 1 : b.size == 2 ? 63 : 517; }
size_t cells(int n) { return static_cast<size_t>(n); }

void square(Bench& b, int n, uint32_t tile) {
  b.floats(cells(n * n));
  b.floats(cells(n * n));
  b.zeros<float>(cells(n * n));
  b.value(n);
  b.grid = {blocks_of(n, tile), blocks_of(n, tile)};
  b.block = {tile, tile};
}
void blocked(Bench& b) {
  const int n = 64 * (b.size == 3 ? 2 : 1);
  square(b, n, 64);
  b.block = {256};
}
void transpose(Bench& b) {
  const int n = 32 * b.size;
  b.floats(cells(n * n));
  b.zeros<float>(cells(n * n));
  b.value(n);
  b.grid = {static_cast<uint32_t>(b.size), static_cast<uint32_t>(b.size)};
  b.block = {32, 8};
}
void elementwise(Bench& b, int outputs) {
  const int n = odd(b);
  b.floats(cells(n + 160));
  b.zeros<float>(cells(outputs * (n + 160)));
  b.grid = {blocks_of(n, 64)};
  b.block = {64};
}

void math_f32(Bench& b) {
  elementwise(b, 15);
  b.value(odd(b));
}
void math_f64(Bench& b) {
  const int n = odd(b);
  b.doubles(cells(n + 1));
  b.zeros<double>(cells(10 * n));
  b.value(n);
  b.grid = {blocks_of(n, 64)};
  b.block = {64};
}
void conv2d(Bench& b) {
  const int h = 4 + 3 * b.size, w = 5 + 2 * b.size, k = b.size;
  b.floats(cells(2 * 3 * h * w));
  b.floats(cells(k * 3 * 9));
  const int outputs = 2 * k * (h - 2) * (w - 2);
  b.zeros<float>(cells(outputs));
  for (int value : {2, 3, h, w, k, 3, 3}) b.value(value);
  b.grid = {blocks_of(outputs, 128)};
  b.block = {128};
}
void im2col(Bench& b) {
  const int h = 3 + 2 * b.size, w = 4 + b.size, p = h, q = w;
  b.floats(cells(2 * h * w));
  b.zeros<float>(cells(2 * 9 * p * q));
  for (int value : {2, h, w, 3, 3, 1, 1, p, q}) b.value(value);
  b.grid = {2};
  b.block = {32};
}
void maxpool(Bench& b) {
  const int h = 3 + 4 * b.size, w = 5 + 3 * b.size;
  const int p = (h + 1) / 2, q = (w + 1) / 2;
  b.floats(cells(3 * h * w));
  b.zeros<float>(cells(3 * p * q));
  b.zeros<int>(cells(3 * p * q));
  for (int value : {h, w, p, q, 2, 2}) b.value(value);
  b.grid = {blocks_of(q, 8), blocks_of(p, 8), 3};
  b.block = {8, 8};
}
void strided(Bench& b, int inputs) {
  const int rows = 3 * b.size, columns = 5 + b.size, n = rows * columns;
  b.zeros<float>(cells(n));
  b.buffer<int>({rows, columns});
  b.buffer<int>({1, rows});  // written by columns
  b.value(n);
  b.floats(cells(n));
  b.buffer<int>({rows, columns});
  b.buffer<int>({columns, 1});
  if (inputs == 2) {
    b.floats(cells(columns));
    b.buffer<int>({columns});
    b.buffer<int>({1});
  }
  b.value(2);
  b.value(2);
  if (inputs == 2) b.value(1);
  b.grid = {blocks_of(n, 32)};
}
struct View {
  uint64_t p;
  int shape[4], stride[4], nd;
};
void struct_arg(Bench& b) {
  const int rows = 3 * b.size, columns = 7, n = rows * columns;
  std::vector<float> values(cells(n));
  for (int i = 0; i < n; ++i) values[cells(i)] = static_cast<float>(i) / 4;
  const auto view = [&](const std::vector<float>& from, int row, int column) {
    b.value(View{b.upload(from), {rows, columns}, {row, column}, 2});
  };
  view(values, columns, 1);
  view(values, 1, rows);
  view(std::vector<float>(cells(n)), columns, 1);
  b.value(n);
  b.grid = {blocks_of(n, 32)};
}
void atomics(Bench& b) {
  b.integers<int>(64, 0, 9);
  b.counts(16);
  b.integers<uint64_t>(1, 0, 100);
  b.counts(2);
  b.integers<unsigned>(8, 0, 9);
  b.block = {1};  // the order of more threads is not defined
}
void cvt_mix(Bench& b) {
  const size_t n = 32 * static_cast<size_t>(b.size);
  b.floats(n + 4);
  b.doubles(n);
  b.integers<int>(n + 1, -1000, 1000);
  b.bits<int8_t>(n);
  b.bits<int16_t>(n);
  b.zeros<float>(n + 2);
  b.zeros<double>(n + 2);
  b.zeros<int>(n + 2);
  b.zeros<uint8_t>(n + 2);
  b.block = {1};  // neighbours write the same cells
}
void half_arith(Bench& b) {
  b.halves(64, 0x3c00);
  b.halves(128, 0x3c00);
  b.zeros<uint16_t>(64);
  b.zeros<uint32_t>(64);
  b.zeros<float>(64);
  b.value(32);
  b.block = {1};
}
void bf16_arith(Bench& b) {
  b.halves(64, 0x3f80);
  b.halves(128, 0x3f80);
  b.zeros<uint16_t>(64);
  b.zeros<uint32_t>(64);
  b.zeros<float>(64);
  b.block = {1};
}
void coop_groups(Bench& b) {
  const uint32_t n = 32 * static_cast<uint32_t>(b.size);
  b.integers<int>(n, -100, 100);
  b.zeros<int>(100 + n);
  b.counts(n);
  b.zeros<float>(n);
  b.block = {n};
}
void mma_sync(Bench& b) {
  b.halves(512, 0x3c00);
  b.halves(128, 0x3c00);
  b.zeros<float>(128);
}
void wmma(Bench& b) {
  const int n = 16 * b.size;
  b.halves(cells(n * n), 0x3c00);
  b.halves(cells(n * n), 0x3c00);
  b.zeros<float>(cells(n * n));
  b.value(n);
  b.grid = {static_cast<uint32_t>(b.size), static_cast<uint32_t>(b.size)};
}
void warp_vote(Bench& b) {
  b.integers<int>(32, 0, 4 * b.size);
  b.zeros<unsigned>(128);
}
void flash(Bench& b) {
  const int n = 32 * (b.size == 3 ? 2 : 1);
  for (int i = 0; i < 3; ++i) b.floats(cells(n * 32));
  b.zeros<float>(cells(n * 32));
  b.value(n);
  b.grid = {static_cast<uint32_t>(n / 32)};
}
void rows_of(Bench& b, bool weights) {
  const int n = 20 * b.size + 7;
  b.floats(cells(3 * n));
  if (weights) {
    b.floats(cells(n));
    b.floats(cells(n));
  }
  b.zeros<float>(cells(3 * n));
  b.value(n);
  b.grid = {3};
}

}  // namespace corpus
