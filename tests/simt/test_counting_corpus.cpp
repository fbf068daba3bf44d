// Compiled kernels of many kinds: their counters are those of the plain model over
// their traces.
#include <cstring>
#include <filesystem>
#include <ostream>

#include "counting.h"

namespace minitorch::simt {
namespace {

struct Case {
  const char* file;  // below data/
  const char* kernel = "k";
  uint32_t grid = 2;
  base::Dim3 block = {128};
  int n = 16;  // every int parameter
};
void PrintTo(const Case& it, std::ostream* out) { *out << it.file << ' ' << it.kernel; }

class CountingCorpus : public testing::TestWithParam<Case> {};

TEST_P(CountingCorpus, AgreesWithThePlainModel) {
  const Case& it = GetParam();
  Machine machine(read_data(it.file));
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
    {"../../ptx/data/atomics_all.ptx"},
    {"../../ptx/data/bf16_arith.ptx"},
    {"../../ptx/data/bits.ptx"},
    {"../../ptx/data/collatz_branch.ptx"},
    {"../../ptx/data/cvt_mix.ptx"},
    {"../../ptx/data/dyn_smem.ptx"},
    {"../../ptx/data/half_arith.ptx"},
    {"../../ptx/data/histogram.ptx", "k", 2, {128}, 1000},
    {"../../ptx/data/int64.ptx"},
    {"../../ptx/data/ldg_vec.ptx", "k", 2, {128}, 200},
    {"../../ptx/data/local_array.ptx"},
    {"../../ptx/data/map_relu_sq.ptx", "k", 2, {128}, 200},
    {"../../ptx/data/map_simple.ptx", "k", 2, {128}, 200},
    {"../../ptx/data/matmul_tiled16.ptx", "k", 2, {16, 16}, 20},
    {"../../ptx/data/mma_sync.ptx", "k", 1, {32}},
    {"../../ptx/data/named_barrier.ptx", "k", 1},
    {"../../ptx/data/noinline_call.ptx", "k", 1, {48}, 5},
    {"../../ptx/data/printf_k.ptx", "k", 1, {32}},
    {"../../ptx/data/reduce_shared.ptx", "k", 2, {256}, 400},
    {"../../ptx/data/reduce_shfl.ptx", "k", 2, {256}, 400},
    {"../../ptx/data/scan_block.ptx"},
    {"../../ptx/data/softmax.ptx", "k", 2, {128}, 200},
    {"../../ptx/data/sregs.ptx"},
    {"../../ptx/data/switch_br.ptx", "k", 2, {128}, 200},
    {"../../ptx/data/template_dev.ptx", "k", 1, {64}, 100},
    {"../../ptx/data/transpose_pad.ptx", "k", 2, {32, 8}, 64},
    {"../../ptx/data/warp_vote.ptx", "k", 1, {64}},
    {"../../ptx/data/wmma.ptx", "k", 1, {32}},
    {"../../ptx/data/conv2d_direct.ptx", "k", 2, {32}, 4},
    {"../../ptx/data/flash_attn_small.ptx", "k", 2, {32}, 32},
    {"../../ptx/data/im2col.ptx", "k", 2, {64}, 4},
    {"../../ptx/data/layernorm.ptx", "k", 2, {32}, 70},
    {"../../ptx/data/map_strided.ptx", "k", 1, {64}, 4},
    {"../../ptx/data/matmul_double.ptx", "k", 2, {16, 16}, 20},
    {"../../ptx/data/maxpool.ptx", "k", 1, {8, 8}, 4},
    {"../../ptx/data/reduce_interleaved.ptx", "k", 2, {256}, 400},
    {"../../ptx/data/scan_warp.ptx", "k", 1, {64}, 50},
    {"../../ptx/data/transpose_nopad.ptx", "k", 2, {32, 8}, 64},
    {"../../ptx/data/zip_strided.ptx", "k", 1, {64}, 4},
    {"../../../benchmarks/emulator/kernels.ptx", "naive", 2, {16, 16}, 20},
    {"../../../benchmarks/emulator/kernels.ptx", "tiled32", 2, {32, 32}, 40},
    {"../../../benchmarks/emulator/kernels.ptx", "regblock", 1, {256}, 64},
    {"../../../benchmarks/emulator/kernels.ptx", "vector4", 1, {256}, 64},
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const std::string kernel = info.param.kernel;
  return kernel == "k" ? std::filesystem::path(info.param.file).stem().string()
                       : kernel;
}

INSTANTIATE_TEST_SUITE_P(Kernels, CountingCorpus, testing::ValuesIn(kCases), name_of);

}  // namespace
}  // namespace minitorch::simt
