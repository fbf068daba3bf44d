// Tests what the driver says of pointers, and managed and registered memory.
#include <cstdint>
#include <vector>

#include "cuda_abi/memory_types.h"
#include "fixture.h"

namespace emulator_driver {
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
}  // namespace emulator_driver
