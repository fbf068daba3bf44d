// Tests the capture of streams: what becomes of work, forks and joins, forbidden calls.
#include <thread>

#include "graph_fixture.h"

namespace libcuda {
namespace {

class Captures : public GraphTest {
 protected:
  using Words = std::vector<uint32_t>;

  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_EQ(cu().stream_create(&second_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cu().event_create(&event_, 0), CUDA_SUCCESS);
    kernel("add_one");  // loaded before any capture begins
  }
  void TearDown() override {
    cu().event_destroy(event_);
    cu().stream_destroy(second_);
    GraphTest::TearDown();
  }

  CUresult begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    return call("cuStreamBeginCapture_v2", stream_, mode);
  }
  /// The result of the end; the graph, if any, in `graph_`.
  CUresult end() {
    graph_ = reinterpret_cast<CUgraph>(1);
    return call("cuStreamEndCapture", stream_, &graph_);
  }
  CUstreamCaptureStatus status(CUstream stream) {
    CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_EQ(call("cuStreamIsCapturing", stream, &now), CUDA_SUCCESS);
    return now;
  }
  CUresult add_one(CUstream stream, CUdeviceptr data, uint32_t n) {
    return launch("add_one", 1, 64, stream, data, n);
  }
  CUresult wait(CUstream stream, CUevent event, unsigned int flags = 0) {
    return call("cuStreamWaitEvent", stream, event, flags);
  }

  CUstream second_ = nullptr;
  CUevent event_ = nullptr;
  CUgraph graph_ = nullptr;
};

TEST_F(Captures, WorkBecomesNodesInsteadOfRunning) {
  const CUdeviceptr data = upload(Words(8, 5));
  Words host(8, 0);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu().memset_d32_async(data, 1, 8, stream_), CUDA_SUCCESS);
  EXPECT_EQ(add_one(stream_, data, 8), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_dtoh_async(host.data(), data, 32, stream_), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(words(data, 8), Words(8, 5));
  EXPECT_EQ(count("cuGraphGetNodes", graph_), 3u);
  EXPECT_EQ(count("cuGraphGetRootNodes", graph_), 1u);
  const CUgraphExec exec = instantiate(graph_);
  EXPECT_EQ(call("cuGraphDestroy", graph_), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(host, Words(8, 2));
}

TEST_F(Captures, EventsForkAndJoinStreams) {
  const CUdeviceptr a = upload(Words(8, 0)), b = upload(Words(8, 0));
  CUevent done = nullptr;
  ASSERT_EQ(cu().event_create(&done, 0), CUDA_SUCCESS);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(a, 3, 8, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(event_, stream_), CUDA_SUCCESS);
  EXPECT_EQ(wait(second_, event_), CUDA_SUCCESS);
  EXPECT_EQ(status(second_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(add_one(second_, b, 8), CUDA_SUCCESS);
  EXPECT_EQ(add_one(stream_, a, 8), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(done, second_), CUDA_SUCCESS);
  EXPECT_EQ(wait(stream_, done), CUDA_SUCCESS);
  unsigned long long id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* after = nullptr;
  size_t number = 0;
  CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(
      call("cuStreamGetCaptureInfo_v2", stream_, &now, &id, &graph, &after, &number),
      CUDA_SUCCESS);
  EXPECT_EQ(number, 2u);  // what follows comes after both kernels
  EXPECT_NE(id, 0u);
  EXPECT_EQ(cu().stream_destroy(second_), CUDA_SUCCESS);  // has been waited for
  ASSERT_EQ(cu().stream_create(&second_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(add_one(stream_, b, 8), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(graph, graph_);
  EXPECT_EQ(count("cuGraphGetNodes", graph_), 4u);
  EXPECT_EQ(run(instantiate(graph_)), CUDA_SUCCESS);
  EXPECT_EQ(words(a, 8), Words(8, 4));
  EXPECT_EQ(words(b, 8), Words(8, 2));
  cu().event_destroy(done);
}

TEST_F(Captures, AStreamLeftBehindIsAnError) {
  const CUdeviceptr data = upload(Words(8, 0));
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(event_, stream_), CUDA_SUCCESS);
  EXPECT_EQ(wait(second_, event_), CUDA_SUCCESS);
  EXPECT_EQ(add_one(second_, data, 8), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph_, nullptr);
  EXPECT_EQ(status(second_), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Captures, WaitingCallsEndTheCapture) {
  const CUdeviceptr data = upload(Words(8, 0));
  CUdeviceptr more = 0;
  uint32_t word = 0;
  const auto fails_with = [&](CUresult result, auto forbidden) {
    EXPECT_EQ(begin(), CUDA_SUCCESS);
    EXPECT_EQ(forbidden(), result);
    EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT_EQ(add_one(stream_, data, 8), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph_, nullptr);
  };
  const CUresult unsupported = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  fails_with(unsupported, [&] { return cu().stream_synchronize(stream_); });
  fails_with(unsupported, [&] { return cu().stream_query(stream_); });
  fails_with(unsupported, [&] { return cu().ctx_synchronize(); });
  fails_with(unsupported, [&] { return cu().mem_alloc(&more, 64); });
  fails_with(unsupported, [&] { return cu().memcpy_dtoh(&word, data, 4); });
  EXPECT_EQ(words(data, 8), Words(8, 0));
}

TEST_F(Captures, RelaxedCapturesAndThreadsMayWait) {
  CUdeviceptr more = 0;
  EXPECT_EQ(begin(CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_alloc(&more, 64), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(begin(CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(call("cuThreadExchangeStreamCaptureMode", &mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cu().mem_free(more), CUDA_SUCCESS);
  EXPECT_EQ(call("cuThreadExchangeStreamCaptureMode", &mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  std::thread([&] {
    cu().ctx_set_current(context_);
    EXPECT_EQ(cu().mem_alloc(&more, 64), CUDA_SUCCESS);
    CUgraph graph = nullptr;
    EXPECT_EQ(call("cuStreamEndCapture", stream_, &graph),
              CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(more), CUDA_SUCCESS);
}

TEST_F(Captures, EventsOfACaptureAreOnlyForIt) {
  CUevent outside = nullptr;
  ASSERT_EQ(cu().event_create(&outside, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(outside, second_), CUDA_SUCCESS);
  EXPECT_EQ(begin(CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(event_, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_query(event_), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cu().event_synchronize(event_), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(call("cuStreamBeginCapture_v2", second_, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(wait(second_, event_), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", second_, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(wait(stream_, outside), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(wait(second_, event_), CUDA_ERROR_CAPTURED_EVENT);  // that one has ended
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(wait(stream_, outside, 1), CUDA_SUCCESS);  // a node of its own
  EXPECT_EQ(call("cuEventRecordWithFlags", event_, stream_, 1u), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(count("cuGraphGetNodes", graph_), 2u);
  EXPECT_EQ(run(instantiate(graph_)), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_query(event_), CUDA_SUCCESS);
  cu().event_destroy(outside);
}

TEST_F(Captures, TheDefaultStreamTakesNoPart) {
  const CUdeviceptr data = upload(Words(8, 0));
  const auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  const CUstream legacy = nullptr;
  EXPECT_EQ(call("cuStreamBeginCapture_v2", legacy, mode),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(call("cuStreamBeginCapture_v2", CU_STREAM_PER_THREAD, mode), CUDA_SUCCESS);
  EXPECT_EQ(add_one(nullptr, data, 8), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", CU_STREAM_PER_THREAD, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(begin(mode), CUDA_SUCCESS);  // a stream that does not wait for the default
  EXPECT_EQ(add_one(nullptr, data, 8), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
}

TEST_F(Captures, AskingOfTheDefaultStreamEndsNothing) {
  EXPECT_EQ(call("cuStreamBeginCapture_v2", CU_STREAM_PER_THREAD,
                 CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  const CUstream legacy = nullptr;
  CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(call("cuStreamIsCapturing", legacy, &now),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status(CU_STREAM_PER_THREAD), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", CU_STREAM_PER_THREAD, &graph), CUDA_SUCCESS);
}

TEST_F(Captures, LaunchesKeepTheTagOfTheirCapture) {
  const CUdeviceptr data = upload(Words(8, 0));
  MtLaunchOptions options;
  ASSERT_EQ(cu().inspect_launch_options(&options), CUDA_SUCCESS);
  const MtLaunchOptions before = options;
  options.tag = 17;
  EXPECT_EQ(cu().inspect_set_launch_options(&options), CUDA_SUCCESS);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(add_one(stream_, data, 1 << 20), CUDA_SUCCESS);  // beyond its memory
  EXPECT_EQ(end(), CUDA_SUCCESS);
  options.tag = 18;
  EXPECT_EQ(cu().inspect_set_launch_options(&options), CUDA_SUCCESS);
  run(instantiate(graph_));
  MtFinding finding;
  uint32_t found = 0;
  EXPECT_EQ(cu().inspect_take_findings(&finding, 1, &found), CUDA_SUCCESS);
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(finding.launch_tag, 17u);
  EXPECT_EQ(cu().inspect_set_launch_options(&before), CUDA_SUCCESS);
}

TEST_F(Captures, GraphsAndDependenciesCanBeGiven) {
  const CUdeviceptr data = upload(Words(8, 0));
  const CUgraph graph = new_graph();
  const CUgraphNode fill = fill_node(graph, {}, data, 4, 8);
  const CUgraphEdgeData* plain = nullptr;
  const CUgraphNode* after = &fill;
  EXPECT_EQ(call("cuStreamBeginCaptureToGraph", stream_, graph, after, plain, size_t{1},
                 CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(add_one(stream_, data, 8), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_ERROR_INVALID_VALUE);
  CUgraphNode both[] = {fill};
  EXPECT_EQ(call("cuStreamUpdateCaptureDependencies", stream_, +both, size_t{1},
                 unsigned{CU_STREAM_SET_CAPTURE_DEPENDENCIES}),
            CUDA_SUCCESS);
  const CUgraphNode third = empty_node(graph, {});
  both[0] = third;
  EXPECT_EQ(call("cuStreamUpdateCaptureDependencies", stream_, +both, size_t{1},
                 unsigned{CU_STREAM_ADD_CAPTURE_DEPENDENCIES}),
            CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamUpdateCaptureDependencies", second_, +both, size_t{1}, 0u),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cu().memset_d32_async(data + 16, 9, 1, stream_), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(graph_, graph);
  EXPECT_EQ(count("cuGraphGetNodes", graph), 4u);
  EXPECT_EQ(count("cuGraphGetRootNodes", graph), 2u);
}

TEST_F(Captures, AllocationsBecomeNodes) {
  CUdeviceptr data = 0;
  const CUdeviceptr plain = alloc(32);
  CUdeviceptr* const where = &data;
  Words host(8, 0);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemAllocAsync", where, size_t{32}, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(data, 8, 8, stream_), CUDA_SUCCESS);
  EXPECT_EQ(add_one(stream_, data, 8), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_dtoh_async(host.data(), data, 32, stream_), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemFreeAsync", plain, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemFreeAsync", data, stream_), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(count("cuGraphGetNodes", graph_), 5u);
  EXPECT_EQ(run(instantiate(graph_)), CUDA_SUCCESS);
  EXPECT_EQ(host, Words(8, 9));
}

TEST_F(Captures, LaunchesOfGraphsAreCapturedAsChildren) {
  const CUdeviceptr data = upload(Words(8, 0));
  const CUgraph inner = new_graph();
  add_one_node(inner, {}, data, 8);
  const CUgraphExec exec = instantiate(inner);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", exec, stream_), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", exec, stream_), CUDA_SUCCESS);
  EXPECT_EQ(end(), CUDA_SUCCESS);
  EXPECT_EQ(count("cuGraphGetNodes", graph_), 2u);
  EXPECT_EQ(run(instantiate(graph_)), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 2));
}

TEST_F(Captures, MisuseIsRefused) {
  EXPECT_EQ(end(), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(begin(static_cast<CUstreamCaptureMode>(3)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(begin(), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(event_, stream_), CUDA_SUCCESS);
  EXPECT_EQ(wait(second_, event_), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", second_, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUstream gone = nullptr;
  ASSERT_EQ(cu().stream_create(&gone, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamBeginCapture_v2", gone, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_destroy(gone), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);  // nothing is being captured now
}

}  // namespace
}  // namespace libcuda
