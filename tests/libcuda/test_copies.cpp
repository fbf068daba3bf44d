// Tests allocation, copies, fills and what is said about pointers.
#include <cstring>
#include <numeric>
#include <random>

#include "cuda_abi/memory_types.h"
#include "fixture.h"

namespace libcuda {
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

class Batches : public DriverTest {
 protected:
  using Batch = CUresult(CUdeviceptr*, CUdeviceptr*, size_t*, size_t,
                         CUmemcpyAttributes*, size_t*, size_t, CUstream);
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(cu().stream_create(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cu().stream_destroy(stream_), CUDA_SUCCESS);
    DriverTest::TearDown();
  }
  Batch* const batch_ = cu().find<Batch>("cuMemcpyBatchAsync_v2");
  CUstream stream_ = nullptr;
};

TEST_F(Batches, CopyInEveryDirection) {
  const CUdeviceptr first = upload(std::vector<uint32_t>(16, 3)), second = alloc(64);
  std::vector<uint32_t> in(16, 5), out(16, 0);
  CUdeviceptr to[] = {second, reinterpret_cast<CUdeviceptr>(out.data()), first};
  CUdeviceptr from[] = {first, first, reinterpret_cast<CUdeviceptr>(in.data())};
  size_t sizes[] = {64, 64, 32}, starts[] = {0, 2};
  CUmemcpyAttributes kinds[2] = {};
  kinds[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  kinds[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  ASSERT_EQ(batch_(to, from, sizes, 3, kinds, starts, 2, stream_), CUDA_SUCCESS)
      << last_message();
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(second, 16), std::vector<uint32_t>(16, 3));
  EXPECT_EQ(out, std::vector<uint32_t>(16, 3));
  std::vector<uint32_t> expected(16, 3);
  std::fill_n(expected.begin(), 8, 5u);
  EXPECT_EQ(download<uint32_t>(first, 16), expected);
  size_t failed = 7;
  using Old = CUresult(CUdeviceptr*, CUdeviceptr*, size_t*, size_t, CUmemcpyAttributes*,
                       size_t*, size_t, size_t*, CUstream);
  EXPECT_EQ(cu().find<Old>("cuMemcpyBatchAsync")(to, from, sizes, 3, kinds, starts, 2,
                                                 &failed, stream_),
            CUDA_SUCCESS);
  EXPECT_EQ(failed, SIZE_MAX);
  using One = CUresult(CUdeviceptr, CUdeviceptr, size_t, CUmemcpyAttributes*, CUstream);
  auto* one = cu().find<One>("cuMemcpyWithAttributesAsync");
  EXPECT_EQ(one(second, from[2], 64, &kinds[1], stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(second, 16), in);
  EXPECT_EQ(one(second, first, 64, nullptr, stream_), CUDA_ERROR_INVALID_VALUE);
}

// A source that is read during the call may change behind it, pinned or not.
TEST_F(Batches, SourcesAreReadWhenTheyShallBe) {
  void* pinned = nullptr;
  ASSERT_EQ((cu().find<CUresult(void**, size_t, unsigned int)>("cuMemHostAlloc")(
                &pinned, 64, 0)),
            CUDA_SUCCESS);
  for (const int order : {CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
                          CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL}) {
    const CUdeviceptr data = alloc(64);
    std::fill_n(static_cast<uint32_t*>(pinned), 16, 1u);
    CUdeviceptr to[] = {data}, from[] = {reinterpret_cast<CUdeviceptr>(pinned)};
    size_t sizes[] = {64}, starts[] = {0};
    CUmemcpyAttributes kind{};
    kind.srcAccessOrder = order;
    Gate gate;
    ASSERT_EQ(gate.hold(stream_), CUDA_SUCCESS);
    ASSERT_EQ(batch_(to, from, sizes, 1, &kind, starts, 1, stream_), CUDA_SUCCESS);
    std::fill_n(static_cast<uint32_t*>(pinned), 16, 2u);
    gate.open();
    EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
    const uint32_t expected = order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ? 2 : 1;
    EXPECT_EQ(download<uint32_t>(data, 16), std::vector<uint32_t>(16, expected));
  }
}

TEST_F(Batches, OneBadCopyAndNoneIsDone) {
  const CUdeviceptr from_data = upload(std::vector<uint32_t>(16, 3));
  const CUdeviceptr to_data = upload(std::vector<uint32_t>(16, 8));
  CUdeviceptr to[] = {to_data, to_data}, from[] = {from_data, from_data};
  size_t sizes[] = {64, 64}, starts[] = {0, 1};
  CUmemcpyAttributes kinds[2] = {};
  kinds[0].srcAccessOrder = kinds[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  const auto run = [&](size_t count = 2, size_t attributes = 1) {
    return batch_(to, from, sizes, count, kinds, starts, attributes, stream_);
  };
  sizes[1] = 1 << 20;
  EXPECT_EQ(run(), CUDA_ERROR_INVALID_VALUE);
  sizes[1] = 64;
  to[1] = 0;
  EXPECT_EQ(run(), CUDA_ERROR_INVALID_VALUE);
  to[1] = to_data;
  kinds[1].srcAccessOrder = 0;
  EXPECT_EQ(run(2, 2), CUDA_ERROR_INVALID_VALUE);
  kinds[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  starts[1] = 2;
  EXPECT_EQ(run(2, 2), CUDA_ERROR_INVALID_VALUE);
  starts[1] = 0;
  EXPECT_EQ(run(2, 2), CUDA_ERROR_INVALID_VALUE);
  starts[0] = 1;
  EXPECT_EQ(run(), CUDA_ERROR_INVALID_VALUE);
  starts[0] = 0;
  EXPECT_EQ(run(2, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(run(2, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(run(0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch_(nullptr, from, sizes, 2, kinds, starts, 1, stream_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch_(to, nullptr, sizes, 2, kinds, starts, 1, stream_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch_(to, from, nullptr, 2, kinds, starts, 1, stream_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch_(to, from, sizes, 2, nullptr, starts, 1, stream_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch_(to, from, sizes, 2, kinds, nullptr, 1, stream_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch_(to, from, sizes, 2, kinds, starts, 1, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(to_data, 16), std::vector<uint32_t>(16, 8));
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
}  // namespace libcuda
