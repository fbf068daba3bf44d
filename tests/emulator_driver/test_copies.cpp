// Tests allocation, copies, fills and what is said about pointers.
#include <cstring>
#include <numeric>
#include <random>

#include "fixture.h"

namespace emulator_driver {
namespace {

using Copies = DriverTest;

std::vector<uint8_t> random_bytes(size_t count) {
  std::mt19937 random(11);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST_F(Copies, RoundTripsOfManySizes) {
  for (size_t bytes : {1, 3, 512, 4097, 1 << 20, (3 << 20) + 1}) {
    const auto data = random_bytes(bytes);
    const CUdeviceptr from = upload(data), to = alloc(bytes);
    EXPECT_EQ(cu().memcpy_dtod(to, from, bytes), CUDA_SUCCESS);
    EXPECT_EQ(download<uint8_t>(to, bytes), data);
    EXPECT_EQ(cu().mem_free(from), CUDA_SUCCESS);
    EXPECT_EQ(cu().mem_free(to), CUDA_SUCCESS);
  }
}

TEST_F(Copies, AsyncSourceMayChangeAtOnce) {
  CUstream stream = nullptr;
  ASSERT_EQ(cu().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  Gate gate;
  ASSERT_EQ(gate.hold(stream), CUDA_SUCCESS);
  std::vector<int> data(1000, 5);
  const CUdeviceptr pointer = alloc(4000);
  EXPECT_EQ(cu().memcpy_htod_async(pointer, data.data(), 4000, stream), CUDA_SUCCESS);
  std::fill(data.begin(), data.end(), 9);
  gate.open();
  EXPECT_EQ(cu().memcpy_dtoh_async(data.data(), pointer, 4000, stream), CUDA_SUCCESS);
  EXPECT_EQ(data, std::vector<int>(1000, 5));  // pageable: done when the call returns
  EXPECT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
}

TEST_F(Copies, PinnedMemoryIsCopiedInTheStreamsTurn) {
  using HostAlloc = CUresult(void**, size_t, unsigned int);
  void* host = nullptr;
  ASSERT_EQ(cu().find<HostAlloc>("cuMemHostAlloc")(&host, 4000, 0), CUDA_SUCCESS);
  auto* values = static_cast<int*>(host);
  std::fill_n(values, 1000, 5);
  CUstream stream = nullptr;
  ASSERT_EQ(cu().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const CUdeviceptr pointer = alloc(4000);
  {
    Gate gate;
    ASSERT_EQ(gate.hold(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().memcpy_htod_async(pointer, host, 4000, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().stream_query(stream), CUDA_ERROR_NOT_READY);
    std::fill_n(values, 1000, 9);  // before the copy: it will see this
  }
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(pointer, 1000), std::vector<int>(1000, 9));
  EXPECT_EQ(cu().find<CUresult(void*)>("cuMemFreeHost")(host), CUDA_SUCCESS);
  EXPECT_EQ(cu().find<CUresult(void*)>("cuMemFreeHost")(host),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copies, FillsWriteWholeElements) {
  const CUdeviceptr pointer = upload(std::vector<uint32_t>(8, 0x01020304));
  using Fill8 = CUresult(CUdeviceptr, unsigned char, size_t);
  using Fill16 = CUresult(CUdeviceptr, unsigned short, size_t);
  using Fill32 = CUresult(CUdeviceptr, unsigned int, size_t);
  EXPECT_EQ(cu().find<Fill32>("cuMemsetD32_v2")(pointer, 0xdeadbeef, 2), CUDA_SUCCESS);
  EXPECT_EQ(cu().find<Fill16>("cuMemsetD16_v2")(pointer + 8, 0x1234, 3), CUDA_SUCCESS);
  EXPECT_EQ(cu().find<Fill8>("cuMemsetD8_v2")(pointer + 17, 0xff, 2), CUDA_SUCCESS);
  const std::vector<uint32_t> expected{0xdeadbeef, 0xdeadbeef, 0x12341234, 0x01021234,
                                       0x01ffff04, 0x01020304, 0x01020304, 0x01020304};
  EXPECT_EQ(download<uint32_t>(pointer, 8), expected);
  EXPECT_EQ(cu().find<Fill32>("cuMemsetD32_v2")(pointer + 2, 0, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().find<Fill32>("cuMemsetD32_v2")(pointer, 0, 9),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memset_d32_async(pointer, 0, ~size_t{0}, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copies, RangesOutsideAnAllocationAreRefused) {
  const CUdeviceptr pointer = alloc(100);
  std::vector<char> host(200);
  EXPECT_EQ(cu().memcpy_htod(pointer, host.data(), 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_message().find("101"), std::string::npos);
  EXPECT_EQ(cu().memcpy_htod(pointer + 50, host.data(), 51), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memcpy_dtoh(host.data(), pointer - 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memcpy_dtoh(host.data(), 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memcpy_dtoh(nullptr, pointer, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memcpy_htod(pointer, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memcpy_htod_async(pointer, host.data(), 101, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().memcpy_htod(pointer, host.data(), 100), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_htod(pointer, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cu().memcpy_htod(pointer, host.data(), 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copies, UnifiedCopiesTakeEachAddressForWhatItIs) {
  using Copy = CUresult(CUdeviceptr, CUdeviceptr, size_t);
  auto* copy = cu().find<Copy>("cuMemcpy");
  std::vector<int> source{1, 2, 3}, target(3);
  const auto address = [](std::vector<int>& v) {
    return reinterpret_cast<CUdeviceptr>(v.data());
  };
  const CUdeviceptr first = alloc(12), second = alloc(12);
  EXPECT_EQ(copy(first, address(source), 12), CUDA_SUCCESS);
  EXPECT_EQ(copy(second, first, 12), CUDA_SUCCESS);
  EXPECT_EQ(copy(address(target), second, 12), CUDA_SUCCESS);
  EXPECT_EQ(target, source);
}

TEST_F(Copies, AllocationsAreRefusedBeyondTheCard) {
  size_t free = 0, total = 0;
  ASSERT_EQ(cu().mem_get_info(&free, &total), CUDA_SUCCESS);
  EXPECT_LE(free, total);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cu().mem_alloc(&pointer, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(last_message().find(std::to_string(total + 1)), std::string::npos);
  EXPECT_EQ(cu().mem_alloc(&pointer, ~size_t{0}), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu().mem_alloc(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_alloc(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(12345), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(0), CUDA_SUCCESS);
  EXPECT_NE(alloc(16), 0u);
}

TEST_F(Copies, PointersAreDescribed) {
  const CUdeviceptr pointer = alloc(1000);
  EXPECT_EQ(pointer % 256, 0u);
  CUdeviceptr base = 0;
  size_t size = 0;
  EXPECT_EQ(cu().mem_get_address_range(&base, &size, pointer + 999), CUDA_SUCCESS);
  EXPECT_EQ(base, pointer);
  EXPECT_EQ(size, 1000u);
  EXPECT_EQ(cu().mem_get_address_range(&base, &size, pointer + 1000),
            CUDA_ERROR_INVALID_VALUE);
  using Attribute = CUresult(void*, CUpointer_attribute, CUdeviceptr);
  auto* attribute = cu().find<Attribute>("cuPointerGetAttribute");
  unsigned int type = 0;
  EXPECT_EQ(attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer + 5),
            CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  CUdeviceptr device = 0;
  EXPECT_EQ(attribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, pointer + 5),
            CUDA_SUCCESS);
  EXPECT_EQ(device, pointer + 5);
  EXPECT_EQ(attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 4096),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_get_address_range(&base, &size, pointer),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace emulator_driver
