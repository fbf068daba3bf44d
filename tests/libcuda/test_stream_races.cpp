// Tests which operations of two streams, or of two nodes of a graph, race.
#include <thread>

#include "cuda_abi/work_types.h"
#include "operation_race_fixture.h"

namespace libcuda {
namespace {

class StreamRaces : public OperationRaceTest {
 protected:
  static void exchange_bookkeeping(int32_t on, int32_t before) {
    EXPECT_EQ(cu().inspect_exchange_bookkeeping(&on), CUDA_SUCCESS);
    EXPECT_EQ(on, before);
  }
};

TEST_F(StreamRaces, TwoStreamsRaceWhereOneWrites) {
  ASSERT_EQ(gate_.hold(one_), CUDA_SUCCESS);
  add_one(one_);
  add_one(other_);
  gate_.open();
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_RaceStream);
  EXPECT_EQ(findings[0].address, data_);
  EXPECT_EQ(findings[0].size, kBytes);
  EXPECT_EQ(findings[0].has_other, 1);
  EXPECT_NE(minitorch::findings::detail_text(findings[0]).find("kernel 'add_one'"),
            std::string::npos);
}

TEST_F(StreamRaces, EveryBlockOfALaunchCounts) {
  // The kernels meet in the last block's last word only.
  constexpr uint32_t kBlocks = 40, kAll = kBlocks * 64;
  const CUdeviceptr all = upload(std::vector<uint32_t>(2 * kAll));
  ASSERT_EQ(launch("add_one", kBlocks, 64, one_, all, kAll), CUDA_SUCCESS);
  const CUdeviceptr behind = all + (kAll - 1) * 4;
  ASSERT_EQ(launch("add_one", kBlocks, 64, other_, behind, kAll), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].address, behind);
  EXPECT_EQ(findings[0].size, 4u);
}

TEST_F(StreamRaces, AnEventOrdersTwoStreams) {
  add_one(one_);
  record(one_);
  wait_event(other_);
  add_one(other_);
  // And through a third one.
  record(other_);
  wait_event(blocking_);
  add_one(blocking_);
  expect_silence();
  record(one_);
  add_one(one_);
  wait_event(other_);
  add_one(other_);
  expect_one(MtFinding_RaceStream);
}

TEST_F(StreamRaces, HalvesReadersAndAtomicsDoNotRace) {
  add_one(one_, data_, kWords / 2);
  add_one(other_, data_ + kBytes / 2, kWords / 2);
  const CUdeviceptr out_one = alloc(kBytes), out_other = alloc(kBytes);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  ASSERT_EQ(launch("vector_add", 1, 64, one_, out_one, data_, data_, kWords),
            CUDA_SUCCESS);
  ASSERT_EQ(launch("vector_add", 1, 64, other_, out_other, data_, data_, kWords),
            CUDA_SUCCESS);
  const CUdeviceptr counter = upload(std::vector<uint32_t>(1));
  ASSERT_EQ(launch("tickets", 8, 1, one_, counter, out_one), CUDA_SUCCESS);
  ASSERT_EQ(launch("tickets", 8, 1, other_, counter, out_other + 128), CUDA_SUCCESS);
  expect_silence();
  // One byte further, and the halves meet.
  add_one(one_, data_, kWords / 2 + 1);
  add_one(other_, data_ + kBytes / 2, kWords / 2);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].address, data_ + kBytes / 2);
  EXPECT_EQ(findings[0].size, 4u);
}

TEST_F(StreamRaces, AnAtomicRacesWithAPlainAccessOfAnotherStream) {
  const CUdeviceptr counter = upload(std::vector<uint32_t>(1)), out = alloc(64);
  ASSERT_EQ(launch("tickets", 8, 1, one_, counter, out), CUDA_SUCCESS);
  ASSERT_EQ(cu().memset_d32_async(counter, 0, 1, other_), CUDA_SUCCESS);
  expect_one(MtFinding_RaceStream);
}

TEST_F(StreamRaces, CopiesAndFillsOfTwoStreamsRace) {
  const CUdeviceptr copy = alloc(kBytes);
  ASSERT_EQ(cu().memcpy_dtod_async(copy, data_, kBytes, one_), CUDA_SUCCESS);
  ASSERT_EQ(cu().memset_d32_async(copy, 0, kWords, other_), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_RaceStream);
  EXPECT_STREQ(findings[0].kernel, "");
  EXPECT_EQ(findings[0].address, copy);
}

TEST_F(StreamRaces, DefaultStreamsOfTwoThreadsAreTwoStreams) {
  using Launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, CUstream, void**, void**);
  auto* launch = cu().find<Launch>("cuLaunchKernel_ptsz");
  ASSERT_NE(launch, nullptr);
  const CUfunction function = kernel("add_one");
  uint32_t words = kWords;
  void* parameters[] = {&data_, &words};
  const auto add = [&] {
    cu().ctx_set_current(context_);
    cu().set_option(&MtLaunchOptions::checks, MtCheck_All);
    EXPECT_EQ(launch(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr),
              CUDA_SUCCESS);
  };
  add();
  std::thread(add).join();
  expect_one(MtFinding_RaceStream);
}

TEST_F(StreamRaces, LoopsAreToldOnceAndCounted) {
  for (int i = 0; i < 10; ++i) {
    add_one(one_);
    add_one(other_);
  }
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 100u);  // each of ten with each of ten
}

TEST_F(StreamRaces, ToleratedRacesAreNotes) {
  ASSERT_EQ(
      cu().set_option(&MtLaunchOptions::tolerated, uint64_t{1} << MtFinding_RaceStream),
      CUDA_SUCCESS);
  add_one(one_);
  add_one(other_);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, 0);
}

TEST_F(StreamRaces, LaunchesThatAreNotCheckedAreNotCompared) {
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::checks, MtCheck_UninitGlobal),
            CUDA_SUCCESS);
  add_one(one_);
  add_one(other_);
  expect_silence();
}

TEST_F(StreamRaces, MemoryThatWasFreedInAStreamIsForgotten) {
  CUdeviceptr first = 0;
  ASSERT_EQ(call("cuMemAllocAsync", &first, kBytes, one_), CUDA_SUCCESS);
  ASSERT_EQ(cu().memset_d32_async(first, 1, kWords, one_), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemFreeAsync", first, one_), CUDA_SUCCESS);
  // Until the address comes back, which takes a while.
  for (int i = 0; i < 3000; ++i) {
    CUdeviceptr next = 0;
    ASSERT_EQ(call("cuMemAllocAsync", &next, kBytes, other_), CUDA_SUCCESS);
    if (next == first) {
      ASSERT_EQ(cu().memset_d32_async(next, 2, kWords, other_), CUDA_SUCCESS);
      break;
    }
    ASSERT_EQ(call("cuMemFreeAsync", next, other_), CUDA_SUCCESS);
  }
  expect_silence();
}

TEST_F(StreamRaces, BookkeepingOrdersNothing) {
  add_one(one_);
  exchange_bookkeeping(1, 0);
  record(one_);
  wait_event(other_);
  EXPECT_EQ(cu().stream_synchronize(one_), CUDA_SUCCESS);
  exchange_bookkeeping(0, 1);
  add_one(other_);
  expect_one(MtFinding_RaceStream);
}

TEST_F(StreamRaces, TheNextOwnerOfMemoryRacesWithNoWorkOfTheOneBefore) {
  ASSERT_EQ(gate_.hold(one_), CUDA_SUCCESS);
  add_one(one_);
  ASSERT_EQ(cu().inspect_mark_freed(data_, one_), CUDA_SUCCESS);
  exchange_bookkeeping(1, 0);
  record(one_);
  wait_event(other_);
  exchange_bookkeeping(0, 1);
  ASSERT_EQ(cu().inspect_set_extent(data_, kBytes, other_), CUDA_SUCCESS);
  ASSERT_EQ(cu().memset_d32_async(data_, 0, kWords, other_), CUDA_SUCCESS);
  expect_silence();
}

TEST_F(StreamRaces, ValuesInMemoryOrderWhatCannotBeKnown) {
  const CUdeviceptr flag = upload(std::vector<uint32_t>(1));
  ASSERT_EQ(call("cuStreamWaitValue32_v2", other_, flag, uint32_t{1}, 0u),
            CUDA_SUCCESS);
  add_one(other_);
  add_one(one_);
  ASSERT_EQ(call("cuStreamWriteValue32_v2", one_, flag, uint32_t{1}, 0u), CUDA_SUCCESS);
  expect_silence();
  add_one(other_);  // after the context was waited for, all is known again
  add_one(one_);
  expect_one(MtFinding_RaceStream);
}

TEST_F(StreamRaces, NodesOfAGraphAreOrderedByItsEdges) {
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuGraphCreate", &graph, 0u), CUDA_SUCCESS);
  uint32_t words = kWords;
  void* parameters[] = {&data_, &words};
  const CUDA_KERNEL_NODE_PARAMS_v1 wanted{kernel("add_one"), 1,      1, 1, 64, 1, 1, 0,
                                          parameters,        nullptr};
  CUgraphNode first = nullptr, second = nullptr;
  const CUgraphNode* none = nullptr;
  ASSERT_EQ(call("cuGraphAddKernelNode", &first, graph, none, size_t{0}, &wanted),
            CUDA_SUCCESS);
  ASSERT_EQ(call("cuGraphAddKernelNode", &second, graph,
                 static_cast<const CUgraphNode*>(&first), size_t{1}, &wanted),
            CUDA_SUCCESS);
  const auto run = [&](CUstream stream) {
    CUgraphExec exec = nullptr;
    ASSERT_EQ(call("cuGraphInstantiateWithFlags", &exec, graph, 0ull), CUDA_SUCCESS);
    ASSERT_EQ(call("cuGraphLaunch", exec, stream), CUDA_SUCCESS);
    ASSERT_EQ(call("cuGraphLaunch", exec, stream), CUDA_SUCCESS);
    ASSERT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  };
  run(one_);
  expect_silence();
  // The whole graph against another stream's kernel.
  run(one_);
  add_one(other_);
  expect_one(MtFinding_RaceStream);
  // A third node without an edge to the others.
  ASSERT_EQ(call("cuGraphAddKernelNode", &second, graph, none, size_t{0}, &wanted),
            CUDA_SUCCESS);
  run(one_);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_RaceStream);
  EXPECT_EQ(findings[0].count, 4u);  // with two nodes, in two launches
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
}

}  // namespace
}  // namespace libcuda
