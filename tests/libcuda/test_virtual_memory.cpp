// Tests virtual memory: ranges, memory behind them, and who may use it.
#include <cstring>
#include <vector>

#include "cuda_abi/memory_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

constexpr size_t kUnit = size_t{2} << 20;
constexpr size_t kWords = kUnit / 4;

class VirtualMemory : public DriverTest {
 protected:
  using Handle = CUmemGenericAllocationHandle;
  template <class Signature>
  static Signature* get(const char* name) {
    return cu().find<Signature>(name);
  }

  CUresult (*const reserve_)(CUdeviceptr*, size_t, size_t, CUdeviceptr,
                             unsigned long long) =
      get<CUresult(CUdeviceptr*, size_t, size_t, CUdeviceptr, unsigned long long)>(
          "cuMemAddressReserve");
  CUresult (*const free_)(CUdeviceptr, size_t) =
      get<CUresult(CUdeviceptr, size_t)>("cuMemAddressFree");
  CUresult (*const create_)(Handle*, size_t, const CUmemAllocationProp*,
                            unsigned long long) =
      get<CUresult(Handle*, size_t, const CUmemAllocationProp*, unsigned long long)>(
          "cuMemCreate");
  CUresult (*const release_)(Handle) = get<CUresult(Handle)>("cuMemRelease");
  CUresult (*const map_)(CUdeviceptr, size_t, size_t, Handle, unsigned long long) =
      get<CUresult(CUdeviceptr, size_t, size_t, Handle, unsigned long long)>(
          "cuMemMap");
  CUresult (*const unmap_)(CUdeviceptr,
                           size_t) = get<CUresult(CUdeviceptr, size_t)>("cuMemUnmap");
  CUresult (*const set_access_)(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) =
      get<CUresult(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t)>(
          "cuMemSetAccess");
  CUresult (*const get_access_)(unsigned long long*, const CUmemLocation*,
                                CUdeviceptr) =
      get<CUresult(unsigned long long*, const CUmemLocation*, CUdeviceptr)>(
          "cuMemGetAccess");
  CUresult (*const retain_)(Handle*, void*) =
      get<CUresult(Handle*, void*)>("cuMemRetainAllocationHandle");
  CUresult (*const granularity_)(size_t*, const CUmemAllocationProp*, int) =
      get<CUresult(size_t*, const CUmemAllocationProp*, int)>(
          "cuMemGetAllocationGranularity");
  CUresult (*const properties_)(CUmemAllocationProp*, Handle) =
      get<CUresult(CUmemAllocationProp*, Handle)>(
          "cuMemGetAllocationPropertiesFromHandle");

  static CUmemAllocationProp wanted() {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return properties;
  }
  CUdeviceptr reserve(size_t units) {
    CUdeviceptr range = 0;
    EXPECT_EQ(reserve_(&range, units * kUnit, 0, 0, 0), CUDA_SUCCESS);
    return range;
  }
  Handle create(size_t units = 1) {
    Handle handle = 0;
    const CUmemAllocationProp properties = wanted();
    EXPECT_EQ(create_(&handle, units * kUnit, &properties, 0), CUDA_SUCCESS);
    return handle;
  }
  CUresult allow(CUdeviceptr pointer, size_t units,
                 int flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    return set_access_(pointer, units * kUnit, &access, 1);
  }
  void add_one(CUdeviceptr data, uint32_t n, CUresult result = CUDA_SUCCESS) {
    EXPECT_EQ(launch("add_one", (n + 255) / 256, 256, nullptr, data, n), CUDA_SUCCESS);
    EXPECT_EQ(cu().ctx_synchronize(), result);
  }
  void expect_fault(CUdeviceptr data, MtFindingKind kind) {
    add_one(data, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    const auto findings = take_findings();
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, kind) << findings[0].detail;
    EXPECT_EQ(findings[0].address, data);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  }
  size_t free_bytes() {
    size_t free = 0, total = 0;
    EXPECT_EQ(cu().mem_get_info(&free, &total), CUDA_SUCCESS);
    return free;
  }
};

TEST_F(VirtualMemory, MappedMemoryIsUsedLikeAnyOther) {
  size_t granularity = 0;
  const CUmemAllocationProp properties = wanted();
  ASSERT_EQ(granularity_(&granularity, &properties, 0), CUDA_SUCCESS);
  ASSERT_EQ(granularity, kUnit);
  module();  // its variables take memory, too
  const size_t before = free_bytes();
  const CUdeviceptr range = reserve(4);
  EXPECT_EQ(range % kUnit, 0u);
  EXPECT_EQ(free_bytes(), before);  // addresses cost nothing
  const Handle handle = create();
  EXPECT_EQ(free_bytes(), before - kUnit);
  ASSERT_EQ(map_(range, kUnit, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(range, 1), CUDA_SUCCESS);
  const std::vector<uint32_t> ones(kWords, 1);
  ASSERT_EQ(cu().memcpy_htod(range, ones.data(), kUnit), CUDA_SUCCESS);
  add_one(range, kWords);
  EXPECT_EQ(download<uint32_t>(range, kWords), std::vector<uint32_t>(kWords, 2));
  EXPECT_TRUE(take_findings().empty());
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before - kUnit);  // it is still mapped
  EXPECT_EQ(unmap_(range, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(free_(range, 4 * kUnit), CUDA_SUCCESS);
}

// A vector that grows: arrays lie across what was mapped piece by piece.
TEST_F(VirtualMemory, NeighboursAreOneArray) {
  const CUdeviceptr range = reserve(3);
  for (size_t i = 0; i < 3; ++i) {
    const Handle handle = create();
    ASSERT_EQ(map_(range + i * kUnit, kUnit, 0, handle, 0), CUDA_SUCCESS);
    ASSERT_EQ(allow(range + i * kUnit, 1), CUDA_SUCCESS);
    ASSERT_EQ(release_(handle), CUDA_SUCCESS);
  }
  const std::vector<uint32_t> ones(3 * kWords, 1);
  ASSERT_EQ(cu().memcpy_htod(range, ones.data(), 3 * kUnit), CUDA_SUCCESS);
  add_one(range, 3 * kWords);
  EXPECT_EQ(download<uint32_t>(range, 3 * kWords),
            std::vector<uint32_t>(3 * kWords, 2));
  CUdeviceptr base = 0;
  size_t size = 0;
  EXPECT_EQ((get<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)>(
                "cuMemGetAddressRange_v2")(&base, &size, range + kUnit + 4)),
            CUDA_SUCCESS);
  EXPECT_EQ(base, range);
  EXPECT_EQ(size, 3 * kUnit);
  EXPECT_EQ(unmap_(range + kUnit, kUnit), CUDA_SUCCESS);
  add_one(range, kWords);
  add_one(range + 2 * kUnit, kWords);
  expect_fault(range + kUnit, MtFinding_OobGlobal);
  EXPECT_EQ(cu().memcpy_htod(range, ones.data(), 3 * kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unmap_(range, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(unmap_(range + 2 * kUnit, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(free_(range, 3 * kUnit), CUDA_SUCCESS);
}

// The bytes and what is known of them are one, whatever the address.
TEST_F(VirtualMemory, OneMemoryIsSeenAtTwoAddresses) {
  const CUdeviceptr range = reserve(4);
  const Handle handle = create(2);
  ASSERT_EQ(map_(range, 2 * kUnit, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(map_(range + 2 * kUnit, 2 * kUnit, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(range, 4), CUDA_SUCCESS);
  const CUdeviceptr alias = range + 2 * kUnit;
  const std::vector<uint32_t> values(64, 5);
  ASSERT_EQ(cu().memcpy_htod(range + 512, values.data(), 256), CUDA_SUCCESS);
  add_one(alias + 512, 64);
  EXPECT_TRUE(take_findings().empty());  // written at the other address
  EXPECT_EQ(download<uint32_t>(range + 512, 64), std::vector<uint32_t>(64, 6));
  add_one(alias + 1024, 1);
  const auto findings = take_findings();  // nobody wrote this
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UninitGlobal);
  // It keeps both when it goes and comes back elsewhere.
  ASSERT_EQ(unmap_(range, 4 * kUnit), CUDA_SUCCESS);
  ASSERT_EQ(map_(range + kUnit, 2 * kUnit, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(range + kUnit, 2), CUDA_SUCCESS);
  add_one(range + kUnit + 512, 64);
  EXPECT_TRUE(take_findings().empty());
  EXPECT_EQ(download<uint32_t>(range + kUnit + 512, 64), std::vector<uint32_t>(64, 7));
  EXPECT_EQ(unmap_(range + kUnit, 2 * kUnit), CUDA_SUCCESS);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_(range, 4 * kUnit), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, WithoutAccessEveryUseIsFound) {
  const CUdeviceptr range = reserve(2);
  const CUdeviceptr near = alloc(256);  // so that messages have a neighbour to name
  expect_fault(range, MtFinding_OobGlobal);
  const Handle handle = create();
  ASSERT_EQ(map_(range, kUnit, 0, handle, 0), CUDA_SUCCESS);
  expect_fault(range, MtFinding_OobGlobal);
  uint32_t word = 3;
  EXPECT_EQ(cu().memcpy_htod(range, &word, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(allow(range, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu().memcpy_htod(range, &word, 4), CUDA_SUCCESS);
  ASSERT_EQ(allow(range, 1, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(range, 1), std::vector<uint32_t>{3});
  expect_fault(range, MtFinding_ReadonlyWrite);
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  unsigned long long flags = 9;
  EXPECT_EQ(get_access_(&flags, &device, range + 5), CUDA_SUCCESS);
  EXPECT_EQ(flags, 1u);
  ASSERT_EQ(allow(range, 1, CU_MEM_ACCESS_FLAGS_PROT_NONE), CUDA_SUCCESS);
  EXPECT_EQ(get_access_(&flags, &device, range), CUDA_SUCCESS);
  EXPECT_EQ(flags, 0u);
  expect_fault(range, MtFinding_OobGlobal);
  EXPECT_EQ(unmap_(range, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_(range, 2 * kUnit), CUDA_SUCCESS);
  expect_fault(range, MtFinding_OobGlobal);
  EXPECT_EQ(cu().mem_free(near), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, HandlesAreCounted) {
  const size_t before = free_bytes();
  const CUdeviceptr range = reserve(1);
  const Handle handle = create();
  CUmemAllocationProp properties{};
  EXPECT_EQ(properties_(&properties, handle), CUDA_SUCCESS);
  EXPECT_EQ(properties.type, CU_MEM_ALLOCATION_TYPE_PINNED);
  ASSERT_EQ(map_(range, kUnit, 0, handle, 0), CUDA_SUCCESS);
  Handle again = 0;
  EXPECT_EQ(retain_(&again, reinterpret_cast<void*>(range + 77)), CUDA_SUCCESS);
  EXPECT_EQ(again, handle);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(release_(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range, kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  // Mapped, it can be had again.
  EXPECT_EQ(retain_(&again, reinterpret_cast<void*>(range)), CUDA_SUCCESS);
  EXPECT_EQ(unmap_(range, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(retain_(&again, reinterpret_cast<void*>(range)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_bytes(), before - kUnit);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(free_(range, kUnit), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, BadRangesAreRefused) {
  const CUdeviceptr range = reserve(4);
  CUdeviceptr other = 0;
  EXPECT_EQ(reserve_(nullptr, kUnit, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_(&other, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_(&other, kUnit + 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_(&other, kUnit, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_(&other, kUnit, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_(&other, size_t{1} << 62, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(reserve_(&other, ~size_t{0} / kUnit * kUnit, 0, 0, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(reserve_(&other, kUnit, size_t{1} << 62, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(reserve_(&other, kUnit, size_t{64} << 20, range, 0), CUDA_SUCCESS);
  EXPECT_EQ(other % (size_t{64} << 20), 0u);
  EXPECT_EQ(free_(other, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(free_(other, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_(range, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_(range + kUnit, 3 * kUnit), CUDA_ERROR_INVALID_VALUE);
  const Handle handle = create(2);
  EXPECT_EQ(map_(range, kUnit / 2, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range + 512, kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range, 3 * kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range, kUnit, kUnit, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range, kUnit, 0, handle, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range, kUnit, 0, 12345, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range + 3 * kUnit, 2 * kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(range - kUnit, kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(0, kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(~size_t{0} / kUnit * kUnit, kUnit, 0, handle, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_(alloc(kUnit), kUnit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(map_(range + kUnit, 2 * kUnit, 0, handle, 0), CUDA_SUCCESS);
  for (const size_t at : {0, 1, 2}) {  // each would lie over it
    EXPECT_EQ(map_(range + at * kUnit, 2 * kUnit, 0, handle, 0),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(unmap_(range + kUnit, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unmap_(range, 3 * kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unmap_(range + kUnit, 3 * kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unmap_(range + 2 * kUnit, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_(range, 4 * kUnit), CUDA_ERROR_INVALID_VALUE);  // something is there
  EXPECT_NE(last_message().find("cuMemUnmap"), std::string::npos);
  EXPECT_EQ(cu().mem_free(range + kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unmap_(range + kUnit, 2 * kUnit), CUDA_SUCCESS);
  EXPECT_EQ(unmap_(range + kUnit, 2 * kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_(range, 4 * kUnit), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, BadPropertiesAndAccessAreRefused) {
  Handle handle = 0;
  CUmemAllocationProp properties = wanted();
  EXPECT_EQ(create_(nullptr, kUnit, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(&handle, kUnit, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(&handle, kUnit, &properties, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(&handle, 0, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(&handle, 4096, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create_(&handle, size_t{1} << 60, &properties, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  properties.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  EXPECT_EQ(create_(&handle, kUnit, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  properties = wanted();
  properties.location = {CU_MEM_LOCATION_TYPE_HOST, 0};
  EXPECT_EQ(create_(&handle, kUnit, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  EXPECT_EQ(create_(&handle, kUnit, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
  properties = wanted();
  properties.requestedHandleTypes = 8;
  EXPECT_EQ(create_(&handle, kUnit, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
  size_t granularity = 0;
  properties = wanted();
  EXPECT_EQ(granularity_(nullptr, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(granularity_(&granularity, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(granularity_(&granularity, &properties, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(properties_(nullptr, create()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(properties_(&properties, 99), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(release_(0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(retain_(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(retain_(&handle, nullptr), CUDA_ERROR_INVALID_VALUE);
  const CUdeviceptr range = reserve(2);
  handle = create();
  EXPECT_EQ(allow(range, 1), CUDA_ERROR_INVALID_VALUE);  // nothing is mapped
  ASSERT_EQ(map_(range, kUnit, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(allow(range, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(range, 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_access_(range, kUnit, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 1}, 3};
  EXPECT_EQ(set_access_(range, kUnit, &access, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(set_access_(range, kUnit, &access, 0), CUDA_ERROR_INVALID_VALUE);
  unsigned long long flags = 0;
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  EXPECT_EQ(get_access_(nullptr, &device, range), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_access_(&flags, nullptr, range), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_access_(&flags, &device, range + kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unmap_(range, kUnit), CUDA_SUCCESS);
  EXPECT_EQ(release_(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_(range, 2 * kUnit), CUDA_SUCCESS);
}

}  // namespace
}  // namespace libcuda
