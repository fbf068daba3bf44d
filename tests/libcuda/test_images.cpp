// Tests what may be loaded besides plain text: fat binaries as NVIDIA's tools make
// them.
#include <dlfcn.h>

#include <cstring>

#include "fatbins.h"
#include "fixture.h"

namespace libcuda {
namespace {

class Images : public DriverTest {
 protected:
  CUresult load(const void* image) {
    return cu().module_load_data_ex(&loaded_, image, 0, nullptr, nullptr);
  }
  /// What the kernel `one` of the loaded module writes.
  int run_one() {
    CUfunction function = nullptr;
    EXPECT_EQ(cu().module_get_function(&function, loaded_, "one"), CUDA_SUCCESS);
    CUdeviceptr out = alloc(4);
    void* parameters[] = {&out};
    EXPECT_EQ(
        cu().launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
        CUDA_SUCCESS);
    const int value = download<int>(out, 1)[0];
    EXPECT_EQ(cu().mem_free(out), CUDA_SUCCESS);
    EXPECT_EQ(cu().module_unload(loaded_), CUDA_SUCCESS);
    return value;
  }
  CUmodule loaded_ = nullptr;
};

TEST_F(Images, FatBinariesGiveTheirPtx) {
  ASSERT_EQ(load(kPlainFatbin), CUDA_SUCCESS) << last_message();
  EXPECT_EQ(run_one(), 7);
  ASSERT_EQ(load(kLz4Fatbin), CUDA_SUCCESS) << last_message();
  EXPECT_EQ(run_one(), 7);
}

TEST_F(Images, ZstandardNeedsTheSystemsLibrary) {
  const bool there = dlopen("libzstd.so.1", RTLD_NOW) != nullptr;
  const CUresult result = load(kZstdFatbin);
  if (there) {
    ASSERT_EQ(result, CUDA_SUCCESS) << last_message();
    EXPECT_EQ(run_one(), 7);
  } else {
    EXPECT_EQ(result, CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_NE(last_message().find("--compress-mode=none"), std::string::npos);
  }
}

TEST_F(Images, TheCompilersWrapperPointsToAFatBinary) {
  const struct {
    unsigned int magic = 0x466243b1, version = 1;
    const void* data = kPlainFatbin;
    const void* unused = nullptr;
  } wrapper;
  ASSERT_EQ(load(&wrapper), CUDA_SUCCESS) << last_message();
  EXPECT_EQ(run_one(), 7);
}

TEST_F(Images, AFatBinaryWithoutFittingPtxIsRefused) {
  alignas(8) unsigned char image[sizeof kPlainFatbin];
  std::memcpy(image, kPlainFatbin, sizeof image);
  image[0x10] = 2;  // the entry's kind: machine code
  EXPECT_EQ(load(image), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(last_message().find("machine code for sm_75"), std::string::npos)
      << last_message();
  image[0x10] = 1;
  image[0x10 + 0x1c] = 90;  // its architecture
  EXPECT_EQ(load(image), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(last_message().find("PTX for sm_90"), std::string::npos);
}

TEST_F(Images, DamageIsFoundWhereverItIs) {
  // Every byte of the three headers and payloads, changed in turn: an error or the
  // right text, never a crash.
  const auto damage = [&](const unsigned char* image, size_t bytes) {
    for (size_t at = 0; at < bytes; ++at) {
      std::vector<unsigned char> copy(image, image + bytes);
      copy[at] ^= 0xff;
      copy.resize(bytes + 64);
      if (load(copy.data()) == CUDA_SUCCESS) cu().module_unload(loaded_);
    }
  };
  damage(kPlainFatbin, sizeof kPlainFatbin);
  damage(kLz4Fatbin, sizeof kLz4Fatbin);
  damage(kZstdFatbin, sizeof kZstdFatbin);
  ASSERT_EQ(load(kPlainFatbin), CUDA_SUCCESS);
  EXPECT_EQ(run_one(), 7);
}

}  // namespace
}  // namespace libcuda
