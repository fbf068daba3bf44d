#include "cases.h"

#include "prepare.h"

namespace corpus {

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"assert_k",
       [](Bench& b) {
         b.buffer(std::vector<float>(32, 1.5f));
         b.value(b.size);
       }},
      {"atomics_all", atomics},
      {"bf16_arith", bf16_arith},
      {"bits",
       [](Bench& b) {
         b.bits<unsigned>(64);
         b.zeros<unsigned>(32);
         b.bits<uint64_t>(32);
       }},
      {"collatz_branch",
       [](Bench& b) {
         b.integers<unsigned>(cells(odd(b)), 1, 5000);
         b.zeros<int>(cells(odd(b)));
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 64)};
         b.block = {64};
       }},
      {"const_mem",
       [](Bench& b) {
         b.counts(64 * cells(b.size) + 9);
         b.zeros<float>(64 * cells(b.size));
         b.value(64 * b.size);
         b.set_variable("w", std::vector<float>(64, 0.5f));
         b.grid = {static_cast<uint32_t>(b.size)};
         b.block = {64};
       }},
      {"conv2d_direct", conv2d},
      {"coop_groups", coop_groups},
      {"cp_async",
       [](Bench& b) {
         b.floats(512 * cells(b.size));
         b.zeros<float>(128);
         b.value(b.size);
         b.block = {128};
       }},
      {"cvt_mix", cvt_mix},
      {"dyn_smem",
       [](Bench& b) {
         const int n = 33 * b.size;
         b.floats(cells(n));
         b.zeros<float>(cells(n));
         b.value(n);
         b.block = {static_cast<uint32_t>(n)};
         b.shared = static_cast<uint32_t>(8 * n);
       }},
      {"flash_attn_small", flash},
      {"grid_stride",
       [](Bench& b) {
         b.floats(cells(odd(b)));
         b.floats(cells(odd(b)));
         b.value(0.3f);
         b.value(int64_t{odd(b)});
         b.grid = {2};
       }},
      {"half_arith", half_arith},
      {"histogram",
       [](Bench& b) {
         b.bits<uint8_t>(cells(odd(b)));
         b.zeros<unsigned>(256);
         b.value(odd(b));
         b.grid = {2};
         b.block = {64};
       }},
      {"im2col", im2col},
      {"int64",
       [](Bench& b) {
         b.integers<int64_t>(40, 1, int64_t{1} << (20 * b.size));
         b.integers<int64_t>(40, 1, int64_t{1} << (20 * b.size));
         b.zeros<int64_t>(128);
         b.value(32);
       }},
      {"layernorm", [](Bench& b) { rows_of(b, true); }},
      {"ldg_vec",
       [](Bench& b) {
         b.floats(4 * cells(odd(b)));
         b.zeros<float>(4 * cells(odd(b)));
         b.integers<int>(cells(odd(b)), 0, odd(b) - 1);
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 64)};
         b.block = {64};
       }},
      {"local_array",
       [](Bench& b) {
         const int n = 64 + 9 * b.size;  // every element of the array is written
         b.integers<int>(32 * cells(n), 0, 1000);
         b.zeros<int>(32);
         b.value(n);
       }},
      {"map_relu_sq",
       [](Bench& b) {
         b.zeros<float>(cells(odd(b)));
         b.floats(cells(odd(b)));
         b.floats(cells(odd(b)));
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 128)};
         b.block = {128};
       }},
      {"map_simple",
       [](Bench& b) {
         b.zeros<float>(cells(odd(b)));
         b.floats(cells(odd(b)));
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 128)};
         b.block = {128};
       }},
      {"map_strided", [](Bench& b) { strided(b, 1); }},
      {"math_f32", math_f32},
      {"math_f64", math_f64},
      {"math_fast", [](Bench& b) { elementwise(b, 1), b.value(odd(b)); }},
      {"matmul_double",
       [](Bench& b) {
         const int n = 9 * b.size;
         b.doubles(cells(n * n));
         b.doubles(cells(n * n));
         b.zeros<double>(cells(n * n));
         b.value(n);
         b.grid = {blocks_of(n, 16), blocks_of(n, 16)};
         b.block = {16, 16};
       }},
      {"matmul_float4", blocked},
      {"matmul_naive", [](Bench& b) { square(b, 11 * b.size, 8); }},
      {"matmul_regblock", blocked},
      {"matmul_tiled16", [](Bench& b) { square(b, 11 * b.size, 16); }},
      {"matmul_tiled32", [](Bench& b) { square(b, 17 * b.size, 32); }},
      {"maxpool", maxpool},
      {"mma_sync", mma_sync},
      {"named_barrier",
       [](Bench& b) {
         b.floats(64);
         b.zeros<float>(128);
         b.block = {128};
       }},
      {"noinline_call",
       [](Bench& b) {
         b.floats(32);
         b.zeros<float>(32);
         b.value(2 * b.size);
       }},
      {"printf_k",
       [](Bench& b) {
         b.buffer(std::vector<float>(32, 0.625f));
         b.value(5 * b.size);
       }},
      {"reduce_interleaved",
       [](Bench& b) {
         b.counts(cells(odd(b)));
         b.zeros<float>(1);
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 64)};
         b.block = {64};
         b.shared = 256;
       }},
      {"reduce_shared",
       [](Bench& b) {
         b.floats(cells(odd(b)));
         b.zeros<float>(blocks_of(odd(b), 256));
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 256)};
         b.block = {256};
       }},
      {"reduce_shfl",
       [](Bench& b) {
         b.counts(cells(odd(b)));
         b.zeros<float>(1);
         b.value(odd(b));
         b.grid = {2};
         b.block = {128};
       }},
      {"scan_block",
       [](Bench& b) {
         const int n = 64 << b.size;
         b.integers<int>(256, -9, 9);
         b.zeros<int>(256);
         b.value(n > 256 ? 256 : n);
         b.block = {static_cast<uint32_t>(n > 256 ? 256 : n)};
       }},
      {"scan_warp",
       [](Bench& b) {
         const int n = 40 * b.size;
         b.integers<int>(cells(n), -9, 9);
         b.zeros<int>(cells(n));
         b.value(n);
         b.block = {128};
       }},
      {"softmax",
       [](Bench& b) {
         rows_of(b, false);
         b.block = {64};
         b.shared = 256;
       }},
      {"sregs",
       [](Bench& b) {
         b.zeros<unsigned>(32);
         b.zeros<int64_t>(32);
       },
       true},
      {"struct_arg", struct_arg},
      {"switch_br",
       [](Bench& b) {
         b.integers<int>(cells(odd(b)), 0, 9);
         b.floats(cells(odd(b)) + 1);
         b.zeros<float>(cells(odd(b)));
         b.value(odd(b));
         b.grid = {blocks_of(odd(b), 64)};
         b.block = {64};
       }},
      {"template_dev",
       [](Bench& b) {
         b.zeros<float>(cells(odd(b)));
         b.floats(cells(odd(b)));
         b.value(odd(b));
         b.value(0.5f);
       }},
      {"transpose_nopad", transpose},
      {"transpose_pad", transpose},
      {"warp_vote", warp_vote},
      {"wmma", wmma},
      {"zip_strided", [](Bench& b) { strided(b, 2); }},
  };
  return all;
}

}  // namespace corpus
