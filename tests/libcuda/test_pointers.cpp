// Tests what the driver says of pointers, and managed and registered memory.
#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "cuda_abi/memory_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

class Pointers : public DriverTest {
 protected:
  using GetAttribute = CUresult(void*, CUpointer_attribute, CUdeviceptr);
  using Managed = CUresult(CUdeviceptr*, size_t, unsigned int);

  template <class T>
  T attribute(int which, CUdeviceptr pointer) {
    T value{};
    EXPECT_EQ(get(&value, static_cast<CUpointer_attribute>(which), pointer),
              CUDA_SUCCESS)
        << which;
    return value;
  }
  CUdeviceptr managed(size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(
        cu().find<Managed>("cuMemAllocManaged")(&pointer, bytes, CU_MEM_ATTACH_GLOBAL),
        CUDA_SUCCESS);
    return pointer;
  }

  GetAttribute* const get = cu().find<GetAttribute>("cuPointerGetAttribute");
};

TEST_F(Pointers, DeviceMemoryIsDescribed) {
  const CUdeviceptr base = alloc(1000);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base + 7),
            CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, base + 7),
            base + 7);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, base + 7),
            base);
  EXPECT_EQ(attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, base + 7), 1000u);
  EXPECT_EQ(attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, base), context_);
  EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, base),
            nullptr);
  EXPECT_EQ(attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, base), 0);
  unsigned value = 0;
  EXPECT_EQ(get(&value, CU_POINTER_ATTRIBUTE_HOST_POINTER, base),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&value, static_cast<CUpointer_attribute>(99), base),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0x1234),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pointers, PooledMemoryNamesItsPool) {
  CUmemoryPool pool = nullptr;
  using GetPool = CUresult(CUmemoryPool*, CUdevice);
  cu().find<GetPool>("cuDeviceGetDefaultMemPool")(&pool, 0);
  CUdeviceptr pointer = 0;
  using Alloc = CUresult(CUdeviceptr*, size_t, CUstream);
  cu().find<Alloc>("cuMemAllocAsync")(&pointer, 64, nullptr);
  EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pointer),
            pool);
  EXPECT_EQ(cu().mem_free(pointer), CUDA_SUCCESS);
}

TEST_F(Pointers, ManagedMemoryIsReachedByBothSides) {
  const CUdeviceptr data = managed(64 * 4);
  auto* host = reinterpret_cast<uint32_t*>(data);
  for (uint32_t i = 0; i < 64; ++i) host[i] = i;
  const uint32_t n = 64;
  EXPECT_EQ(launch("add_one", 2, 32, nullptr, data, n), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(host[i], i + 1);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, data), 1u);
  EXPECT_EQ(attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data),
            CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(attribute<void*>(CU_POINTER_ATTRIBUTE_HOST_POINTER, data), host);
  EXPECT_EQ(cu().mem_free(data), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(data), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pointers, AdviceAndPrefetchesAreChecked) {
  const CUdeviceptr data = managed(4096), plain = alloc(4096);
  using Advise = CUresult(CUdeviceptr, size_t, int, CUmemLocation);
  using Prefetch = CUresult(CUdeviceptr, size_t, CUmemLocation, unsigned int, CUstream);
  using OldPrefetch = CUresult(CUdeviceptr, size_t, CUdevice, CUstream);
  auto* advise = cu().find<Advise>("cuMemAdvise_v2");
  auto* prefetch = cu().find<Prefetch>("cuMemPrefetchAsync_v2");
  auto* old_prefetch = cu().find<OldPrefetch>("cuMemPrefetchAsync");
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  EXPECT_EQ(advise(data, 4096, 1, device), CUDA_SUCCESS);
  EXPECT_EQ(advise(data, 4096, 0, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(advise(data, 4097, 1, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(advise(plain, 4096, 1, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(prefetch(data, 4096, device, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(prefetch(data, 4096, device, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(prefetch(data, 4096, {CU_MEM_LOCATION_TYPE_DEVICE, 4}, 0, nullptr),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(old_prefetch(data, 4096, -1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(old_prefetch(plain, 4096, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(data), CUDA_SUCCESS);
}

TEST_F(Pointers, AdviceAndPrefetchesCanBeReadBack) {
  const CUdeviceptr data = managed(8192), plain = alloc(4096);
  using Advise = CUresult(CUdeviceptr, size_t, int, CUmemLocation);
  using Prefetch = CUresult(CUdeviceptr, size_t, CUdevice, CUstream);
  using Get = CUresult(void*, size_t, CUmem_range_attribute, CUdeviceptr, size_t);
  using GetAll =
      CUresult(void**, size_t*, CUmem_range_attribute*, size_t, CUdeviceptr, size_t);
  auto* advise = cu().find<Advise>("cuMemAdvise_v2");
  auto* prefetch = cu().find<Prefetch>("cuMemPrefetchAsync");
  auto* get = cu().find<Get>("cuMemRangeGetAttribute");
  auto* get_all = cu().find<GetAll>("cuMemRangeGetAttributes");
  const auto value = [&](CUmem_range_attribute attribute, size_t from, size_t bytes) {
    int number = 99;
    EXPECT_EQ(get(&number, 4, attribute, data + from, bytes), CUDA_SUCCESS);
    return number;
  };
  const auto mostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  const auto preferred = CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
  const auto prefetched = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
  EXPECT_EQ(value(mostly, 0, 8192), 0);
  EXPECT_EQ(value(preferred, 0, 8192), -2);
  EXPECT_EQ(value(prefetched, 0, 8192), -2);
  EXPECT_EQ(value(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, 0, 8192), 0);
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  const CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, 0};
  ASSERT_EQ(advise(data, 8192, 1, device), CUDA_SUCCESS);
  ASSERT_EQ(advise(data, 4096, 3, device), CUDA_SUCCESS);
  ASSERT_EQ(advise(data + 4096, 4096, 3, host), CUDA_SUCCESS);
  ASSERT_EQ(advise(data, 8192, 5, device), CUDA_SUCCESS);
  ASSERT_EQ(prefetch(data, 4096, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(value(mostly, 0, 8192), 1);
  EXPECT_EQ(value(preferred, 0, 4096), 0);
  EXPECT_EQ(value(preferred, 4096, 4096), -1);
  EXPECT_EQ(value(preferred, 0, 8192), -2);  // not the same in all of it
  EXPECT_EQ(value(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, 5000, 8), 2);
  EXPECT_EQ(value(prefetched, 1000, 96), 0);
  EXPECT_EQ(value(prefetched, 4096, 1), -2);
  ASSERT_EQ(advise(data + 100, 50, 2, device), CUDA_SUCCESS);
  EXPECT_EQ(value(mostly, 0, 8192), 0);
  EXPECT_EQ(value(mostly, 0, 100), 1);
  EXPECT_EQ(value(mostly, 150, 4000), 1);
  int users[3] = {9, 9, 9}, number = 0;
  EXPECT_EQ(get(users, 12, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, data, 8192),
            CUDA_SUCCESS);
  EXPECT_EQ((std::vector<int>(users, users + 3)), (std::vector<int>{0, -2, -2}));
  void* places[] = {&number, users};
  size_t sizes[] = {4, 4};
  CUmem_range_attribute both[] = {preferred, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
  EXPECT_EQ(get_all(places, sizes, both, 2, data, 4096), CUDA_SUCCESS);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(users[0], 0);
  EXPECT_EQ(get(nullptr, 4, mostly, data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&number, 8, mostly, data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&number, 0, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, data, 8),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&number, 4, mostly, data, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&number, 4, mostly, data, 8193), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&number, 4, mostly, plain, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&number, 4, static_cast<CUmem_range_attribute>(77), data, 8),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_all(nullptr, sizes, both, 2, data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_all(places, nullptr, both, 2, data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_all(places, sizes, nullptr, 2, data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_all(places, sizes, both, 0, data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(data), CUDA_SUCCESS);
  // Nothing of it is known of memory that comes to lie there later.
  for (int i = 0; i < 600; ++i) {
    const CUdeviceptr next = managed(8192);
    int fresh = 9;
    EXPECT_EQ(get(&fresh, 4, mostly, next, 8192), CUDA_SUCCESS);
    EXPECT_EQ(fresh, 0);
    ASSERT_EQ(advise(next, 8192, 1, device), CUDA_SUCCESS);
    EXPECT_EQ(cu().mem_free(next), CUDA_SUCCESS);
  }
}

class Registered : public DriverTest {
 protected:
  CUdeviceptr map(void* host, size_t bytes) {
    constexpr unsigned int kDeviceMap = 2;
    EXPECT_EQ(cu().find<CUresult(void*, size_t, unsigned int)>("cuMemHostRegister_v2")(
                  host, bytes, kDeviceMap),
              CUDA_SUCCESS);
    CUdeviceptr device = 0;
    EXPECT_EQ(device_pointer(host, &device), CUDA_SUCCESS) << last_message();
    return device;
  }
  static CUresult device_pointer(void* host, CUdeviceptr* device) {
    return cu().find<CUresult(CUdeviceptr*, void*, unsigned int)>(
        "cuMemHostGetDevicePointer_v2")(device, host, 0);
  }
  static CUresult unregister(void* host) {
    return cu().find<CUresult(void*)>("cuMemHostUnregister")(host);
  }
};

TEST_F(Registered, KernelsReachMappedMemoryAndTheHostSeesWhatTheyWrite) {
  std::vector<uint32_t> values(100, 5);
  const CUdeviceptr device = map(values.data(), 400);
  ASSERT_EQ(launch("add_one", 2, 64, nullptr, device, 100u), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(values, std::vector<uint32_t>(100, 6));
  // What the host writes between two launches counts, also beside what they write.
  values[3] = 40;
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, device, 50u), CUDA_SUCCESS);
  values[70] = 90;
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(values[3], 41u);
  EXPECT_EQ(values[49], 7u);
  EXPECT_EQ(values[50], 6u);
  EXPECT_EQ(values[70], 90u);
  // Copies and fills reach it by either address; a pointer into it has its own.
  CUdeviceptr middle = 0;
  ASSERT_EQ(device_pointer(&values[10], &middle), CUDA_SUCCESS);
  EXPECT_EQ(middle, device + 40);
  ASSERT_EQ(cu().memset_d32_async(middle, 1, 2, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(values[9], 7u);
  EXPECT_EQ(values[10], 1u);
  EXPECT_EQ(values[11], 1u);
  EXPECT_EQ(values[12], 7u);
  values[0] = 77;
  EXPECT_EQ(download<uint32_t>(device, 1), std::vector<uint32_t>{77});
  EXPECT_EQ(unregister(values.data()), CUDA_SUCCESS);
}

TEST_F(Registered, ItsBoundsAreThoseThatWereRegistered) {
  std::vector<uint32_t> values(128, 5);
  const CUdeviceptr device = map(values.data(), 400);
  ASSERT_EQ(launch("add_one", 2, 64, nullptr, device, 101u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_OobGlobal);
  EXPECT_EQ(findings[0].allocation_size, 400u);
  EXPECT_EQ(findings[0].allocation_offset, 400);
  EXPECT_EQ(values[100], 5u);
  EXPECT_EQ(unregister(values.data()), CUDA_SUCCESS);
  // No longer a kernel's to use.
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, device, 1u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(take_findings().size(), 1u);
  CUdeviceptr gone = 0;
  EXPECT_EQ(device_pointer(values.data(), &gone), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Registered, MemoryThatIsGoneHarmsNobody) {
  constexpr size_t kBytes = 1 << 16;
  void* const range =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(range, MAP_FAILED);
  const CUdeviceptr device = map(range, kBytes);
  ASSERT_EQ(munmap(range, kBytes), 0);
  ASSERT_EQ(launch("add_one", 1, 64, nullptr, device, 64u), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(unregister(range), CUDA_SUCCESS);
}

TEST_F(Pointers, RegisteredRangesDoNotOverlap) {
  using Register = CUresult(void*, size_t, unsigned int);
  auto* add = cu().find<Register>("cuMemHostRegister_v2");
  auto* remove = cu().find<CUresult(void*)>("cuMemHostUnregister");
  std::vector<char> memory(4096);
  EXPECT_EQ(add(memory.data() + 1000, 1000, 0), CUDA_SUCCESS);
  for (size_t start : {500, 1000, 1500, 1999}) {
    EXPECT_EQ(add(memory.data() + start, 600, 0),
              CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        << start;
  }
  EXPECT_EQ(add(memory.data() + 2000, 600, 0), CUDA_SUCCESS);
  EXPECT_EQ(add(memory.data() + 3000, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(memory.data() + 3000, 8, 0x10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(nullptr, 8, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(remove(memory.data() + 1000), CUDA_SUCCESS);
  EXPECT_EQ(remove(memory.data() + 2000), CUDA_SUCCESS);
  EXPECT_EQ(remove(memory.data() + 2000), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

}  // namespace
}  // namespace libcuda
