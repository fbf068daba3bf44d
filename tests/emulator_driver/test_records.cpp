// Tests the records of launches: what they say, their order, bounds, who may hold them.
#include <thread>

#include "fixture.h"

namespace emulator_driver {
namespace {

class Records : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(cu().inspect_set_recording(8), CUDA_SUCCESS);
  }
  void TearDown() override {
    cu().inspect_set_recording(0);
    cu().inspect_set_launch_tag(0);
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
  cu().inspect_set_launch_tag(42);
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

TEST_F(Records, KeepsTheNewestAndCountsTheLost) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(32));
  cu().inspect_set_recording(2);
  for (uint64_t tag : {1, 2, 3, 4, 5}) {
    cu().inspect_set_launch_tag(tag);
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
  cu().inspect_set_launch_tag(7);
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

}  // namespace
}  // namespace emulator_driver
