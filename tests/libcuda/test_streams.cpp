// Tests the order of work: within a stream, between streams, events, callbacks.
#include <atomic>
#include <chrono>
#include <thread>

#include "fixture.h"

namespace libcuda {
namespace {

class Streams : public DriverTest {
 protected:
  CUstream make(unsigned int flags) {
    CUstream stream = nullptr;
    EXPECT_EQ(cu().stream_create(&stream, flags), CUDA_SUCCESS);
    made_.push_back(stream);
    return stream;
  }
  void TearDown() override {
    for (CUstream stream : made_) cu().stream_destroy(stream);
    DriverTest::TearDown();
  }
  std::vector<CUstream> made_;
};

using AddHostFunction = CUresult(CUstream, CUhostFn, void*);

CUresult call(CUstream stream, CUhostFn function, void* user) {
  return cu().find<AddHostFunction>("cuLaunchHostFunc")(stream, function, user);
}

TEST_F(Streams, WorkOfOneStreamIsInOrder) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  const uint32_t n = 64;
  const CUdeviceptr data = alloc(n * 4), copy = alloc(n * 4);
  Gate gate;
  ASSERT_EQ(gate.hold(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(data, 5, n, stream), CUDA_SUCCESS);
  EXPECT_EQ(launch("add_one", 1, n, stream, data, n), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_dtod_async(copy, data, n * 4, stream), CUDA_SUCCESS);
  EXPECT_EQ(launch("add_one", 1, n, stream, data, n), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_query(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_query(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(copy, n), std::vector<uint32_t>(n, 6));
  EXPECT_EQ(download<uint32_t>(data, n), std::vector<uint32_t>(n, 7));
}

// A queue's thread ends with its stream; what a call queued that still had the stream
// is done all the same. Polled, so that an event which never comes fails the test.
TEST_F(Streams, WorkThatMeetsTheEndOfItsStreamIsDone) {
  CUevent event = nullptr;
  ASSERT_EQ(cu().event_create(&event, 0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(cu().ctx_get_current(&context), CUDA_SUCCESS);
  using Clock = std::chrono::steady_clock;
  // Many rounds, since the two meet rarely; fewer on a slow or busy machine.
  const auto enough = Clock::now() + std::chrono::seconds(5);
  for (int round = 0; round < 3000 && Clock::now() < enough; ++round) {
    CUstream stream = nullptr;
    ASSERT_EQ(cu().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cu().event_record(event, stream), CUDA_SUCCESS);  // starts its thread
    std::atomic<bool> go{false};
    std::thread destroying([&] {
      cu().ctx_set_current(context);
      while (!go) {
      }
      cu().stream_destroy(stream);
    });
    go = true;
    while (cu().event_record(event, stream) == CUDA_SUCCESS) {
    }
    destroying.join();
    const auto lost = Clock::now() + std::chrono::seconds(60);
    while (cu().event_query(event) == CUDA_ERROR_NOT_READY) {
      ASSERT_LT(Clock::now(), lost) << "in round " << round;
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(cu().event_destroy(event), CUDA_SUCCESS);
}

TEST_F(Streams, NonBlockingStreamsRunBesideEachOther) {
  const CUstream held = make(CU_STREAM_NON_BLOCKING),
                 free = make(CU_STREAM_NON_BLOCKING);
  Gate gate;
  ASSERT_EQ(gate.hold(held), CUDA_SUCCESS);
  const CUdeviceptr data = alloc(4);
  EXPECT_EQ(cu().memset_d32_async(data, 3, 1, free), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(free), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data, 1), std::vector<uint32_t>{3});
  EXPECT_EQ(cu().stream_query(held), CUDA_ERROR_NOT_READY);
}

/// Whether work on `second` waits for work queued before on `first`.
bool waits(CUstream first, CUstream second) {
  Gate gate;
  EXPECT_EQ(gate.hold(first), CUDA_SUCCESS);
  static std::atomic<bool> opened;
  struct Seen {
    bool opened_before = false;
  } seen;
  opened = false;
  EXPECT_EQ(
      call(
          second, [](void* user) { static_cast<Seen*>(user)->opened_before = opened; },
          &seen),
      CUDA_SUCCESS);
  // Without an order the second runs at once; with one it must not, however long it
  // takes.
  for (int i = 0; i < 20 && cu().stream_query(second) != CUDA_SUCCESS; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  opened = true;
  gate.open();
  EXPECT_EQ(cu().stream_synchronize(second), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(first), CUDA_SUCCESS);
  return seen.opened_before;
}

TEST_F(Streams, DefaultStreamAndBlockingStreamsWaitForEachOther) {
  const CUstream blocking = make(CU_STREAM_DEFAULT), other = make(CU_STREAM_DEFAULT);
  const CUstream non_blocking = make(CU_STREAM_NON_BLOCKING);
  EXPECT_TRUE(waits(blocking, nullptr));
  EXPECT_TRUE(waits(nullptr, blocking));
  EXPECT_TRUE(waits(CU_STREAM_PER_THREAD, CU_STREAM_LEGACY));
  EXPECT_TRUE(waits(CU_STREAM_LEGACY, CU_STREAM_PER_THREAD));
  EXPECT_FALSE(waits(blocking, other));
  EXPECT_FALSE(waits(nullptr, non_blocking));
  EXPECT_FALSE(waits(non_blocking, nullptr));
  EXPECT_FALSE(waits(CU_STREAM_PER_THREAD, blocking));
}

TEST_F(Streams, PerThreadSymbolsUseTheThreadsOwnStream) {
  const CUdeviceptr data = alloc(4);
  using Fill = CUresult(CUdeviceptr, unsigned int, size_t, CUstream);
  auto* fill = cu().find<Fill>("cuMemsetD32Async_ptsz");
  auto* synchronize = cu().find<CUresult(CUstream)>("cuStreamSynchronize_ptsz");
  const CUstream elsewhere = make(CU_STREAM_NON_BLOCKING);
  Gate gate;
  ASSERT_EQ(gate.hold(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
  std::thread([&] {
    ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
    EXPECT_EQ(fill(data, 8, 1, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(synchronize(nullptr), CUDA_SUCCESS);  // not held: another thread's stream
  }).join();
  EXPECT_EQ(cu().stream_query(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_EQ(synchronize(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(elsewhere), CUDA_SUCCESS);
}

TEST_F(Streams, WaitingForAnEventOrdersStreams) {
  const CUstream first = make(CU_STREAM_NON_BLOCKING),
                 second = make(CU_STREAM_NON_BLOCKING);
  CUevent event = nullptr;
  ASSERT_EQ(cu().event_create(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  const CUdeviceptr data = alloc(4), copy = alloc(4);
  Gate gate;
  ASSERT_EQ(gate.hold(first), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(data, 9, 1, first), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(event, first), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_query(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu().stream_wait_event(second, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_dtod_async(copy, data, 4, second), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_destroy(event), CUDA_SUCCESS);  // its wait stays
  EXPECT_EQ(cu().stream_query(second), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_EQ(cu().stream_synchronize(second), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(copy, 1), std::vector<uint32_t>{9});
}

TEST_F(Streams, EventsMeasureTimeAndKnowTheirState) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  CUevent start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_EQ(cu().event_create(&start, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu().event_create(&end, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu().event_create(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(cu().event_query(start),
            CUDA_SUCCESS);  // never recorded: nothing to wait for
  EXPECT_EQ(cu().event_synchronize(start), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_elapsed_time(&milliseconds, start, end),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().event_record(start, stream), CUDA_SUCCESS);
  Gate gate;
  ASSERT_EQ(gate.hold(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_record(end, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_elapsed_time(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open();
  EXPECT_EQ(cu().event_synchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_elapsed_time(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 10.0f);
  EXPECT_EQ(cu().event_record(untimed, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_elapsed_time(&milliseconds, start, untimed),
            CUDA_ERROR_INVALID_HANDLE);
  for (CUevent event : {start, end, untimed}) {
    EXPECT_EQ(cu().event_destroy(event), CUDA_SUCCESS);
    EXPECT_EQ(cu().event_destroy(event), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cu().event_record(event, stream), CUDA_ERROR_INVALID_HANDLE);
  }
}

TEST_F(Streams, HostRunsAheadUpToABoundedQueue) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  const CUdeviceptr data = upload(std::vector<uint32_t>(1));
  static std::atomic<int> queued;
  queued = 0;
  Gate gate;
  ASSERT_EQ(gate.hold(stream), CUDA_SUCCESS);
  std::thread host([&] {
    ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(launch("add_one", 1, 1, stream, data, 1u), CUDA_SUCCESS);
      ++queued;
    }
  });
  while (queued < 100) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(queued, 2048);
  gate.open();
  host.join();
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data, 1), std::vector<uint32_t>{3000});
}

TEST_F(Streams, CallbacksMayNotCallTheDriver) {
  struct Seen {
    CUresult result = CUDA_SUCCESS, status = CUDA_ERROR_UNKNOWN;
    CUstream stream = nullptr;
  } seen;
  const CUstream stream = make(CU_STREAM_DEFAULT);
  EXPECT_EQ(call(
                stream,
                [](void* user) {
                  CUdeviceptr pointer = 0;
                  static_cast<Seen*>(user)->result = cu().mem_alloc(&pointer, 16);
                },
                &seen),
            CUDA_SUCCESS);
  using AddCallback = CUresult(CUstream, CUstreamCallback, void*, unsigned int);
  EXPECT_EQ(cu().find<AddCallback>("cuStreamAddCallback")(
                stream,
                [](CUstream which, CUresult status, void* user) {
                  static_cast<Seen*>(user)->stream = which;
                  static_cast<Seen*>(user)->status = status;
                },
                &seen, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(seen.result, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(seen.status, CUDA_SUCCESS);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(call(stream, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, DestroyedStreamFinishesItsWork) {
  CUstream stream = nullptr;
  ASSERT_EQ(cu().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const CUdeviceptr data = alloc(4);
  {
    Gate gate;
    ASSERT_EQ(gate.hold(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().memset_d32_async(data, 4, 1, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().stream_query(stream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cu().stream_destroy(stream), CUDA_ERROR_INVALID_HANDLE);
  }
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data, 1), std::vector<uint32_t>{4});
  EXPECT_EQ(cu().stream_destroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace libcuda
