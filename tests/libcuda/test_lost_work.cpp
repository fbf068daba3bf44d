// Tests that no stream's wait succeeds in silence when its work was dropped because of
// a fault in another.
#include "fixture.h"

namespace libcuda {
namespace {

class LostWork : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    for (CUstream* stream : {&bad_, &good_, &third_}) {
      ASSERT_EQ(cu().stream_create(stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    }
    ASSERT_EQ(cu().event_create(&event_, 0), CUDA_SUCCESS);
    data_ = upload(std::vector<uint32_t>(8, 0));
  }
  void TearDown() override {
    cu().event_destroy(event_);
    for (CUstream stream : {bad_, good_, third_}) cu().stream_destroy(stream);
    DriverTest::TearDown();
  }
  /// A kernel fails in one stream while another holds work that is still to run; the
  /// fault is told and its finding taken.
  void fail_while_others_wait() {
    const CUdeviceptr small = alloc(4);
    Gate gate;
    EXPECT_EQ(gate.hold(good_), CUDA_SUCCESS);
    EXPECT_EQ(launch("add_one", 1, 32, good_, data_, 8u), CUDA_SUCCESS);
    EXPECT_EQ(cu().event_record(event_, good_), CUDA_SUCCESS);
    EXPECT_EQ(cu().stream_wait_event(third_, event_, 0), CUDA_SUCCESS);
    EXPECT_EQ(launch("unguarded", 1, 32, bad_, small), CUDA_SUCCESS);
    EXPECT_EQ(cu().stream_synchronize(bad_), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(take_findings().size(), 1u);
  }

  CUstream bad_ = nullptr, good_ = nullptr, third_ = nullptr;
  CUevent event_ = nullptr;
  CUdeviceptr data_ = 0;
};

TEST_F(LostWork, IsToldToEachStreamThatLostSome) {
  fail_while_others_wait();
  EXPECT_EQ(cu().stream_synchronize(third_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().stream_synchronize(good_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(download<uint32_t>(data_, 1), std::vector<uint32_t>{0});
  for (CUstream stream : {bad_, good_, third_}) {  // once each
    EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  }
  EXPECT_EQ(launch("add_one", 1, 32, good_, data_, 8u), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(good_), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data_, 1), std::vector<uint32_t>{1});
}

TEST_F(LostWork, IsToldToWaitsForEventsBehindIt) {
  fail_while_others_wait();
  EXPECT_EQ(cu().event_synchronize(event_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().event_synchronize(event_), CUDA_SUCCESS);
}

TEST_F(LostWork, IsToldOnceToAWaitForEverything) {
  fail_while_others_wait();
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(good_), CUDA_SUCCESS);
}

TEST_F(LostWork, EventsBeforeItAreWhatTheyWere) {
  EXPECT_EQ(cu().event_record(event_, good_), CUDA_SUCCESS);
  CUevent before = event_;
  EXPECT_EQ(cu().event_synchronize(before), CUDA_SUCCESS);
  ASSERT_EQ(cu().event_create(&event_, 0), CUDA_SUCCESS);
  fail_while_others_wait();
  EXPECT_EQ(cu().event_synchronize(before), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(good_), CUDA_ERROR_ILLEGAL_ADDRESS);
  cu().event_destroy(before);
}

TEST_F(LostWork, ACancelIsNoLoss) {
  EXPECT_EQ(cu().set_option(&MtLaunchOptions::budget, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch("count", 1, 32, good_, alloc(8), uint64_t{1} << 60), CUDA_SUCCESS);
  EXPECT_EQ(launch("add_one", 1, 32, good_, data_, 8u), CUDA_SUCCESS);
  EXPECT_EQ(cu().inspect_cancel(), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(good_), CUDA_SUCCESS);
  EXPECT_EQ(cu().set_option(&MtLaunchOptions::budget, uint64_t{1} << 30), CUDA_SUCCESS);
}

}  // namespace
}  // namespace libcuda
