// Tests copies and fills of rows and slices against plain loops over bytes.
#include <cstring>
#include <random>
#include <vector>

#include "cuda_abi/memory_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

class ShapedCopies : public DriverTest {
 protected:
  using Copy2d = CUresult(const CUDA_MEMCPY2D*);
  using Copy2dAsync = CUresult(const CUDA_MEMCPY2D*, CUstream);
  using Copy3d = CUresult(const CUDA_MEMCPY3D*);
  using Copy3dAsync = CUresult(const CUDA_MEMCPY3D*, CUstream);
  using CopyPeer = CUresult(const CUDA_MEMCPY3D_PEER*);

  Copy2d* const copy_2d = cu().find<Copy2d>("cuMemcpy2D_v2");
  Copy3d* const copy_3d = cu().find<Copy3d>("cuMemcpy3D_v2");

  static std::vector<uint8_t> pattern(size_t bytes) {
    std::mt19937 random(5);
    std::vector<uint8_t> values(bytes);
    for (auto& value : values) value = static_cast<uint8_t>(random());
    return values;
  }
  /// From device memory of (rows, pitch 40) to another of pitch 64, at offsets.
  CUDA_MEMCPY2D device_copy(CUdeviceptr from, CUdeviceptr to) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.srcPitch = 40;
    copy.srcXInBytes = 3;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to;
    copy.dstPitch = 64;
    copy.dstXInBytes = 5;
    copy.dstY = 2;
    copy.WidthInBytes = 21;
    copy.Height = 6;
    return copy;
  }
};

TEST_F(ShapedCopies, RowsKeepTheirPitchesAndOffsets) {
  const auto source = pattern(40 * 8);
  const CUdeviceptr from = upload(source), to = alloc(64 * 9);
  cu().memset_d32_async(to, 0, 64 * 9 / 4, nullptr);
  const CUDA_MEMCPY2D copy = device_copy(from, to);
  std::vector<uint8_t> expected(64 * 9);
  for (size_t y = 0; y < 6; ++y) {
    std::memcpy(&expected[(y + 2) * 64 + 5], &source[(y + 1) * 40 + 3], 21);
  }
  for (const char* name : {"cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2"}) {
    cu().memset_d32_async(to, 0, 64 * 9 / 4, nullptr);
    EXPECT_EQ(cu().find<Copy2d>(name)(&copy), CUDA_SUCCESS);
    EXPECT_EQ(download<uint8_t>(to, 64 * 9), expected) << name;
  }
  cu().memset_d32_async(to, 0, 64 * 9 / 4, nullptr);
  EXPECT_EQ(cu().find<Copy2dAsync>("cuMemcpy2DAsync_v2")(&copy, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(download<uint8_t>(to, 64 * 9), expected);
}

TEST_F(ShapedCopies, SlicesGoBetweenHostAndDevice) {
  // (4, 5, 30) bytes of a (6, 7, 48)-byte host box, to the device and back.
  const auto source = pattern(48 * 7 * 6);
  const CUdeviceptr device = alloc(32 * 5 * 4);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source.data();
  copy.srcPitch = 48;
  copy.srcHeight = 7;
  copy.srcXInBytes = 11;
  copy.srcY = 2;
  copy.srcZ = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = 32;
  copy.dstHeight = 5;
  copy.WidthInBytes = 30;
  copy.Height = 5;
  copy.Depth = 4;
  EXPECT_EQ(copy_3d(&copy), CUDA_SUCCESS);
  std::vector<uint8_t> back(30 * 5 * 4), expected(30 * 5 * 4);
  CUDA_MEMCPY3D home{};
  home.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  home.srcDevice = device;
  home.srcPitch = 32;
  home.srcHeight = 5;
  home.dstMemoryType = CU_MEMORYTYPE_HOST;
  home.dstHost = back.data();
  home.dstPitch = 30;
  home.dstHeight = 5;
  home.WidthInBytes = 30;
  home.Height = 5;
  home.Depth = 4;
  EXPECT_EQ(cu().find<Copy3dAsync>("cuMemcpy3DAsync_v2")(&home, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  for (size_t z = 0; z < 4; ++z) {
    for (size_t y = 0; y < 5; ++y) {
      std::memcpy(&expected[(z * 5 + y) * 30], &source[((z + 1) * 7 + y + 2) * 48 + 11],
                  30);
    }
  }
  EXPECT_EQ(back, expected);
}

TEST_F(ShapedCopies, PeersAreContextsOfTheOneDevice) {
  const auto source = pattern(256);
  const CUdeviceptr from = upload(source), to = alloc(256), third = alloc(256);
  using Peer = CUresult(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
  auto* copy_peer = cu().find<Peer>("cuMemcpyPeer");
  EXPECT_EQ(copy_peer(to, context_, from, context_, 256), CUDA_SUCCESS);
  EXPECT_EQ(download<uint8_t>(to, 256), source);
  const auto no_context = reinterpret_cast<CUcontext>(0x9990);
  EXPECT_EQ(copy_peer(to, no_context, from, context_, 256), CUDA_ERROR_INVALID_CONTEXT);
  CUDA_MEMCPY3D_PEER copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = third;
  copy.srcContext = copy.dstContext = context_;
  copy.srcPitch = copy.dstPitch = 16;
  copy.WidthInBytes = 16;
  copy.Height = 16;
  copy.Depth = 1;
  EXPECT_EQ(cu().find<CopyPeer>("cuMemcpy3DPeer")(&copy), CUDA_SUCCESS);
  EXPECT_EQ(download<uint8_t>(third, 256), source);
}

TEST_F(ShapedCopies, WrongShapesAreRefused) {
  const CUdeviceptr from = alloc(40 * 8), to = alloc(64 * 9);
  CUDA_MEMCPY2D copy = device_copy(from, to);
  EXPECT_EQ(copy_2d(nullptr), CUDA_ERROR_INVALID_VALUE);
  copy.srcPitch = 23;  // < 3 + 21
  EXPECT_EQ(copy_2d(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = device_copy(from, to);
  copy.Height = 8;  // one row past the source
  EXPECT_EQ(copy_2d(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = device_copy(from, to);
  copy.Height = ~size_t{0};
  EXPECT_EQ(copy_2d(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = device_copy(from, to);
  copy.dstMemoryType = 9;
  EXPECT_EQ(copy_2d(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(copy_2d(&copy), CUDA_ERROR_NOT_SUPPORTED);
  copy = device_copy(from, to);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;  // with a null dstHost
  copy.dstY = copy.dstXInBytes = 0;
  EXPECT_EQ(copy_2d(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = device_copy(from, to);
  copy.WidthInBytes = 0;
  EXPECT_EQ(copy_2d(&copy), CUDA_SUCCESS);
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = from;
  box.dstDevice = to;
  box.srcPitch = box.dstPitch = 8;
  box.WidthInBytes = 8;
  box.Height = 3;
  box.Depth = 2;
  box.srcHeight = 3;
  box.dstHeight = 2;  // < Height
  EXPECT_EQ(copy_3d(&box), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ShapedCopies, FillsOfRowsLeaveTheGaps) {
  using Fill = CUresult(CUdeviceptr, size_t, unsigned short, size_t, size_t);
  using FillAsync =
      CUresult(CUdeviceptr, size_t, unsigned int, size_t, size_t, CUstream);
  const CUdeviceptr data = upload(std::vector<uint16_t>(8 * 5, 1));
  auto* fill = cu().find<Fill>("cuMemsetD2D16_v2");
  EXPECT_EQ(fill(data + 2, 16, 0xbeef, 3, 5), CUDA_SUCCESS);
  std::vector<uint16_t> expected(8 * 5, 1);
  for (size_t y = 0; y < 5; ++y) {
    for (size_t x = 1; x < 4; ++x) expected[y * 8 + x] = 0xbeef;
  }
  EXPECT_EQ(download<uint16_t>(data, 8 * 5), expected);
  auto* fill_words = cu().find<FillAsync>("cuMemsetD2D32Async");
  EXPECT_EQ(fill_words(data, 16, 0x12345678, 4, 5, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data, 20), std::vector<uint32_t>(20, 0x12345678));
  EXPECT_EQ(fill(data + 1, 16, 0, 3, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(data, 4, 0, 3, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(data, 16, 0, 8, 6), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(data, 16, 0, 8, 0), CUDA_SUCCESS);
}

TEST_F(ShapedCopies, PitchedMemoryHasAlignedRows) {
  using Alloc = CUresult(CUdeviceptr*, size_t*, size_t, size_t, unsigned int);
  auto* alloc_pitch = cu().find<Alloc>("cuMemAllocPitch_v2");
  CUdeviceptr data = 0;
  size_t pitch = 0;
  ASSERT_EQ(alloc_pitch(&data, &pitch, 700, 10, 4), CUDA_SUCCESS);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_EQ(cu().memset_d32_async(data, 0, 1024 * 10 / 4, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(data, 0, 1024 * 10 / 4 + 1, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(data), CUDA_SUCCESS);
  EXPECT_EQ(alloc_pitch(&data, &pitch, 700, 10, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(alloc_pitch(&data, &pitch, 0, 10, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(alloc_pitch(&data, &pitch, ~size_t{0} / 2, ~size_t{0} / 2, 4),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(alloc_pitch(&data, nullptr, 700, 10, 4), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace libcuda
