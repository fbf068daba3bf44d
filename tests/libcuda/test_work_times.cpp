// Tests the times of work: what is noted of which operation, by whom, and the bounds.
#include <thread>

#include "graph_fixture.h"

namespace libcuda {
namespace {

class WorkTimes : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_EQ(cu().inspect_set_work_times(1), CUDA_SUCCESS);
  }
  void TearDown() override {
    cu().inspect_set_work_times(0);
    cu().inspect_set_correlation(0);
    GraphTest::TearDown();
    take();
  }
  static std::vector<MtWorkTime> take(uint32_t most = 64, uint64_t* dropped = nullptr) {
    std::vector<MtWorkTime> times(most);
    uint32_t count = 0;
    EXPECT_EQ(cu().inspect_take_work_times(times.data(), most, &count, dropped),
              CUDA_SUCCESS);
    times.resize(count);
    return times;
  }
};

TEST_F(WorkTimes, NotesLaunchesCopiesAndFillsOfOneStream) {
  const CUdeviceptr data = alloc(400), other = alloc(400);
  std::vector<uint32_t> host(100);
  cu().inspect_set_correlation(11);
  EXPECT_EQ(cu().memset_d32_async(data, 41, 100, stream_), CUDA_SUCCESS);
  cu().inspect_set_correlation(12);
  EXPECT_EQ(launch("add_one", 1, 100, stream_, data, 100u), CUDA_SUCCESS);
  cu().inspect_set_correlation(13);
  EXPECT_EQ(cu().memcpy_dtod_async(other, data, 80, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_dtoh_async(host.data(), data, 400, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_htod_async(other, host.data(), 120, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  const auto times = take();
  ASSERT_EQ(times.size(), 5u);
  const int32_t kinds[] = {MtOperation_Fill, MtOperation_Kernel,
                           MtOperation_CopyOnDevice, MtOperation_CopyToHost,
                           MtOperation_CopyFromHost};
  const uint64_t bytes[] = {400, 0, 80, 400, 120};
  const uint64_t correlations[] = {11, 12, 13, 13, 13};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(times[i].kind, kinds[i]);
    EXPECT_EQ(times[i].bytes, bytes[i]);
    EXPECT_EQ(times[i].correlation, correlations[i]);
    EXPECT_EQ(times[i].stream, times[0].stream);
    EXPECT_NE(times[i].stream, 0u);
    EXPECT_GT(times[i].queued_ns, 0);
    EXPECT_LE(times[i].queued_ns, times[i].start_ns);
    EXPECT_LE(times[i].start_ns, times[i].end_ns);
    if (i > 0) {
      EXPECT_LE(times[i - 1].end_ns, times[i].start_ns);
    }
  }
  EXPECT_EQ(host[99], 42u);
  EXPECT_TRUE(take().empty());
}

TEST_F(WorkTimes, TheDefaultStreamIsNumberZero) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(100));
  EXPECT_EQ(launch("add_one", 1, 100, nullptr, data, 100u), CUDA_SUCCESS);
  download<uint32_t>(data, 100);
  const auto times = take();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].kind, MtOperation_CopyFromHost);
  EXPECT_EQ(times[1].kind, MtOperation_Kernel);
  EXPECT_EQ(times[2].kind, MtOperation_CopyToHost);
  for (const MtWorkTime& time : times) {
    EXPECT_EQ(time.stream, 0u);
    EXPECT_EQ(time.correlation, 0u);
  }
}

TEST_F(WorkTimes, TellWaitingInTheQueueFromRunning) {
  const CUdeviceptr data = alloc(400);
  Gate gate;
  ASSERT_EQ(gate.hold(stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
  EXPECT_EQ(launch("add_one", 1, 100, stream_, data, 100u), CUDA_SUCCESS);
  EXPECT_TRUE(take().empty());
  gate.open();
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  const auto times = take();
  ASSERT_EQ(times.size(), 2u);
  // Both were queued before the first of them began.
  EXPECT_LE(times[1].queued_ns, times[0].start_ns);
}

TEST_F(WorkTimes, OfGraphsCarryWhatTheirLaunchCarries) {
  const CUdeviceptr data = alloc(64 * 4);
  const CUgraph graph = new_graph();
  const CUgraphNode fill = fill_node(graph, {}, data, 1, 64);
  const CUgraphNode first = add_one_node(graph, {fill}, data, 64);
  add_one_node(graph, {first}, data, 64);
  cu().inspect_set_correlation(4);
  const CUgraphExec exec = instantiate(graph);
  for (uint64_t replay : {5, 6}) {
    cu().inspect_set_correlation(replay);
    EXPECT_EQ(run(exec), CUDA_SUCCESS);
    const auto times = take();
    ASSERT_EQ(times.size(), 3u);
    EXPECT_EQ(times[0].kind, MtOperation_Fill);
    EXPECT_EQ(times[0].bytes, 64u * 4);
    EXPECT_EQ(times[1].kind, MtOperation_Kernel);
    EXPECT_EQ(times[2].kind, MtOperation_Kernel);
    for (const MtWorkTime& time : times) EXPECT_EQ(time.correlation, replay);
  }
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
}

TEST_F(WorkTimes, AreOfAllThreadsEachWithItsOwnCorrelation) {
  const CUdeviceptr data = alloc(400);
  cu().inspect_set_correlation(1);
  std::thread([&] {
    ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
    EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
    cu().inspect_set_correlation(2);
    EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  const auto times = take();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].correlation, 0u);
  EXPECT_EQ(times[1].correlation, 2u);
  EXPECT_EQ(times[2].correlation, 1u);
}

TEST_F(WorkTimes, AreTakenInPartsAndForgottenBySwitchingOn) {
  const CUdeviceptr data = alloc(400);
  for (uint64_t i : {1, 2, 3}) {
    cu().inspect_set_correlation(i);
    EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
  }
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  uint64_t dropped = 9;
  const auto first = take(2, &dropped);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].correlation, 2u);
  EXPECT_EQ(dropped, 0u);
  cu().inspect_set_work_times(1);  // it is on: nothing changes
  cu().inspect_set_work_times(0);
  EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(take(0).size(), 0u);
  EXPECT_EQ(take().size(), 1u);
  EXPECT_EQ(cu().memset_d32_async(data, 0, 100, stream_), CUDA_SUCCESS);
  cu().inspect_set_work_times(1);
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_TRUE(take().empty());
}

TEST_F(WorkTimes, AreKeptUpToABoundAndTheRestIsCounted) {
  // One graph of 1,024 fills of a byte, 1,025 times: 2^20 + 1,024.
  const CUdeviceptr data = alloc(4);
  const CUgraph graph = new_graph();
  for (int i = 0; i < 1024; ++i) fill_node(graph, {}, data, 0, 1);
  const CUgraphExec exec = instantiate(graph);
  for (int i = 0; i < 1025; ++i) {
    ASSERT_EQ(call("cuGraphLaunch", exec, stream_), CUDA_SUCCESS);
  }
  ASSERT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  uint64_t dropped = 0;
  EXPECT_EQ(take(1u << 21, &dropped).size(), size_t{1} << 20);
  EXPECT_EQ(dropped, 1024u);
  take(1, &dropped);
  EXPECT_EQ(dropped, 0u);
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
}

TEST_F(WorkTimes, OfAFaultEndWithIt) {
  const CUdeviceptr data = alloc(4096);
  EXPECT_EQ(launch("unguarded", 40, 32, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(launch("unguarded", 40, 32, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  take_findings();
  EXPECT_EQ(take().size(), 1u);  // the second launch was dropped
}

TEST_F(WorkTimes, RefuseWhatHasNoRoom) {
  uint32_t count = 0;
  MtWorkTime time;
  EXPECT_EQ(cu().inspect_take_work_times(&time, 1, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_take_work_times(nullptr, 1, &count, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_take_work_times(nullptr, 0, &count, nullptr), CUDA_SUCCESS);
}

}  // namespace
}  // namespace libcuda
