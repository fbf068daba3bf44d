// Tests the records of launches: what they say, their order, bounds, who may hold them.
#include <thread>

#include "fixture.h"

namespace libcuda {
namespace {

class Records : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(cu().set_option(&MtLaunchOptions::recorded, 8), CUDA_SUCCESS);
  }
  void TearDown() override {
    cu().set_option(&MtLaunchOptions::recorded, 0);
    cu().set_option(&MtLaunchOptions::tag, 0);
    while (const MtLaunch* launch = take()) release(launch);
    DriverTest::TearDown();
  }
  static const MtLaunch* take() {
    const MtLaunch* launch = nullptr;
    EXPECT_EQ(cu().inspect_take_launch(&launch), CUDA_SUCCESS);
    return launch;
  }
  static void release(const MtLaunch* launch) {
    EXPECT_EQ(cu().inspect_release_launch(launch), CUDA_SUCCESS);
  }
};

TEST_F(Records, SaysWhatWasLaunched) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(300));
  cu().set_option(&MtLaunchOptions::tag, 42);
  ASSERT_EQ(launch("add_one", 3, 100, nullptr, data, 300u), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const MtLaunch* made = take();
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->tag, 42u);
  EXPECT_STREQ(made->kernel, "add_one");
  EXPECT_STREQ(made->symbol, "add_one");
  EXPECT_EQ(made->grid[0], 3u);
  EXPECT_EQ(made->grid[1], 1u);
  EXPECT_EQ(made->block[0], 100u);
  EXPECT_EQ(made->blocks, 3u);
  EXPECT_GT(made->warp_instructions, 0u);
  EXPECT_EQ(made->static_shared, 0u);
  EXPECT_GE(made->registers, 16u);
  EXPECT_EQ(made->finding_count, 0u);
  EXPECT_EQ(made->cancelled, 0);
  EXPECT_EQ(made->sm_count, 40u);      // of the T4
  EXPECT_EQ(made->blocks_per_sm, 8u);  // 32 warps of a Turing SM, 4 a block
  EXPECT_LE(made->queued_ns, made->start_ns);
  EXPECT_LT(made->start_ns, made->end_ns);
  EXPECT_EQ(made->counters, nullptr);
  EXPECT_EQ(made->trace, nullptr);
  release(made);
  EXPECT_EQ(take(), nullptr);
}

TEST_F(Records, OutliveAResetOfTheContext) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(300));
  ASSERT_EQ(launch("add_one", 3, 100, nullptr, data, 300u), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  ASSERT_EQ(cu().primary_ctx_reset(0), CUDA_SUCCESS);
  const MtLaunch* made = take();
  ASSERT_NE(made, nullptr);
  EXPECT_STREQ(made->kernel, "add_one");
  EXPECT_EQ(made->dropped_before, 0u);
  release(made);
  EXPECT_EQ(take(), nullptr);
}

TEST_F(Records, KeepsTheNewestAndCountsTheLost) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(32));
  cu().set_option(&MtLaunchOptions::recorded, 2);
  for (uint64_t tag : {1, 2, 3, 4, 5}) {
    cu().set_option(&MtLaunchOptions::tag, tag);
    ASSERT_EQ(launch("add_one", 1, 32, nullptr, data, 32u), CUDA_SUCCESS);
  }
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const MtLaunch* first = take();
  const MtLaunch* second = take();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(first->tag, 4u);
  EXPECT_EQ(first->dropped_before, 3u);
  EXPECT_EQ(second->tag, 5u);
  EXPECT_EQ(second->dropped_before, 0u);
  EXPECT_EQ(second->number, first->number + 1);
  release(first);
  release(second);
}

TEST_F(Records, BelongsToTheThreadThatAskedForIt) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(32));
  std::thread([&] {
    ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
    ASSERT_EQ(launch("add_one", 1, 32, nullptr, data, 32u), CUDA_SUCCESS);
    ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(take(), nullptr);
}

TEST_F(Records, KeepsFindingsOfAFaultedLaunch) {
  const CUdeviceptr data = alloc(4096);
  cu().set_option(&MtLaunchOptions::tag, 7);
  ASSERT_EQ(launch("unguarded", 40, 32, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(take_findings().size(), 1u);
  const MtLaunch* made = take();
  ASSERT_NE(made, nullptr);
  ASSERT_EQ(made->finding_count, 1u);
  EXPECT_EQ(made->findings[0].kind, MtFinding_OobGlobal);
  EXPECT_EQ(made->findings[0].launch_tag, 7u);
  release(made);
}

TEST_F(Records, RefusesWhatIsNotHeld) {
  MtLaunch own{};
  EXPECT_EQ(cu().inspect_release_launch(&own), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_release_launch(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_take_launch(nullptr), CUDA_ERROR_INVALID_VALUE);
  const CUdeviceptr data = upload(std::vector<uint32_t>(32));
  ASSERT_EQ(launch("add_one", 1, 32, nullptr, data, 32u), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const MtLaunch* made = take();
  release(made);
  EXPECT_EQ(cu().inspect_release_launch(made), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Records, ShowsCountersByLineAndTheTrace) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(300));
  cu().set_option(&MtLaunchOptions::checks,
                  MtCheck_All | MtCheck_Counters | MtCheck_Trace);
  ASSERT_EQ(launch("add_one", 3, 100, nullptr, data, 300u), CUDA_SUCCESS);
  cu().set_option(&MtLaunchOptions::trace_limit, 1000);
  ASSERT_EQ(launch("add_one", 3, 100, nullptr, data, 300u), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  cu().set_option(&MtLaunchOptions::checks, MtCheck_All);
  cu().set_option(&MtLaunchOptions::trace_limit, uint64_t{256} << 20);
  const MtLaunch* made = take();
  ASSERT_NE(made, nullptr);
  ASSERT_NE(made->counters, nullptr);
  EXPECT_EQ(made->counters[MtCounter_GlobalLoadRequests], 3u * 4);
  EXPECT_EQ(made->counters[MtCounter_GlobalLoadBytes], 300u * 4);
  EXPECT_EQ(made->counters[MtCounter_PtxWarpInstructions], made->warp_instructions);
  std::vector<uint64_t> sums(MtCounter_Count);
  for (uint32_t i = 0; i < made->line_count; ++i) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += made->lines[i].values[k];
  }
  EXPECT_TRUE(std::equal(sums.begin(), sums.end(), made->counters));
  ASSERT_EQ(made->line_count, 1u);  // this PTX has no lines
  EXPECT_STREQ(made->lines[0].at.file, "");
  EXPECT_EQ(made->lines[0].at.line, 0);

  const MtTrace* trace = made->trace;
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->truncated, 0);
  EXPECT_EQ(trace->step_count, made->warp_instructions);
  uint64_t stores = 0;
  for (uint64_t i = 0; i < trace->step_count; ++i) {
    ASSERT_LT(trace->instruction[i], trace->instruction_count);
    const auto& instruction = trace->instructions[trace->instruction[i]];
    EXPECT_STREQ(instruction.function, "add_one");
    if (std::string(instruction.opcode) != "st.global.u32") continue;
    EXPECT_EQ(instruction.kind, MtTrace_Memory);
    ++stores;
  }
  EXPECT_EQ(stores, 3u * 4);
  ASSERT_GT(trace->result_count, 0u);
  ASSERT_LT(trace->result_register[0], trace->register_count);
  EXPECT_EQ(trace->registers[trace->result_register[0]].name[0], '%');
  uint64_t written = 0;
  for (uint64_t row = 0; row < trace->access_count; ++row) {
    if (trace->access_kind[row] != MtAccess_Write) continue;
    for (uint32_t i = 0; i < 32; ++i) {
      if (!(trace->access_mask[row] >> i & 1)) continue;
      ++written;
      EXPECT_EQ(trace->access_value[row * 32 + i], 1u);
    }
  }
  EXPECT_EQ(written, 300u);
  release(made);

  const MtLaunch* cut = take();
  ASSERT_NE(cut, nullptr);
  EXPECT_EQ(cut->trace->truncated, 1);
  EXPECT_LE(cut->trace->bytes, 1000u);
  release(cut);
}

TEST_F(Records, ShowsDifferentSectorsAndPartsOfTraces) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(300));
  MtLaunchOptions before;
  ASSERT_EQ(cu().inspect_launch_options(&before), CUDA_SUCCESS);
  MtLaunchOptions options = before;
  options.checks = MtCheck_Sectors | MtCheck_Trace;
  options.trace_filter.blocks[options.trace_filter.block_count++] = 2;
  options.trace_filter.warps = 5;
  ASSERT_EQ(cu().inspect_set_launch_options(&options), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 3, 100, nullptr, data, 300u), CUDA_SUCCESS);
  options.trace_filter.block_count = MtTraceFilter::kMostBlocks + 1;
  EXPECT_EQ(cu().inspect_set_launch_options(&options), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_message().find("got 17 blocks to trace; need at most 16"),
            std::string::npos);
  ASSERT_EQ(cu().inspect_set_launch_options(&before), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 3, 100, nullptr, data, 300u), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const MtLaunch* made = take();
  ASSERT_NE(made, nullptr);
  ASSERT_NE(made->sectors, nullptr);
  EXPECT_EQ(made->sectors->read, 38u);  // 1,200 bytes
  EXPECT_EQ(made->sectors->written, 38u);
  EXPECT_EQ(made->sectors->either, 38u);
  ASSERT_NE(made->trace, nullptr);
  ASSERT_GT(made->trace->step_count, 0u);
  for (uint64_t i = 0; i < made->trace->step_count; ++i) {
    EXPECT_EQ(made->trace->block[i], 2u);
    EXPECT_EQ(made->trace->warp[i] % 2, 0u);
    EXPECT_LE(made->trace->warp[i], 2u);
  }
  const MtLaunch* plain = take();
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->sectors, nullptr);
  EXPECT_EQ(plain->trace, nullptr);
  release(made);
  release(plain);
}

TEST_F(Records, CarryTheCorrelationOfTheLaunchingThread) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(32));
  for (uint64_t correlation : {5, 0}) {
    ASSERT_EQ(cu().inspect_set_correlation(correlation), CUDA_SUCCESS);
    ASSERT_EQ(launch("add_one", 1, 32, nullptr, data, 32u), CUDA_SUCCESS);
  }
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  for (uint64_t correlation : {5, 0}) {
    const MtLaunch* made = take();
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->correlation, correlation);
    release(made);
  }
}

}  // namespace
}  // namespace libcuda
