// Tests traces: what a step says, that memory and registers can be rebuilt from the
// columns, that a trace is cut at its limit.
#include <gtest/gtest.h>

#include <bit>

#include "counting.h"

namespace minitorch::simt {
namespace {

class Trace : public testing::Test {
 protected:
  /// The spelling of a step's instruction in a module with one function per kernel.
  std::string opcode(const TraceColumns& trace, size_t step) const {
    uint32_t left = trace.instruction[step];
    for (const ptx::Function& function : machine_.loaded().module->functions) {
      if (left < function.instructions.size()) {
        return function.instructions[left].opcode.text;
      }
      left -= static_cast<uint32_t>(function.instructions.size());
    }
    return "";
  }
  Launch reduction() {
    std::vector<float> in(256);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    out_ = machine_.upload(std::vector<float>(1));
    return machine_.launch("reduce_strided", {1}, {256}, out_, machine_.upload(in));
  }

  Machine machine_{read_ptx("simt/counting")};
  uint64_t out_ = 0;
};

TEST_F(Trace, RebuildsSharedMemoryAndRegisters) {
  const auto observed = observe(reduction(), MtCheck_Trace);
  const TraceColumns& trace = *observed->trace;
  EXPECT_FALSE(trace.truncated);
  ASSERT_TRUE(std::is_sorted(trace.access_step.begin(), trace.access_step.end()));
  std::map<uint64_t, uint64_t> shared;
  uint64_t wrong_reads = 0, reads = 0;
  for (size_t row = 0; row < trace.access_step.size(); ++row) {
    if (trace.access_space[row] != MtSpace_Shared) continue;
    for (uint32_t i = 0; i < 32; ++i) {
      if (!(trace.access_mask[row] >> i & 1)) continue;
      const uint64_t at = trace.access_address[row * 32 + i];
      const uint64_t value = trace.access_value[row * 32 + i];
      if (trace.access_kind[row] == MtAccess_Write) {
        shared[at] = value;
      } else {
        ++reads;
        wrong_reads += shared[at] != value;
      }
    }
  }
  EXPECT_EQ(reads, 2u * 255 + 1);
  EXPECT_EQ(wrong_reads, 0u);
  EXPECT_EQ(shared.size(), 256u);
  EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(shared[0])), 255.0f * 128);
  EXPECT_EQ(machine_.download<float>(out_, 1)[0], 255.0f * 128);

  // The sum is what the two loads before it brought, lane by lane.
  const auto result_of = [&](size_t step) {
    const auto at =
        std::lower_bound(trace.result_step.begin(), trace.result_step.end(), step);
    return static_cast<size_t>(at - trace.result_step.begin());
  };
  size_t sums = 0;
  for (size_t step = 2; step < trace.block.size(); ++step) {
    if (opcode(trace, step) != "add.f32") continue;
    ++sums;
    ASSERT_EQ(opcode(trace, step - 1), "ld.shared.f32");
    for (uint32_t i = 0; i < 32; ++i) {
      if (!(trace.mask[step] >> i & 1)) continue;
      const auto lane = [&](size_t of) {
        return std::bit_cast<float>(
            static_cast<uint32_t>(trace.result_value[result_of(of) * 32 + i]));
      };
      ASSERT_EQ(lane(step), lane(step - 1) + lane(step - 2));
    }
  }
  EXPECT_EQ(sums, 4u + 2 + 1 + 1 + 1 + 1 + 1 + 1);  // warps with work, each distance
}

TEST_F(Trace, MasksAreTheLanesThatExecute) {
  const uint64_t out = machine_.upload(std::vector<float>(32));
  const auto observed =
      observe(machine_.launch("odd_even", {1}, {32}, out, 7), MtCheck_Trace);
  std::vector<uint32_t> masks;
  const TraceColumns& trace = *observed->trace;
  for (size_t step = 0; step < trace.block.size(); ++step) {
    if (opcode(trace, step).starts_with("st.global")) masks.push_back(trace.mask[step]);
  }
  std::sort(masks.begin(), masks.end());
  EXPECT_EQ(masks, (std::vector<uint32_t>{0x55, 0xaaaaaaaa}));
}

TEST_F(Trace, BlocksRunInOrder) {
  const uint64_t in = machine_.upload(std::vector<float>(256, 1.0f));
  const uint64_t out = machine_.upload(std::vector<float>(256));
  const auto observed =
      observe(machine_.launch("strided", {4}, {64}, out, in, 1, 0), MtCheck_Trace, 4);
  const TraceColumns& trace = *observed->trace;
  EXPECT_TRUE(std::is_sorted(trace.block.begin(), trace.block.end()));
  EXPECT_EQ(trace.block.back(), 3u);
  EXPECT_EQ(*std::max_element(trace.warp.begin(), trace.warp.end()), 1u);
}

TEST_F(Trace, IsCutAtItsLimit) {
  Launch launch = reduction();
  launch.checks = MtCheck_Trace;
  launch.trace_limit = 100'000;
  const Outcome outcome = run(launch);
  const TraceColumns& trace = *outcome.observed->trace;
  EXPECT_TRUE(trace.truncated);
  EXPECT_LE(trace.bytes(), 100'000u);
  EXPECT_GT(trace.bytes(), 90'000u);
  EXPECT_EQ(machine_.download<float>(out_, 1)[0], 255.0f * 128);  // the kernel ran on
}

TEST_F(Trace, RecordsChosenBlocksAndWarps) {
  const uint64_t in = machine_.upload(std::vector<float>(256, 1.0f));
  const uint64_t out = machine_.upload(std::vector<float>(256));
  Launch launch = machine_.launch("strided", {2, 3}, {64}, out, in, 1, 0);
  const auto whole = observe(launch, MtCheck_Trace);
  struct Choice {
    std::vector<uint64_t> blocks;
    uint32_t warps;
    std::set<uint32_t> expected_blocks, expected_warps;
  };
  const auto place = [](uint64_t x, uint64_t y, uint64_t z) {
    return MtTraceFilter::kIsPlace | x << 32 | y << 16 | z;
  };
  const Choice choices[] = {
      {{}, ~0u, {0, 1, 2, 3, 4, 5}, {0, 1}},
      {{4}, ~0u, {4}, {0, 1}},
      {{place(1, 2, 0), 0}, ~0u, {0, 5}, {0, 1}},
      {{}, 2, {0, 1, 2, 3, 4, 5}, {1}},
      {{2, 2, place(0, 1, 0)}, 1, {2}, {0}},
      {{6, place(2, 0, 0), place(0, 3, 0), place(0, 0, 1)}, ~0u, {}, {0, 1}},
      {{1}, 0, {1}, {}},
  };
  for (const Choice& choice : choices) {
    launch.trace_filter = {};
    for (const uint64_t block : choice.blocks)
      launch.trace_filter.blocks[launch.trace_filter.block_count++] = block;
    launch.trace_filter.warps = choice.warps;
    const auto part = observe(launch, MtCheck_Trace);
    std::vector<std::array<uint32_t, 4>> rows, expected;
    const auto row = [](const TraceColumns& from, size_t i) {
      return std::array{from.block[i], from.warp[i], from.instruction[i], from.mask[i]};
    };
    for (size_t i = 0; i < whole->trace->block.size(); ++i) {
      if (choice.expected_blocks.contains(whole->trace->block[i]) &&
          choice.expected_warps.contains(whole->trace->warp[i]))
        expected.push_back(row(*whole->trace, i));
    }
    for (size_t i = 0; i < part->trace->block.size(); ++i)
      rows.push_back(row(*part->trace, i));
    EXPECT_EQ(rows, expected);
    // Two accesses for each warp, and as many results for each as in the whole.
    const size_t warps = expected.size() * 12 / whole->trace->block.size();
    EXPECT_EQ(part->trace->access_step.size(), 2 * warps);
    EXPECT_EQ(part->trace->result_step.size() * 12,
              whole->trace->result_step.size() * warps);
  }
}

TEST_F(Trace, ChangesNoResultAndNoCount) {
  Launch launch = reduction();
  launch.checks = MtCheck_Trace | MtCheck_Counters;
  const Outcome both = run(launch);
  EXPECT_EQ(totals_of(*both.observed), count(launch));
  launch.checks = 0;
  const Outcome plain = run(launch);
  EXPECT_EQ(plain.observed, nullptr);
  EXPECT_EQ(plain.warp_instructions, both.warp_instructions);
}

}  // namespace
}  // namespace minitorch::simt
