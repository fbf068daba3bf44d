// Compiled kernels of many kinds: their counters are those of the plain model over
// their traces.
#include <cstring>
#include <filesystem>
#include <ostream>

#include "counting.h"

namespace minitorch::simt {
namespace {

struct Case {
  const char* file;
  const char* kernel = "k";
  uint32_t grid = 2;
  base::Dim3 block = {128};
  int n = 16;  // every int parameter
};
void PrintTo(const Case& it, std::ostream* out) { *out << it.file << ' ' << it.kernel; }

class CountingCorpus : public testing::TestWithParam<Case> {};

TEST_P(CountingCorpus, AgreesWithThePlainModel) {
  const Case& it = GetParam();
  Machine machine(read_ptx(it.file));
  Launch launch = machine.launch(it.kernel, {it.grid, it.grid}, it.block);
  launch.dynamic_shared = 4096;
  // Pointers get buffers of small numbers, which serve as indices too.
  std::vector<int> numbers(1 << 16);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1 + static_cast<int>(i % 7);
  for (const ptx::Parameter& parameter :
       machine.loaded().module->functions[launch.function].parameters) {
    const uint64_t value =
        parameter.size == 8 ? machine.upload(numbers) : static_cast<uint64_t>(it.n);
    launch.parameters.resize(parameter.offset + parameter.size);
    std::memcpy(launch.parameters.data() + parameter.offset, &value, parameter.size);
  }
  expect_plain_model(launch);
}

constexpr Case kCases[] = {
    {"ptx/atomics_all"},
    {"ptx/bf16_arith"},
    {"ptx/bits"},
    {"ptx/collatz_branch"},
    {"ptx/cvt_mix"},
    {"ptx/dyn_smem"},
    {"ptx/half_arith"},
    {"ptx/histogram", "k", 2, {128}, 1000},
    {"ptx/int64"},
    {"ptx/ldg_vec", "k", 2, {128}, 200},
    {"ptx/local_array"},
    {"ptx/map_relu_sq", "k", 2, {128}, 200},
    {"ptx/map_simple", "k", 2, {128}, 200},
    {"ptx/matmul_tiled16", "k", 2, {16, 16}, 20},
    {"ptx/mma_sync", "k", 1, {32}},
    {"ptx/named_barrier", "k", 1},
    {"ptx/noinline_call", "k", 1, {48}, 5},
    {"ptx/printf_k", "k", 1, {32}},
    {"ptx/reduce_shared", "k", 2, {256}, 400},
    {"ptx/reduce_shfl", "k", 2, {256}, 400},
    {"ptx/scan_block"},
    {"ptx/softmax", "k", 2, {128}, 200},
    {"ptx/sregs"},
    {"ptx/switch_br", "k", 2, {128}, 200},
    {"ptx/template_dev", "k", 1, {64}, 100},
    {"ptx/transpose_pad", "k", 2, {32, 8}, 64},
    {"ptx/warp_vote", "k", 1, {64}},
    {"ptx/wmma", "k", 1, {32}},
    {"ptx/conv2d_direct", "k", 2, {32}, 4},
    {"ptx/flash_attn_small", "k", 2, {32}, 32},
    {"ptx/im2col", "k", 2, {64}, 4},
    {"ptx/layernorm", "k", 2, {32}, 70},
    {"ptx/map_strided", "k", 1, {64}, 4},
    {"ptx/matmul_double", "k", 2, {16, 16}, 20},
    {"ptx/maxpool", "k", 1, {8, 8}, 4},
    {"ptx/reduce_interleaved", "k", 2, {256}, 400},
    {"ptx/scan_warp", "k", 1, {64}, 50},
    {"ptx/transpose_nopad", "k", 2, {32, 8}, 64},
    {"ptx/zip_strided", "k", 1, {64}, 4},
    {"benchmarks/kernels", "naive", 2, {16, 16}, 20},
    {"benchmarks/kernels", "tiled32", 2, {32, 32}, 40},
    {"benchmarks/kernels", "regblock", 1, {256}, 64},
    {"benchmarks/kernels", "vector4", 1, {256}, 64},
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const std::string kernel = info.param.kernel;
  return kernel == "k" ? std::filesystem::path(info.param.file).stem().string()
                       : kernel;
}

INSTANTIATE_TEST_SUITE_P(Kernels, CountingCorpus, testing::ValuesIn(kCases), name_of);

}  // namespace
}  // namespace minitorch::simt
