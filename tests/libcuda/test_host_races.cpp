// Tests which copies of the host race with work of streams: every way of ordering them
// is silent, the same without it is found, whenever the operations ran.
#include <thread>

#include "cuda_abi/work_types.h"
#include "operation_race_fixture.h"

namespace libcuda {
namespace {

class HostRaces : public OperationRaceTest {};

TEST_F(HostRaces, ACopyThatNothingOrdersIsToldWithBothSides) {
  ASSERT_EQ(gate_.hold(one_), CUDA_SUCCESS);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::tag, 7), CUDA_SUCCESS);
  add_one(one_);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::tag, 0), CUDA_SUCCESS);
  std::vector<uint32_t> values(16);
  ASSERT_EQ(cu().memcpy_dtoh(values.data(), data_ + 64, 64), CUDA_SUCCESS);
  gate_.open();
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  const MtFinding& finding = findings[0];
  EXPECT_EQ(finding.kind, MtFinding_RaceHost);
  EXPECT_EQ(finding.severity, 2);
  EXPECT_EQ(finding.stopped, 0);
  EXPECT_STREQ(finding.kernel, "add_one");
  EXPECT_EQ(finding.launch_tag, 7u);
  EXPECT_EQ(finding.space, MtSpace_Global);
  EXPECT_EQ(finding.access, MtAccess_Write);
  EXPECT_EQ(finding.address, data_ + 64);
  EXPECT_EQ(finding.size, 64u);
  EXPECT_EQ(finding.allocation_base, data_);
  EXPECT_EQ(finding.allocation_offset, 64);
  EXPECT_STREQ(finding.allocation_label, "data");
  EXPECT_EQ(finding.count, 1u);
  const std::string detail = minitorch::findings::detail_text(finding);
  EXPECT_NE(detail.find("(non-blocking)"), std::string::npos) << detail;
  EXPECT_NE(detail.find("a copy to the host, in the default stream, which reads"),
            std::string::npos)
      << detail;
  // The process goes on, and what is right now is silent.
  add_one(one_);
  ASSERT_EQ(cu().stream_synchronize(one_), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data_, kWords), std::vector<uint32_t>(kWords, 7));
  expect_silence();
}

TEST_F(HostRaces, TheOrderOfExecutionDoesNotMatter) {
  // The kernel is over before the copy begins, and yet nothing says so.
  add_one(one_);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  copy_out();
  expect_one(MtFinding_RaceHost);
}

TEST_F(HostRaces, EveryCopyOfTheHostIsFound) {
  const std::vector<uint32_t> values(kWords);
  uint32_t word = 0;
  add_one(one_);
  EXPECT_EQ(cu().memcpy_htod(data_, values.data(), kBytes), CUDA_SUCCESS);
  expect_one(MtFinding_RaceHost);
  add_one(one_);
  EXPECT_EQ(cu().memcpy_htod_async(data_, values.data(), kBytes, other_), CUDA_SUCCESS);
  expect_one(MtFinding_RaceHost);
  add_one(one_);
  EXPECT_EQ(cu().memcpy_dtoh_async(&word, data_ + 8, 4, other_), CUDA_SUCCESS);
  expect_one(MtFinding_RaceHost);
  add_one(one_);
  EXPECT_EQ(call("cuMemsetD8_v2", data_, static_cast<unsigned char>(0), kBytes),
            CUDA_SUCCESS);
  expect_one(MtFinding_RaceHost);
  // The host writes first, and a kernel of another stream does not wait for it.
  EXPECT_EQ(cu().memcpy_htod_async(data_, values.data(), kBytes, other_), CUDA_SUCCESS);
  add_one(one_);
  expect_one(MtFinding_RaceHost);
}

TEST_F(HostRaces, RowsOfAShapedCopyAreExact) {
  // Two words of each row of four; the kernel uses the first row only.
  std::vector<uint32_t> host(kWords);
  CUDA_MEMCPY2D wanted{};
  wanted.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  wanted.srcDevice = data_;
  wanted.srcPitch = 16;
  wanted.dstMemoryType = CU_MEMORYTYPE_HOST;
  wanted.dstHost = host.data();
  wanted.dstPitch = 16;
  wanted.WidthInBytes = 8;
  wanted.Height = 4;
  const CUDA_MEMCPY2D* pointer = &wanted;
  add_one(one_, data_ + 8, 2);  // the other half of row 0
  EXPECT_EQ(call("cuMemcpy2D_v2", pointer), CUDA_SUCCESS);
  expect_silence();
  add_one(one_, data_ + 20, 1);  // the second word of row 1
  EXPECT_EQ(call("cuMemcpy2D_v2", pointer), CUDA_SUCCESS);
  gate_.open();
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].address, data_ + 20);
  EXPECT_EQ(findings[0].size, 4u);
}

TEST_F(HostRaces, WaitingOrdersACopy) {
  add_one(one_);
  ASSERT_EQ(cu().stream_synchronize(one_), CUDA_SUCCESS);
  copy_out();
  add_one(one_);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  copy_out();
  add_one(one_);
  record(one_);
  ASSERT_EQ(cu().event_synchronize(event_), CUDA_SUCCESS);
  copy_out();
  add_one(one_);
  while (cu().stream_query(one_) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
  copy_out();
  add_one(one_);
  record(one_);
  while (cu().event_query(event_) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
  copy_out();
  expect_silence();
}

TEST_F(HostRaces, WaitingForAnotherStreamOrAnEarlierEventOrdersNothing) {
  record(one_);
  add_one(one_);
  ASSERT_EQ(cu().event_synchronize(event_), CUDA_SUCCESS);
  copy_out();
  expect_one(MtFinding_RaceHost);
  add_one(one_);
  ASSERT_EQ(cu().stream_synchronize(other_), CUDA_SUCCESS);
  copy_out();
  expect_one(MtFinding_RaceHost);
}

TEST_F(HostRaces, TheDefaultStreamIsOrderedWithBlockingStreamsOnly) {
  add_one(blocking_);
  copy_out();
  add_one(blocking_);
  add_one(nullptr);
  add_one(blocking_);
  ASSERT_EQ(cu().stream_synchronize(nullptr), CUDA_SUCCESS);
  copy_out();
  expect_silence();
  add_one(nullptr);
  add_one(one_);
  expect_one(MtFinding_RaceStream);
}

TEST_F(HostRaces, FreeingWaitsAndSoOrders) {
  const CUdeviceptr spare = alloc(64);
  add_one(one_);
  ASSERT_EQ(cu().mem_free(spare), CUDA_SUCCESS);
  copy_out();
  expect_silence();
}

TEST_F(HostRaces, AFunctionOfTheHostMayTellIt) {
  add_one(one_);
  const auto nothing = [](void*) {};
  ASSERT_EQ(call("cuLaunchHostFunc", one_, static_cast<CUhostFn>(nothing),
                 static_cast<void*>(nullptr)),
            CUDA_SUCCESS);
  copy_out();
  expect_silence();
  // What comes after the function is not known to the host.
  ASSERT_EQ(call("cuLaunchHostFunc", one_, static_cast<CUhostFn>(nothing),
                 static_cast<void*>(nullptr)),
            CUDA_SUCCESS);
  add_one(one_);
  copy_out();
  expect_one(MtFinding_RaceHost);
}

}  // namespace
}  // namespace libcuda
