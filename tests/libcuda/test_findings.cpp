// Tests faults and the inspection functions: what is told, when, and what goes on
// after.
#include <cstring>

#include "fixture.h"

namespace libcuda {
namespace {

class Findings : public DriverTest {
 protected:
  void fault() {
    const CUdeviceptr data = alloc(4096);
    ASSERT_EQ(launch("unguarded", 33, 32, nullptr, data), CUDA_SUCCESS);
  }
};

TEST_F(Findings, OutOfBoundsIsTakenWithItsFields) {
  const CUdeviceptr data = alloc(4096);
  ASSERT_EQ(cu().inspect_label_allocation(data + 100, "data"), CUDA_SUCCESS);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::tag, 77), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 40, 32, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  uint32_t count = 0;
  EXPECT_EQ(cu().inspect_finding_count(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  const MtFinding& finding = findings[0];
  EXPECT_EQ(finding.kind, MtFinding_OobGlobal);
  EXPECT_EQ(finding.stopped, 1);
  EXPECT_EQ(finding.launch_tag, 77u);
  EXPECT_STREQ(finding.kernel, "unguarded");
  EXPECT_EQ(finding.site.block[0], 32u);  // the lowest block that leaves the array
  EXPECT_EQ(finding.site.thread[0], 0u);
  EXPECT_EQ(finding.access, MtAccess_Write);
  EXPECT_EQ(finding.address, data + 4096);
  EXPECT_EQ(finding.size, 4u);
  EXPECT_EQ(finding.allocation_base, data);
  EXPECT_EQ(finding.allocation_size, 4096u);
  EXPECT_STREQ(finding.allocation_label, "data");
  EXPECT_EQ(finding.parameter_index, 0);
  EXPECT_EQ(cu().set_option(&MtLaunchOptions::tag, 0), CUDA_SUCCESS);
}

TEST_F(Findings, PlainClientsSeeTheFaultInEveryCallAfterASync) {
  const CUdeviceptr other = upload(std::vector<uint32_t>(64));
  fault();
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().stream_query(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launch("add_one", 1, 64, nullptr, other, 64u), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr pointer = 0;
  uint32_t value = 0;
  EXPECT_EQ(cu().mem_alloc(&pointer, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().memcpy_dtoh(&value, other, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(take_findings().size(), 1u);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(launch("add_one", 1, 64, nullptr, other, 64u), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(other, 64), std::vector<uint32_t>(64, 1));
}

TEST_F(Findings, WorkQueuedBehindAFaultIsDropped) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(64, 5));
  const CUdeviceptr small = alloc(128);
  Gate gate;
  ASSERT_EQ(gate.hold(nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 2, 32, nullptr, small), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, data, 64u), CUDA_SUCCESS);
  ASSERT_EQ(cu().memset_d32_async(data, 0, 64, nullptr), CUDA_SUCCESS);
  CUevent event = nullptr;
  ASSERT_EQ(cu().event_create(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu().event_record(event, nullptr), CUDA_SUCCESS);
  gate.open();
  EXPECT_EQ(cu().event_synchronize(event), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(take_findings().size(), 1u);
  EXPECT_EQ(download<uint32_t>(data, 64), std::vector<uint32_t>(64, 5));
  EXPECT_EQ(cu().event_destroy(event), CUDA_SUCCESS);
}

TEST_F(Findings, UninitialisedReadsDoNotFailCallsAndObeyTheChecks) {
  const CUdeviceptr data = alloc(256);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::checks, MtCheck_UninitGlobal),
            CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, data, 64u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UninitGlobal);
  EXPECT_EQ(findings[0].stopped, 0);
  const CUdeviceptr silent = alloc(256);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::checks, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, silent, 64u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(take_findings().empty());
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::checks, MtCheck_UninitGlobal),
            CUDA_SUCCESS);
}

TEST_F(Findings, CopiesAndFillsCarryTheInitialisedBits) {
  const CUdeviceptr half = alloc(256), copy = alloc(256);
  ASSERT_EQ(cu().memset_d8_async(half, 0, 128, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu().memcpy_dtod_async(copy, half, 256, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 32, nullptr, copy, 32u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(take_findings().empty());
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, copy, 33u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].address, copy + 128);
  ASSERT_EQ(cu().inspect_mark_undefined(copy, 4, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 32, nullptr, copy, 32u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(take_findings().size(), 1u);
}

// What the host writes between two copies is not seen, so that all that it reaches
// counts as written.
TEST_F(Findings, WhatPassesThroughMemoryOfTheHostIsWritten) {
  using HostAlloc = CUresult(void**, size_t, unsigned int);
  using Managed = CUresult(CUdeviceptr*, size_t, unsigned int);
  using Copy = CUresult(CUdeviceptr, CUdeviceptr, size_t, CUstream);
  auto* copy_async = cu().find<Copy>("cuMemcpyAsync");
  void* pinned = nullptr;
  CUdeviceptr managed = 0;
  ASSERT_EQ(cu().find<HostAlloc>("cuMemHostAlloc")(&pinned, 256, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu().find<Managed>("cuMemAllocManaged")(&managed, 256, 1), CUDA_SUCCESS);
  for (const CUdeviceptr host : {reinterpret_cast<CUdeviceptr>(pinned), managed}) {
    const CUdeviceptr fresh = alloc(256), back = alloc(256);
    ASSERT_EQ(copy_async(host, fresh, 256, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    std::fill_n(reinterpret_cast<uint32_t*>(host), 64, 6u);
    ASSERT_EQ(copy_async(back, host, 256, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(launch("add_one", 1, 64, nullptr, back, 64u), CUDA_SUCCESS);
    ASSERT_EQ(launch("add_one", 1, 64, nullptr, host, 64u), CUDA_SUCCESS);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    EXPECT_TRUE(take_findings().empty());
    EXPECT_EQ(download<uint32_t>(back, 64), std::vector<uint32_t>(64, 7));
    // The device's own memory stays what it was, and so does a copy of it.
    const CUdeviceptr copy = alloc(256);
    ASSERT_EQ(copy_async(copy, fresh, 256, nullptr), CUDA_SUCCESS);
    for (const CUdeviceptr never : {fresh, copy}) {
      ASSERT_EQ(launch("add_one", 1, 64, nullptr, never, 64u), CUDA_SUCCESS);
      EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
      const auto findings = take_findings();
      ASSERT_EQ(findings.size(), 1u);
      EXPECT_EQ(findings[0].kind, MtFinding_UninitGlobal);
      EXPECT_EQ(findings[0].address, never);
    }
  }
}

TEST_F(Findings, AllocatorsCallsTakeTheirTurnInTheStream) {
  const CUdeviceptr block = alloc(4096);
  ASSERT_EQ(cu().inspect_set_extent(block, 256, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 2, 32, nullptr, block),
            CUDA_SUCCESS);  // 256 bytes: fits
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  Gate gate;
  ASSERT_EQ(gate.hold(nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 2, 32, nullptr, block), CUDA_SUCCESS);
  ASSERT_EQ(cu().inspect_mark_freed(block, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu().inspect_set_extent(block, 128, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 1, 32, nullptr, block), CUDA_SUCCESS);
  ASSERT_EQ(cu().inspect_mark_freed(block, nullptr), CUDA_SUCCESS);
  gate.open();
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(take_findings().empty());
  ASSERT_EQ(launch("unguarded", 1, 32, nullptr, block), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UseAfterFree);
  uint32_t value = 0;
  EXPECT_EQ(cu().memcpy_dtoh(&value, block, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cu().inspect_set_extent(block, 128, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 2, 32, nullptr, block), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_OobGlobal);
  EXPECT_EQ(findings[0].allocation_size, 128u);
  EXPECT_EQ(cu().inspect_set_extent(block, 4097, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_set_extent(block + 512, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_mark_freed(12345, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Findings, ExtentsAreSetEvenBehindAFault) {
  const CUdeviceptr block = alloc(4096);
  Gate gate;
  ASSERT_EQ(gate.hold(nullptr), CUDA_SUCCESS);
  fault();
  ASSERT_EQ(cu().inspect_set_extent(block, 64, nullptr), CUDA_SUCCESS);
  gate.open();
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  take_findings();
  size_t size = 0;
  EXPECT_EQ(cu().mem_get_address_range(nullptr, &size, block), CUDA_SUCCESS);
  EXPECT_EQ(size, 64u);
}

TEST_F(Findings, FreedMemoryIsNamed) {
  const CUdeviceptr data = alloc(128);
  ASSERT_EQ(cu().mem_free(data), CUDA_SUCCESS);
  ASSERT_EQ(launch("unguarded", 1, 32, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UseAfterFree);
  EXPECT_EQ(findings[0].allocation_base, data);
}

TEST_F(Findings, CancelEndsRunningAndQueuedWork) {
  const CUdeviceptr out = upload(std::vector<uint64_t>(1, 3));
  const CUdeviceptr queued = upload(std::vector<uint32_t>(64, 5));
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::budget, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch("count", 1, 32, nullptr, out, uint64_t{1} << 60), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, queued, 64u), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_query(nullptr), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu().inspect_cancel(), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(take_findings().empty());
  EXPECT_EQ(download<uint32_t>(queued, 64), std::vector<uint32_t>(64, 5));
  // Arrays keep what they hold, as of a GPU's kernel that is stopped: what was written
  // before is no reason for a finding now.
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::budget, uint64_t{1} << 30), CUDA_SUCCESS);
  for (const CUdeviceptr pointer : {out, queued}) {
    ASSERT_EQ(launch("add_one", 1, 64, nullptr, pointer, 2u), CUDA_SUCCESS);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    EXPECT_TRUE(take_findings().empty());
  }
}

TEST_F(Findings, BudgetEndsEndlessKernels) {
  const CUdeviceptr out = alloc(8);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::budget, 100000), CUDA_SUCCESS);
  ASSERT_EQ(launch("count", 1, 32, nullptr, out, uint64_t{1} << 60), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_Timeout);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::budget, uint64_t{1} << 30), CUDA_SUCCESS);
}

TEST_F(Findings, ToleratedKindsAreNotesAndOthersAreRefused) {
  const auto bit = [](MtFindingKind kind) { return uint64_t{1} << kind; };
  const CUdeviceptr fresh = alloc(64 * 4);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::tolerated, bit(MtFinding_UninitGlobal)),
            CUDA_SUCCESS);
  for (const MtFindingKind kind : {MtFinding_OobGlobal, MtFinding_Trap,
                                   MtFinding_Timeout, MtFinding_LaunchConfig}) {
    EXPECT_EQ(cu().set_option(&MtLaunchOptions::tolerated, bit(kind)),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(cu().set_option(&MtLaunchOptions::tolerated, uint64_t{1} << 63),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, fresh, 64u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UninitGlobal);
  EXPECT_EQ(findings[0].severity, 0);
  ASSERT_EQ(cu().set_option(&MtLaunchOptions::tolerated, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, alloc(64 * 4), 64u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, 2);
}

TEST_F(Findings, StatisticsCountLaunchesAndBytes) {
  MtStatistics before{}, after{};
  ASSERT_EQ(cu().inspect_statistics(&before), CUDA_SUCCESS);
  const CUdeviceptr data = upload(std::vector<uint32_t>(512));
  ASSERT_EQ(launch("add_one", 4, 128, nullptr, data, 512u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  ASSERT_EQ(cu().inspect_statistics(&after), CUDA_SUCCESS);
  EXPECT_EQ(after.launches, before.launches + 1);
  EXPECT_EQ(after.blocks, before.blocks + 4);
  EXPECT_GT(after.warp_instructions, before.warp_instructions);
  EXPECT_GE(after.bytes_allocated, before.bytes_allocated + 2048);
  EXPECT_GE(after.bytes_peak, after.bytes_allocated);
  EXPECT_EQ(cu().inspect_statistics(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Findings, StatisticsFollowEveryAllocation) {
  constexpr size_t kMiB = size_t{1} << 20;
  const auto statistics = [] {
    MtStatistics now{};
    EXPECT_EQ(cu().inspect_statistics(&now), CUDA_SUCCESS);
    return now;
  };
  size_t free = 0, total = 0;
  ASSERT_EQ(cu().mem_get_info(&free, &total), CUDA_SUCCESS);
  const MtStatistics before = statistics();
  EXPECT_EQ(before.bytes_total, total);
  EXPECT_EQ(before.bytes_allocated, total - free);
  // More than was ever in use, so that the peak is this test's.
  const size_t bytes =
      (before.bytes_peak - before.bytes_allocated) / kMiB * kMiB + kMiB;
  const CUdeviceptr first = alloc(bytes), second = alloc(3 * kMiB);
  EXPECT_EQ(statistics().bytes_allocated, before.bytes_allocated + bytes + 3 * kMiB);
  EXPECT_EQ(statistics().bytes_peak, statistics().bytes_allocated);
  EXPECT_EQ(cu().mem_free(first), CUDA_SUCCESS);
  EXPECT_EQ(statistics().bytes_allocated, before.bytes_allocated + 3 * kMiB);
  EXPECT_EQ(statistics().bytes_peak, before.bytes_allocated + bytes + 3 * kMiB);
  EXPECT_EQ(cu().mem_free(second), CUDA_SUCCESS);
  EXPECT_EQ(statistics().bytes_allocated, before.bytes_allocated);
}

TEST_F(Findings, VersionAndNullArguments) {
  int version = 0;
  EXPECT_EQ(cu().inspect_version(&version), CUDA_SUCCESS);
  EXPECT_EQ(version / 1000, 4);
  EXPECT_EQ(cu().inspect_version(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_finding_count(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().inspect_label_allocation(alloc(4), nullptr), CUDA_ERROR_INVALID_VALUE);
  uint32_t count = 5;
  EXPECT_EQ(cu().inspect_take_findings(nullptr, 0, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace libcuda
