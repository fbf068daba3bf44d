// Tests what the driver says of itself and of its card.
#include <cstring>
#include <string>

#include "fixture.h"

namespace libcuda {
namespace {

using Device = DriverTest;

int attribute(int number) {
  int value = -12345;
  EXPECT_EQ(
      cu().device_get_attribute(&value, static_cast<CUdevice_attribute>(number), 0),
      CUDA_SUCCESS)
      << number;
  return value;
}

TEST_F(Device, IsATeslaT4UnlessSaidOtherwise) {
  int count = 0, version = 0, major = 0, minor = 0;
  EXPECT_EQ(cu().device_get_count(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cu().driver_get_version(&version), CUDA_SUCCESS);
  EXPECT_GE(version, 12000);
  char name[100];
  EXPECT_EQ(cu().device_get_name(name, sizeof name, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Tesla T4 (emulated by minitorch)");
  char small[5];
  EXPECT_EQ(cu().device_get_name(small, sizeof small, 0), CUDA_SUCCESS);
  EXPECT_STREQ(small, "Tesl");
  using Capability = CUresult(int*, int*, CUdevice);
  EXPECT_EQ(cu().find<Capability>("cuDeviceComputeCapability")(&major, &minor, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(major * 10 + minor, 75);
}

TEST_F(Device, AttributesAreThoseOfTheDataSheet) {
  // Turing whitepaper and the programming guide's table for compute capability 7.5.
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 40);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 2147483647);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y), 65535);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 65536);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK), 65536);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR), 16);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH), 256);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 7);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 5);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
}

TEST_F(Device, EveryAttributeOfTheHeaderIsAnswered) {
#define CU_DEVICE_ATTRIBUTE(name, number) EXPECT_NE(attribute(number), -12345);
#include "cuda_abi/device_attributes.inc"
#undef CU_DEVICE_ATTRIBUTE
  int value = 0;
  for (int unknown : {0, -1, 5000}) {
    EXPECT_EQ(
        cu().device_get_attribute(&value, static_cast<CUdevice_attribute>(unknown), 0),
        CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(Device, WrongArgumentsAreRefused) {
  CUdevice device = 0;
  EXPECT_EQ(cu().device_get(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu().device_get(&device, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu().device_get(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().device_get_count(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().device_get_name(nullptr, 5, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().init(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().driver_get_version(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Device, ErrorsHaveNamesAndTexts) {
  const char* text = nullptr;
  EXPECT_EQ(cu().get_error_name(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cu().get_error_string(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "illegal memory access");
  EXPECT_EQ(cu().get_error_name(static_cast<CUresult>(77777), &text),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

TEST_F(Device, ProcAddressesFollowNameVersionAndFlags) {
  using Get = CUresult(const char*, void**, int, unsigned long long,
                       CUdriverProcAddressQueryResult*);
  auto* get = cu().find<Get>("cuGetProcAddress_v2");
  const auto expect = [&](const char* name, int version, unsigned long long flags,
                          const char* symbol) {
    void* found = nullptr;
    CUdriverProcAddressQueryResult status{};
    EXPECT_EQ(get(name, &found, version, flags, &status), CUDA_SUCCESS);
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS) << name;
    EXPECT_EQ(found, dlsym(cu().handle, symbol)) << name << version;
  };
  expect("cuMemAlloc", 3020, 0, "cuMemAlloc_v2");
  expect("cuCtxCreate", 3020, 0, "cuCtxCreate_v2");
  expect("cuCtxCreate", 11040, 0, "cuCtxCreate_v3");
  expect("cuCtxCreate", 12050, 0, "cuCtxCreate_v4");
  expect("cuCtxCreate", 13000, 0, "cuCtxCreate_v4");
  expect("cuLaunchKernel", 12000, 0, "cuLaunchKernel");
  expect("cuLaunchKernel", 12000, 2, "cuLaunchKernel_ptsz");
  expect("cuMemcpyHtoD", 12000, 2, "cuMemcpyHtoD_v2_ptds");
  expect("cuMemAlloc", 12000, 2, "cuMemAlloc_v2");
  void* found = &found;
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(get("cuNoSuchThing", &found, 12000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(get("", &found, 12000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(get("cuLaunchKernelEx", &found, 11000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(get(nullptr, &found, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get("cuInit", nullptr, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
  using OldGet = CUresult(const char*, void**, int, unsigned long long);
  auto* old_get = cu().find<OldGet>("cuGetProcAddress");
  EXPECT_EQ(old_get("cuInit", &found, 12000, 0), CUDA_SUCCESS);
  EXPECT_NE(found, nullptr);
  EXPECT_EQ(old_get("cuNoSuchThing", &found, 12000, 0), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Device, PrivateTablesAreNotGiven) {
  using Get = CUresult(const void**, const CUuuid*);
  const void* table = &table;
  const CUuuid id{};
  EXPECT_NE(cu().find<Get>("cuGetExportTable")(&table, &id), CUDA_SUCCESS);
  EXPECT_EQ(table, nullptr);
}

}  // namespace
}  // namespace libcuda
