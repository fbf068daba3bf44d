// Tests launches: parameters, results, limits.
#include <cstring>
#include <thread>

#include "fixture.h"

namespace libcuda {
namespace {

using Launches = DriverTest;

TEST_F(Launches, VectorAddAddsEveryElementOnce) {
  const uint32_t n = 1000;
  std::vector<float> a(n), b(n), expected(n);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i) * 0.5f, b[i] = 7.0f - static_cast<float>(i);
    expected[i] = a[i] + b[i];
  }
  const CUdeviceptr first = upload(a), second = upload(b), out = alloc(n * 4);
  ASSERT_EQ(launch("vector_add", 4, 256, nullptr, out, first, second, n), CUDA_SUCCESS);
  EXPECT_EQ(download<float>(out, n), expected);
  EXPECT_TRUE(take_findings().empty());
}

TEST_F(Launches, PackedParametersWorkAsWell) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(64, 41));
  struct {
    CUdeviceptr data;
    uint32_t n;
  } packed{data, 64};
  size_t bytes = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  const CUfunction add_one = kernel("add_one");
  EXPECT_EQ(cu().launch_kernel(add_one, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data, 64), std::vector<uint32_t>(64, 42));
  bytes = 11;
  EXPECT_EQ(cu().launch_kernel(add_one, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_ERROR_INVALID_VALUE);
  void* wrong[] = {reinterpret_cast<void*>(77), nullptr, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cu().launch_kernel(add_one, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, wrong),
            CUDA_ERROR_INVALID_VALUE);
  void* parameters[] = {&packed.data, &packed.n};
  EXPECT_EQ(
      cu().launch_kernel(add_one, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, extra),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, ConfigStructWorksAndUnknownAttributesAreIgnored) {
  const CUdeviceptr data = upload(std::vector<uint32_t>(64, 1));
  uint32_t n = 64;
  void* parameters[] = {const_cast<CUdeviceptr*>(&data), &n};
  CUlaunchAttribute attribute{};
  attribute.id = static_cast<CUlaunchAttributeID>(8);  // priority
  CUlaunchConfig config{2, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
  using Launch = CUresult(const CUlaunchConfig*, CUfunction, void**, void**);
  auto* launch_ex = cu().find<Launch>("cuLaunchKernelEx");
  EXPECT_EQ(launch_ex(&config, kernel("add_one"), parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(data, 64), std::vector<uint32_t>(64, 2));
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  EXPECT_EQ(launch_ex(&config, kernel("add_one"), parameters, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(launch_ex(nullptr, kernel("add_one"), parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

// The functions from before CUDA 4, which some clients still call at every launch.
class OldLaunches : public DriverTest {
 protected:
  CUresult (*set_block)(CUfunction, int, int, int) =
      cu().find<CUresult(CUfunction, int, int, int)>("cuFuncSetBlockShape");
  CUresult (*set_shared)(CUfunction, unsigned int) =
      cu().find<CUresult(CUfunction, unsigned int)>("cuFuncSetSharedSize");
  CUresult (*set_size)(CUfunction, unsigned int) =
      cu().find<CUresult(CUfunction, unsigned int)>("cuParamSetSize");
  CUresult (*set_i)(CUfunction, int, unsigned int) =
      cu().find<CUresult(CUfunction, int, unsigned int)>("cuParamSeti");
  CUresult (*set_f)(CUfunction, int,
                    float) = cu().find<CUresult(CUfunction, int, float)>("cuParamSetf");
  CUresult (*set_v)(CUfunction, int, void*, unsigned int) =
      cu().find<CUresult(CUfunction, int, void*, unsigned int)>("cuParamSetv");
  CUresult (*launch_once)(CUfunction) = cu().find<CUresult(CUfunction)>("cuLaunch");
  CUresult (*launch_grid)(CUfunction, int, int) =
      cu().find<CUresult(CUfunction, int, int)>("cuLaunchGrid");
  CUresult (*launch_async)(CUfunction, int, int, CUstream) =
      cu().find<CUresult(CUfunction, int, int, CUstream)>("cuLaunchGridAsync");
};

TEST_F(OldLaunches, TakeWhatWasSetOneByOne) {
  CUdeviceptr data = upload(std::vector<uint32_t>(64, 41));
  const CUfunction add_one = kernel("add_one");
  EXPECT_EQ(launch_once(add_one), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_message().find("cuFuncSetBlockShape"), std::string::npos);
  EXPECT_EQ(set_block(add_one, 16, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(set_v(add_one, 0, &data, 8), CUDA_SUCCESS);
  EXPECT_EQ(set_i(add_one, 8, 64), CUDA_SUCCESS);
  EXPECT_EQ(set_size(add_one, 12), CUDA_SUCCESS);
  EXPECT_EQ(launch_once(add_one), CUDA_SUCCESS);
  std::vector<uint32_t> expected(64, 41);
  std::fill_n(expected.begin(), 16, 42);
  EXPECT_EQ(download<uint32_t>(data, 64), expected);
  // All of it stays for the next launch.
  EXPECT_EQ(launch_grid(add_one, 2, 1), CUDA_SUCCESS);
  for (size_t i = 0; i < 32; ++i) ++expected[i];
  EXPECT_EQ(download<uint32_t>(data, 64), expected);
  CUstream stream = nullptr;
  ASSERT_EQ(cu().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(launch_async(add_one, 4, 1, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  for (uint32_t& value : expected) ++value;
  EXPECT_EQ(download<uint32_t>(data, 64), expected);
  EXPECT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
}

TEST_F(OldLaunches, PassFloatsAndSharedMemory) {
  const CUfunction user = kernel("shared_user");
  CUdeviceptr out = alloc(4);
  EXPECT_EQ(set_block(user, 1, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(set_v(user, 0, &out, 8), CUDA_SUCCESS);
  EXPECT_EQ(set_size(user, 8), CUDA_SUCCESS);
  EXPECT_EQ(set_shared(user, 1 << 20), CUDA_SUCCESS);
  EXPECT_EQ(launch_once(user), CUDA_ERROR_INVALID_VALUE);  // more than a block may have
  EXPECT_EQ(set_shared(user, 16), CUDA_SUCCESS);
  EXPECT_EQ(launch_once(user), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(out, 1), std::vector<uint32_t>{7});
  const CUfunction layout = kernel("layout");
  EXPECT_EQ(set_block(layout, 1, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(set_f(layout, 0, 1.5f), CUDA_SUCCESS);
  EXPECT_EQ(set_size(layout, 64), CUDA_SUCCESS);
  EXPECT_EQ(launch_once(layout), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
}

TEST_F(OldLaunches, BadValuesAreRefused) {
  const CUfunction add_one = kernel("add_one");
  CUdeviceptr data = 0;
  EXPECT_EQ(set_block(nullptr, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(set_shared(nullptr, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(set_size(nullptr, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(set_v(nullptr, 0, &data, 8), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch_once(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(set_block(add_one, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_block(add_one, 1, -1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_size(add_one, 4097), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_v(add_one, 0, nullptr, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_v(add_one, -8, &data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_v(add_one, 4092, &data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_v(add_one, 0x7fffffff, &data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_v(add_one, 0, &data, 0xffffffffu), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_block(add_one, 2000, 1, 1), CUDA_SUCCESS);  // the launch will tell
  EXPECT_EQ(set_size(add_one, 12), CUDA_SUCCESS);
  EXPECT_EQ(launch_once(add_one), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_block(add_one, 1, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(set_size(add_one, 11), CUDA_SUCCESS);
  EXPECT_EQ(launch_once(add_one), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_message().find("got 11 bytes of parameters"), std::string::npos);
  EXPECT_EQ(launch_grid(add_one, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch_async(add_one, 1, -1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().find<CUresult(CUfunction, int, void*)>("cuParamSetTexRef")(add_one, 0,
                                                                            nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
}

struct Shape {
  unsigned int grid[3], block[3];
  const char* named;  // part of the message; null where the shape is legal
};

TEST_F(Launches, ShapesBeyondTheCardAreRefusedAndNamed) {
  const CUfunction layout = kernel("layout");
  uint64_t room[4] = {};
  void* parameters[] = {room, room, room, room};
  const Shape shapes[] = {
      {{1, 1, 1}, {1024, 1, 1}, nullptr},
      {{1, 1, 1}, {1, 1, 64}, nullptr},
      {{1, 65535, 1}, {1, 1, 1}, nullptr},
      {{0, 1, 1}, {1, 1, 1}, "grid (0, 1, 1)"},
      {{1, 1, 1}, {32, 0, 1}, "block (32, 0, 1)"},
      {{1, 1, 1}, {1025, 1, 1}, "1025"},
      {{1, 1, 1}, {32, 32, 2}, "2048 threads"},
      {{1, 1, 1}, {1, 1, 65}, "65"},
      {{1, 65536, 1}, {1, 1, 1}, "65536"},
      {{1, 1, 65536}, {1, 1, 1}, "65536"},
      {{0x80000000u, 1, 1}, {1, 1, 1}, "2147483648"},
  };
  for (const Shape& shape : shapes) {
    const CUresult result = cu().launch_kernel(
        layout, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
        shape.block[1], shape.block[2], 0, nullptr, parameters, nullptr);
    if (shape.named == nullptr) {
      EXPECT_EQ(result, CUDA_SUCCESS);
      continue;
    }
    EXPECT_EQ(result, CUDA_ERROR_INVALID_VALUE) << shape.named;
    EXPECT_NE(last_message().find(shape.named), std::string::npos) << last_message();
  }
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
}

TEST_F(Launches, LaunchBoundsOfTheKernelHold) {
  const CUdeviceptr data = 0;
  EXPECT_EQ(launch("bounded", 1, 64, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(launch("bounded", 1, 65, nullptr, data), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_message().find("__launch_bounds__"), std::string::npos);
  EXPECT_EQ(launch("exact", 1, 64, nullptr, data), CUDA_ERROR_INVALID_VALUE);
  void* parameters[] = {const_cast<CUdeviceptr*>(&data)};
  EXPECT_EQ(cu().launch_kernel(kernel("exact"), 1, 1, 1, 32, 2, 1, 0, nullptr,
                               parameters, nullptr),
            CUDA_SUCCESS);
}

TEST_F(Launches, SharedMemoryBeyondTheOrdinaryLimitNeedsTheOptIn) {
  const CUfunction user = kernel("shared_user");
  const CUdeviceptr out = alloc(4);
  void* parameters[] = {const_cast<CUdeviceptr*>(&out)};
  const auto start = [&](unsigned int bytes) {
    return cu().launch_kernel(user, 1, 1, 1, 1, 1, 1, bytes, nullptr, parameters,
                              nullptr);
  };
  const unsigned int ordinary = 48 * 1024 - 1024, most = 64 * 1024 - 1024;
  EXPECT_EQ(start(ordinary), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(out, 1), std::vector<uint32_t>{7});
  EXPECT_EQ(start(ordinary + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_message().find("MAX_DYNAMIC_SHARED_SIZE_BYTES"), std::string::npos);
  const auto opt_in = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(cu().func_set_attribute(user, opt_in, most + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().func_set_attribute(user, opt_in, most), CUDA_SUCCESS);
  EXPECT_EQ(start(most), CUDA_SUCCESS);
  EXPECT_EQ(start(most + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
}

TEST_F(Launches, BadHandlesAndNullParametersAreRefused) {
  uint32_t n = 1;
  CUdeviceptr data = 0;
  void* parameters[] = {&data, &n};
  void* holes[] = {&data, nullptr};
  const CUfunction add_one = kernel("add_one");
  const auto start = [&](CUfunction function, CUstream stream, void** values) {
    return cu().launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, stream, values, nullptr);
  };
  EXPECT_EQ(start(nullptr, nullptr, parameters), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(start(reinterpret_cast<CUfunction>(&n), nullptr, parameters),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(start(add_one, reinterpret_cast<CUstream>(&n), parameters),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(start(add_one, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(start(add_one, nullptr, holes), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, TwoThreadsLaunchAtOnce) {
  const uint32_t n = 5000;
  const CUdeviceptr data[2] = {upload(std::vector<uint32_t>(n)),
                               upload(std::vector<uint32_t>(n))};
  kernel("add_one");
  const auto work = [&](int which) {
    ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
    CUstream stream = nullptr;
    ASSERT_EQ(cu().stream_create(&stream, which), CUDA_SUCCESS);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(launch("add_one", (n + 127) / 128, 128, stream, data[which], n),
                CUDA_SUCCESS);
    }
    ASSERT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
    ASSERT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (const CUdeviceptr pointer : data) {
    EXPECT_EQ(download<uint32_t>(pointer, n), std::vector<uint32_t>(n, 100));
  }
}

}  // namespace
}  // namespace libcuda
