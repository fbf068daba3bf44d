// Whole kernels on both engines: the same memory and the same findings.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ptx/decode.h"
#include "simt/program/launch.h"
#include "table.h"

namespace {

using minitorch::simt::Launch;
using minitorch::simt::LoadedModule;
using minitorch::simt::Memory;
using minitorch::simt::Outcome;
namespace ptx = minitorch::ptx;

constexpr uint32_t kBlock = 64, kGrid = 2, kCount = kBlock * kGrid;

struct Case {
  const char* kernel;
  int32_t finding;  // kind, or -1 for none
  bool stops;       // memory is then undefined
};

struct Result {
  Outcome outcome;
  std::vector<uint32_t> out;
};

// Places module variables as a loader does.
LoadedModule load(Memory& memory, std::shared_ptr<const ptx::Module> source) {
  using Kind = minitorch::simt::Allocation::Kind;
  LoadedModule module{std::move(source), {}};
  for (const ptx::Variable& variable : module.module->variables) {
    const bool placed =
        variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    const bool constant = variable.space == ptx::Space::Const;
    uint64_t at = 0;
    if (placed) {
      at = memory.allocate(variable.size, constant ? Kind::Constant : Kind::Global);
      std::vector<uint8_t> bytes = variable.initial;
      bytes.resize(variable.size);
      for (const auto& relocation : variable.relocations) {
        const uint64_t address = minitorch::simt::kFunctionWindow + relocation.index;
        std::memcpy(bytes.data() + relocation.offset, &address, sizeof address);
      }
      std::memcpy(reinterpret_cast<void*>(at), bytes.data(), bytes.size());
      memory.mark_written(at, variable.size);
    }
    module.variable_address.push_back(at);
  }
  return module;
}

Result run_kernel(const Case& wanted, Outcome (*engine)(const Launch&)) {
  const std::string file =
      wanted.finding < 0 ? "/instructions/kernels.ptx" : "/instructions/faults.ptx";
  const auto source = ptx::decode(conformance::read_file(MINITORCH_TEST_PTX + file));
  Memory memory(uint64_t{16} << 20);
  const LoadedModule module = load(memory, source);
  const uint64_t in = memory.allocate(kCount * 4),
                 out = memory.allocate((kCount + 2) * 4);
  auto* input = reinterpret_cast<uint32_t*>(in);
  auto* output = reinterpret_cast<uint32_t*>(out);
  std::mt19937 random(5);
  for (uint32_t i = 0; i < kCount; ++i) input[i] = random();
  memory.mark_written(in, kCount * 4);
  std::memset(output, 0, (kCount + 2) * 4);
  if (wanted.finding != MtFinding_UninitGlobal)
    memory.mark_written(out, (kCount + 2) * 4);
  Launch launch;
  launch.module = &module;
  launch.function = source->find_function(wanted.kernel);
  launch.code = make_code(module, launch.function);
  launch.grid = {kGrid, 1, 1};
  launch.block = {kBlock, 1, 1};
  launch.memory = &memory;
  launch.profile = minitorch::base::find_card_profile("t4");
  launch.checks = MtCheck_UninitGlobal;
  launch.budget = 20000;
  launch.parameters.resize(source->functions[launch.function].parameter_bytes);
  std::memcpy(launch.parameters.data(), &in, sizeof in);
  std::memcpy(launch.parameters.data() + 8, &out, sizeof out);
  std::memcpy(launch.parameters.data() + 16, &kCount, sizeof kCount);
  if (launch.parameters.size() == 32) {  // by_value: {128, {3, 5, 7, 9}, 0.37}
    const uint8_t bytes[4] = {3, 5, 7, 9};
    const double scale = 0.37;
    std::memcpy(launch.parameters.data() + 20, bytes, sizeof bytes);
    std::memcpy(launch.parameters.data() + 24, &scale, sizeof scale);
  }
  Result result{engine(launch), {}};
  result.out.assign(output, output + kCount + 2);
  return result;
}

class Agreement : public testing::TestWithParam<Case> {};

TEST_P(Agreement, OfScalarAndVectorEngine) {
  const Case& wanted = GetParam();
  const Result scalar = run_kernel(wanted, minitorch::simt::run_scalar);
  const Result vector = run_kernel(wanted, minitorch::simt::run);
  if (!wanted.stops) {
    EXPECT_EQ(scalar.out, vector.out);
    EXPECT_EQ(vector.outcome.blocks, kGrid);
  }
  ASSERT_EQ(scalar.outcome.findings.size(), vector.outcome.findings.size());
  if (wanted.finding < 0) {
    EXPECT_TRUE(vector.outcome.findings.empty());
    return;
  }
  ASSERT_FALSE(vector.outcome.findings.empty());
  for (size_t i = 0; i < vector.outcome.findings.size(); ++i) {
    const MtFinding& a = scalar.outcome.findings[i];
    const MtFinding& b = vector.outcome.findings[i];
    EXPECT_EQ(b.kind, wanted.finding) << b.detail;
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.stopped, b.stopped);
    EXPECT_EQ(a.site.position.line, b.site.position.line);
    EXPECT_EQ(a.site.block[0], b.site.block[0]);
    // Which of the threads in an endless loop is named depends on whose turn it is.
    if (b.kind != MtFinding_Timeout) {
      EXPECT_EQ(a.site.thread[0], b.site.thread[0]);
    }
    EXPECT_EQ(a.address - a.allocation_base, b.address - b.allocation_base);
    EXPECT_EQ(a.allocation_offset, b.allocation_offset);
    EXPECT_EQ(a.count, b.count);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Agreement,
    testing::Values(Case{"block_sum", -1, false}, Case{"warp_scan", -1, false},
                    Case{"votes", -1, false}, Case{"recursion", -1, false},
                    Case{"pointers", -1, false}, Case{"local_array", -1, false},
                    Case{"histogram", -1, false}, Case{"last_block", -1, false},
                    Case{"floats", -1, false}, Case{"wide_integers", -1, false},
                    Case{"by_value", -1, false},
                    Case{"missing_guard", MtFinding_OobGlobal, true},
                    Case{"shared_overrun", MtFinding_OobShared, true},
                    Case{"misaligned", MtFinding_Misaligned, true},
                    Case{"null_pointer", MtFinding_NullPointer, true},
                    Case{"never_written", MtFinding_UninitGlobal, false},
                    Case{"divides", MtFinding_DivByZero, false},
                    Case{"endless", MtFinding_Timeout, true},
                    Case{"traps", MtFinding_Trap, true}),
    [](const auto& info) { return std::string(info.param.kernel); });

}  // namespace
