// Tests cooperative launches: all blocks of a grid meet, as cooperative_groups does it.
#include <numeric>

#include "graph_fixture.h"

namespace libcuda {
namespace {

/// exchange(data, out): block b writes b + 1 to data[b]; the grid meets; it reads its
/// neighbour's word into out[b]; the grid meets again; block 0 adds one to its word.
/// The barrier is what NVRTC makes of grid_group::sync().
constexpr const char* kExchange = R"(
.version 7.0
.target sm_70
.address_size 64

.func meet()
{
  .reg .pred %p<5>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %envreg2;
  mov.u32 %r2, %envreg1;
  mov.b64 %rd1, {%r1, %r2};
  setp.ne.s64 %p1, %rd1, 0;
  @%p1 bra VALID;
  trap;
VALID:
  barrier.sync 0;
  mov.u32 %r3, %tid.x;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra DONE;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %ctaid.x;
  setp.eq.u32 %p3, %r5, 0;
  mov.u32 %r6, -2147483647;
  sub.s32 %r7, %r6, %r4;
  selp.b32 %r8, %r7, 1, %p3;
  add.s64 %rd2, %rd1, 4;
  atom.add.release.gpu.u32 %r9, [%rd2], %r8;
WAIT:
  ld.acquire.gpu.u32 %r10, [%rd2];
  xor.b32 %r11, %r10, %r9;
  setp.gt.s32 %p4, %r11, -1;
  @%p4 bra WAIT;
DONE:
  barrier.sync 0;
  ret;
}

.visible .entry exchange(.param .u64 data, .param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, %tid.x;
  setp.ne.u32 %p1, %r3, 0;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  add.u32 %r4, %r1, 1;
  @!%p1 st.global.u32 [%rd4], %r4;
  call meet, ();
  rem.u32 %r5, %r4, %r2;
  mul.wide.u32 %rd6, %r5, 4;
  add.s64 %rd7, %rd1, %rd6;
  ld.volatile.global.u32 %r6, [%rd7];
  @!%p1 st.global.u32 [%rd5], %r6;
  call meet, ();
  or.b32 %r7, %r1, %r3;
  setp.ne.u32 %p2, %r7, 0;
  @%p2 bra END;
  ld.volatile.global.u32 %r8, [%rd4];
  add.u32 %r9, %r8, 1;
  st.global.u32 [%rd4], %r9;
END:
  ret;
}
)";

class Cooperative : public GraphTest {
 protected:
  using Launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, CUstream, void**);

  void SetUp() override {
    GraphTest::SetUp();
    CUmodule module = nullptr;
    ASSERT_EQ(cu().module_load_data_ex(&module, kExchange, 0, nullptr, nullptr),
              CUDA_SUCCESS)
        << last_message();
    ASSERT_EQ(cu().module_get_function(&exchange_, module, "exchange"), CUDA_SUCCESS);
    data_ = alloc(4096);
    out_ = alloc(4096);
  }
  CUresult launch_exchange(unsigned int blocks, unsigned int threads) {
    void* parameters[] = {&data_, &out_};
    return cu().find<Launch>("cuLaunchCooperativeKernel")(
        exchange_, blocks, 1, 1, threads, 1, 1, 0, stream_, parameters);
  }
  void expect_exchanged(size_t blocks) {
    std::vector<uint32_t> expected(blocks);
    std::iota(expected.begin(), expected.end(), 2u);
    expected.back() = 1;
    EXPECT_EQ(words(out_, blocks), expected);
    EXPECT_EQ(words(data_, 1), std::vector<uint32_t>{2});
  }

  CUfunction exchange_ = nullptr;
  CUdeviceptr data_ = 0, out_ = 0;
};

class CooperativeGrids : public Cooperative,
                         public testing::WithParamInterface<unsigned int> {};

// A T4 holds 40 times 16 blocks of one warp; 300 are more than any host thread would
// have under way at once in an ordinary launch.
INSTANTIATE_TEST_SUITE_P(Sizes, CooperativeGrids, testing::Values(1, 2, 47, 300, 640));

TEST_P(CooperativeGrids, AllBlocksMeet) {
  EXPECT_EQ(launch_exchange(GetParam(), 32), CUDA_SUCCESS) << last_message();
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  expect_exchanged(GetParam());
  EXPECT_EQ(launch_exchange(GetParam(), 40), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  expect_exchanged(GetParam());
}

TEST_F(Cooperative, MoreBlocksThanTheCardHoldsAreRefused) {
  EXPECT_EQ(launch_exchange(641, 32), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(launch_exchange(40, 1024), CUDA_SUCCESS);
  EXPECT_EQ(launch_exchange(41, 1024), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  expect_exchanged(40);
}

TEST_F(Cooperative, AnOrdinaryLaunchHasNoGridBarrier) {
  void* parameters[] = {&data_, &out_};
  EXPECT_EQ(
      cu().launch_kernel(exchange_, 2, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr),
      CUDA_SUCCESS);
  EXPECT_NE(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(take_findings().size(), 1u);
}

TEST_F(Cooperative, AttributesAndGraphsCanAskForIt) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config{100, 1, 1, 32, 1, 1, 0, stream_, &attribute, 1};
  void* parameters[] = {&data_, &out_};
  using LaunchEx = CUresult(const CUlaunchConfig*, CUfunction, void**, void**);
  auto* launch_ex = cu().find<LaunchEx>("cuLaunchKernelEx");
  EXPECT_EQ(call("cuStreamBeginCapture_v2", stream_, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(launch_ex(&config, exchange_, parameters, nullptr), CUDA_SUCCESS);
  config.gridDimX = 641;
  EXPECT_EQ(launch_ex(&config, exchange_, parameters, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(run(instantiate(graph)), CUDA_SUCCESS);
  expect_exchanged(100);
}

}  // namespace
}  // namespace libcuda
