// Tests allocation in stream order and the pools it comes from.
#include <cstdint>
#include <vector>

#include "cuda_abi/memory_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

class Pools : public DriverTest {
 protected:
  using Alloc = CUresult(CUdeviceptr*, size_t, CUstream);
  using AllocFrom = CUresult(CUdeviceptr*, size_t, CUmemoryPool, CUstream);
  using Free = CUresult(CUdeviceptr, CUstream);
  using Create = CUresult(CUmemoryPool*, const CUmemPoolProps*);
  using Attribute = CUresult(CUmemoryPool, CUmemPool_attribute, void*);
  using Get = CUresult(CUmemoryPool*, CUdevice);
  using Set = CUresult(CUdevice, CUmemoryPool);

  Alloc* const alloc_async = cu().find<Alloc>("cuMemAllocAsync");
  AllocFrom* const alloc_from = cu().find<AllocFrom>("cuMemAllocFromPoolAsync");
  Free* const free_async = cu().find<Free>("cuMemFreeAsync");
  Create* const create = cu().find<Create>("cuMemPoolCreate");
  CUresult (*const destroy)(CUmemoryPool) =
      cu().find<CUresult(CUmemoryPool)>("cuMemPoolDestroy");
  Attribute* const get_attribute = cu().find<Attribute>("cuMemPoolGetAttribute");
  Attribute* const set_attribute = cu().find<Attribute>("cuMemPoolSetAttribute");

  static CUmemPoolProps properties(size_t most = 0) {
    CUmemPoolProps wanted{};
    wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    wanted.maxSize = most;
    return wanted;
  }
  CUmemoryPool pool(size_t most = 0) {
    CUmemoryPool made = nullptr;
    const CUmemPoolProps wanted = properties(most);
    EXPECT_EQ(create(&made, &wanted), CUDA_SUCCESS);
    return made;
  }
  uint64_t number(CUmemoryPool which, CUmemPool_attribute attribute) {
    uint64_t value = ~uint64_t{0};
    EXPECT_EQ(get_attribute(which, attribute, &value), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Pools, MemoryIsUsableAtOnceAndFreedInItsTurn) {
  CUdeviceptr pointer = 0;
  ASSERT_EQ(alloc_async(&pointer, 1000, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(pointer % 256, 0u);
  const CUmemoryPool mine = pool();
  CUdeviceptr other = 0;
  ASSERT_EQ(alloc_from(&other, 4096, mine, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 4096u);
  Gate gate;
  gate.hold(nullptr);
  const uint32_t n = 8;
  EXPECT_EQ(cu().memset_d32_async(other, 5, 8, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(launch("add_one", 1, 32, nullptr, other, n), CUDA_SUCCESS);
  std::vector<uint32_t> seen(8);
  EXPECT_EQ(free_async(pointer, nullptr), CUDA_SUCCESS);
  gate.open();
  EXPECT_EQ(cu().memcpy_dtoh(seen.data(), other, 32), CUDA_SUCCESS);
  EXPECT_EQ(seen, std::vector<uint32_t>(8, 6));
  EXPECT_EQ(free_async(other, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 4096u);
  uint64_t none = 0;
  EXPECT_EQ(set_attribute(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none), CUDA_SUCCESS);
  EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0u);
  EXPECT_EQ(destroy(mine), CUDA_SUCCESS);
}

TEST_F(Pools, AUseAfterTheFreeOfTheStreamIsFound) {
  CUdeviceptr pointer = 0;
  ASSERT_EQ(alloc_async(&pointer, 4096, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(free_async(pointer, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(launch("unguarded", 1, 32, nullptr, pointer), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UseAfterFree);
}

TEST_F(Pools, EitherFreeTakesMemoryOfEitherKind) {
  CUdeviceptr pooled = 0;
  const CUdeviceptr plain = alloc(64);
  ASSERT_EQ(alloc_async(&pooled, 64, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(free_async(plain, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(pooled), CUDA_SUCCESS);
  EXPECT_EQ(free_async(plain, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_async(pooled, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_async(0, nullptr), CUDA_SUCCESS);
}

TEST_F(Pools, ALimitIsKept) {
  const CUmemoryPool small = pool(1 << 20);
  CUdeviceptr first = 0, second = 0;
  EXPECT_EQ(alloc_from(&first, 3 << 18, small, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(alloc_from(&second, 1 << 19, small, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(free_async(first, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(alloc_from(&second, 1 << 19, small, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(second), CUDA_SUCCESS);
  EXPECT_EQ(destroy(small), CUDA_SUCCESS);
}

TEST_F(Pools, WaitsForMemoryThatAStreamStillHasToFree) {
  size_t free_bytes = 0, total = 0;
  ASSERT_EQ(cu().mem_get_info(&free_bytes, &total), CUDA_SUCCESS);
  const size_t most = free_bytes / 4 * 3;
  for (int i = 0; i < 4; ++i) {
    CUdeviceptr pointer = 0;
    ASSERT_EQ(alloc_async(&pointer, most, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(free_async(pointer, nullptr), CUDA_SUCCESS);
  }
}

TEST_F(Pools, TheDevicesPoolCanBeChosen) {
  auto* get_default = cu().find<Get>("cuDeviceGetDefaultMemPool");
  auto* get = cu().find<Get>("cuDeviceGetMemPool");
  auto* set = cu().find<Set>("cuDeviceSetMemPool");
  CUmemoryPool first = nullptr, current = nullptr;
  ASSERT_EQ(get_default(&first, 0), CUDA_SUCCESS);
  ASSERT_EQ(get(&current, 0), CUDA_SUCCESS);
  EXPECT_EQ(current, first);
  const CUmemoryPool mine = pool();
  EXPECT_EQ(set(0, mine), CUDA_SUCCESS);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(alloc_async(&pointer, 512, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 512u);
  EXPECT_EQ(destroy(mine), CUDA_SUCCESS);
  EXPECT_EQ(get(&current, 0), CUDA_SUCCESS);
  EXPECT_EQ(current, first);
  EXPECT_EQ(destroy(mine), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(destroy(first), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(0, mine), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&current, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(free_async(pointer, nullptr), CUDA_SUCCESS);
}

// Pools of memory that the host reaches: pinned and managed.
TEST_F(Pools, GiveOutMemoryOfTheHostAsWell) {
  struct Case {
    CUmemAllocationType type;
    CUmemLocation place;
    unsigned int memory_type, managed;
  };
  using ByPlace = CUresult(CUmemoryPool*, CUmemLocation*, CUmemAllocationType);
  using SetByPlace = CUresult(CUmemLocation*, CUmemAllocationType, CUmemoryPool);
  for (const Case& wanted : {Case{CU_MEM_ALLOCATION_TYPE_PINNED,
                                  {CU_MEM_LOCATION_TYPE_HOST, 0},
                                  CU_MEMORYTYPE_HOST,
                                  0},
                             Case{CU_MEM_ALLOCATION_TYPE_MANAGED,
                                  {CU_MEM_LOCATION_TYPE_INVALID, 0},
                                  CU_MEMORYTYPE_DEVICE,
                                  1}}) {
    CUmemPoolProps props = properties();
    props.allocType = wanted.type;
    props.location = wanted.place;
    CUmemoryPool mine = nullptr, standing = nullptr, current = nullptr;
    ASSERT_EQ(create(&mine, &props), CUDA_SUCCESS);
    CUdeviceptr data = 0;
    ASSERT_EQ(alloc_from(&data, 256, mine, nullptr), CUDA_SUCCESS);
    std::fill_n(reinterpret_cast<uint32_t*>(data), 64, 4u);  // the host reaches it
    EXPECT_EQ(launch("add_one", 1, 64, nullptr, data, 64u), CUDA_SUCCESS);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    EXPECT_EQ(*reinterpret_cast<uint32_t*>(data), 5u);
    EXPECT_TRUE(take_findings().empty());
    unsigned int memory_type = 9, is_managed = 9;
    auto* attribute =
        cu().find<CUresult(void*, int, CUdeviceptr)>("cuPointerGetAttribute");
    EXPECT_EQ(attribute(&memory_type, 2, data), CUDA_SUCCESS);
    EXPECT_EQ(attribute(&is_managed, 8, data), CUDA_SUCCESS);
    EXPECT_EQ(memory_type, wanted.memory_type);
    EXPECT_EQ(is_managed, wanted.managed);
    EXPECT_EQ(free_async(data, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
    CUmemLocation place = wanted.place;
    auto* get_default = cu().find<ByPlace>("cuMemGetDefaultMemPool");
    auto* get_current = cu().find<ByPlace>("cuMemGetMemPool");
    auto* set_current = cu().find<SetByPlace>("cuMemSetMemPool");
    EXPECT_EQ(get_default(&standing, &place, wanted.type), CUDA_SUCCESS);
    EXPECT_EQ(set_current(&place, wanted.type, mine), CUDA_SUCCESS);
    EXPECT_EQ(get_current(&current, &place, wanted.type), CUDA_SUCCESS);
    EXPECT_EQ(current, mine);
    EXPECT_EQ(set_current(&place, wanted.type, pool()), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(destroy(standing), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(destroy(mine), CUDA_SUCCESS);
    EXPECT_EQ(get_current(&current, &place, wanted.type), CUDA_SUCCESS);
    EXPECT_EQ(current, standing);
    EXPECT_EQ(get_current(nullptr, &place, wanted.type), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get_current(&current, nullptr, wanted.type), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get_current(&current, &place, static_cast<CUmemAllocationType>(9)),
              CUDA_ERROR_INVALID_VALUE);
  }
  CUmemPoolProps open = properties();
  open.location = {CU_MEM_LOCATION_TYPE_INVALID, 0};
  CUmemoryPool made = nullptr;
  EXPECT_EQ(create(&made, &open), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pools, AttributesAndAccess) {
  const CUmemoryPool mine = pool();
  uint64_t threshold = 12345;
  EXPECT_EQ(set_attribute(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
            CUDA_SUCCESS);
  EXPECT_EQ(number(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 12345u);
  int reuse = 0;
  const auto follow = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
  EXPECT_EQ(set_attribute(mine, follow, &reuse), CUDA_SUCCESS);
  reuse = 7;
  EXPECT_EQ(get_attribute(mine, follow, &reuse), CUDA_SUCCESS);
  EXPECT_EQ(reuse, 0);
  uint64_t one = 1;
  for (int wrong : {0, 99, static_cast<int>(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)}) {
    EXPECT_EQ(set_attribute(mine, static_cast<CUmemPool_attribute>(wrong), &one),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(set_attribute(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_attribute(mine, follow, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_attribute(nullptr, follow, &reuse), CUDA_ERROR_INVALID_VALUE);
  using GetAccess = CUresult(int*, CUmemoryPool, CUmemLocation*);
  using SetAccess = CUresult(CUmemoryPool, const CUmemAccessDesc*, size_t);
  CUmemLocation place{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  int flags = 0;
  EXPECT_EQ(cu().find<GetAccess>("cuMemPoolGetAccess")(&flags, mine, &place),
            CUDA_SUCCESS);
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CUmemAccessDesc access{place, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  auto* set_access = cu().find<SetAccess>("cuMemPoolSetAccess");
  EXPECT_EQ(set_access(mine, &access, 1), CUDA_SUCCESS);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  EXPECT_EQ(set_access(mine, &access, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().find<CUresult(CUmemoryPool, size_t)>("cuMemPoolTrimTo")(mine, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(destroy(mine), CUDA_SUCCESS);
}

TEST_F(Pools, WrongArgumentsAreRefused) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(alloc_async(nullptr, 16, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(alloc_async(&pointer, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(alloc_async(&pointer, size_t{1} << 60, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  const auto no_stream = reinterpret_cast<CUstream>(0x9990);
  EXPECT_EQ(alloc_async(&pointer, 16, no_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(alloc_from(&pointer, 16, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_async(pointer + 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUmemoryPool made = nullptr;
  CUmemPoolProps wanted = properties();
  EXPECT_EQ(create(nullptr, &wanted), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(&made, nullptr), CUDA_ERROR_INVALID_VALUE);
  wanted.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
  EXPECT_EQ(create(&made, &wanted), CUDA_ERROR_INVALID_VALUE);
  wanted = properties();
  wanted.handleTypes = 1;
  EXPECT_EQ(create(&made, &wanted), CUDA_ERROR_NOT_SUPPORTED);
  wanted = properties();
  wanted.location.id = 3;
  EXPECT_EQ(create(&made, &wanted), CUDA_ERROR_INVALID_DEVICE);
}

}  // namespace
}  // namespace libcuda
