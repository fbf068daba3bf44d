// The fixture of the tests of races between operations: two streams that nothing
// orders, data, and what is found.
#pragma once

#include <vector>

#include "findings/details.h"
#include "fixture.h"

namespace libcuda {

inline constexpr uint32_t kWords = 64;
inline constexpr size_t kBytes = kWords * sizeof(uint32_t);

class OperationRaceTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(cu().set_option(&MtLaunchOptions::checks, MtCheck_All), CUDA_SUCCESS);
    ASSERT_EQ(cu().stream_create(&one_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cu().stream_create(&other_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cu().stream_create(&blocking_, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    ASSERT_EQ(cu().event_create(&event_, 0), CUDA_SUCCESS);
    data_ = upload(std::vector<uint32_t>(kWords, 5));
    ASSERT_EQ(cu().inspect_label_allocation(data_, "data"), CUDA_SUCCESS);
  }
  void TearDown() override {
    gate_.open();
    for (CUstream stream : {one_, other_, blocking_}) cu().stream_destroy(stream);
    cu().event_destroy(event_);
    cu().set_option(&MtLaunchOptions::checks, MtCheck_UninitGlobal);
    cu().set_option(&MtLaunchOptions::tolerated, 0);
    DriverTest::TearDown();
  }

  template <class... Arguments>
  static CUresult call(const char* symbol, Arguments... arguments) {
    auto* function = cu().find<CUresult(Arguments...)>(symbol);
    EXPECT_NE(function, nullptr) << symbol;
    return function(arguments...);
  }
  void add_one(CUstream stream, CUdeviceptr data = 0, uint32_t words = kWords) {
    EXPECT_EQ(launch("add_one", 1, 64, stream, data == 0 ? data_ : data, words),
              CUDA_SUCCESS);
  }
  void copy_out() {
    std::vector<uint32_t> values(kWords);
    EXPECT_EQ(cu().memcpy_dtoh(values.data(), data_, kBytes), CUDA_SUCCESS);
  }
  void record(CUstream stream) {
    EXPECT_EQ(cu().event_record(event_, stream), CUDA_SUCCESS);
  }
  void wait_event(CUstream stream) {
    EXPECT_EQ(cu().stream_wait_event(stream, event_, 0), CUDA_SUCCESS);
  }
  /// Kinds of what is found once all work is done.
  std::vector<int32_t> kinds() {
    gate_.open();
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    std::vector<int32_t> kinds;
    for (const MtFinding& finding : take_findings()) kinds.push_back(finding.kind);
    return kinds;
  }
  void expect_silence() { EXPECT_EQ(kinds(), std::vector<int32_t>{}); }
  void expect_one(MtFindingKind kind) {
    EXPECT_EQ(kinds(), std::vector<int32_t>{kind});
  }

  CUstream one_ = nullptr, other_ = nullptr, blocking_ = nullptr;
  CUevent event_ = nullptr;
  CUdeviceptr data_ = 0;
  Gate gate_;
};

}  // namespace libcuda
