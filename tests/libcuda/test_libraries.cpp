// Tests libraries and kernels: code that belongs to no context.
#include <cstdio>
#include <fstream>

#include "cuda_abi/module_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

const char* const kLibrary = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .global .align 4 .u32 plain = 5;
.visible .global .attribute(.managed) .align 4 .u32 shared_with_host = 6;
.visible .entry first(.param .f32 a, .param .u64 b, .param .u64 c)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [c];
  mov.u32 %r1, 11;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry second() { ret; }
.func helper() { ret; }
)";

class Libraries : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(load(&library_, kLibrary, nullptr, nullptr, 0, nullptr, nullptr, 0),
              CUDA_SUCCESS)
        << last_message();
  }
  void TearDown() override {
    if (library_ != nullptr) {
      EXPECT_EQ(unload(library_), CUDA_SUCCESS);
    }
    DriverTest::TearDown();
  }
  template <class Signature>
  static Signature* find(const char* symbol) {
    auto* function = cu().find<Signature>(symbol);
    EXPECT_NE(function, nullptr) << symbol;
    return function;
  }
  CUkernel kernel_named(const char* name) {
    CUkernel kernel = nullptr;
    EXPECT_EQ(get_kernel(&kernel, library_, name), CUDA_SUCCESS);
    return kernel;
  }

  CUlibrary library_ = nullptr;
  CUresult (*load)(CUlibrary*, const void*, CUjit_option*, void**, unsigned int,
                   CUlibraryOption*, void**, unsigned int) =
      find<CUresult(CUlibrary*, const void*, CUjit_option*, void**, unsigned int,
                    CUlibraryOption*, void**, unsigned int)>("cuLibraryLoadData");
  CUresult (*unload)(CUlibrary) = find<CUresult(CUlibrary)>("cuLibraryUnload");
  CUresult (*get_kernel)(CUkernel*, CUlibrary, const char*) =
      find<CUresult(CUkernel*, CUlibrary, const char*)>("cuLibraryGetKernel");
};

TEST_F(Libraries, KernelsAreFoundAndCounted) {
  auto* count_of = find<CUresult(unsigned int*, CUlibrary)>("cuLibraryGetKernelCount");
  auto* list =
      find<CUresult(CUkernel*, unsigned int, CUlibrary)>("cuLibraryEnumerateKernels");
  auto* name_of = find<CUresult(const char**, CUkernel)>("cuKernelGetName");
  unsigned int count = 0;
  ASSERT_EQ(count_of(&count, library_), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  CUkernel kernels[3] = {};
  ASSERT_EQ(list(kernels, 3, library_), CUDA_SUCCESS);
  EXPECT_EQ(kernels[0], kernel_named("first"));
  EXPECT_EQ(kernels[1], kernel_named("second"));
  EXPECT_EQ(kernels[2], nullptr);
  const char* name = nullptr;
  ASSERT_EQ(name_of(&name, kernels[1]), CUDA_SUCCESS);
  EXPECT_STREQ(name, "second");
  CUkernel kernel = nullptr;
  EXPECT_EQ(get_kernel(&kernel, library_, "helper"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(get_kernel(&kernel, nullptr, "first"), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Libraries, KernelsTellTheirParametersAndLibrary) {
  auto* info =
      find<CUresult(CUkernel, size_t, size_t*, size_t*)>("cuKernelGetParamInfo");
  auto* count_of = find<CUresult(CUkernel, size_t*)>("cuKernelGetParamCount");
  auto* library_of = find<CUresult(CUlibrary*, CUkernel)>("cuKernelGetLibrary");
  const CUkernel first = kernel_named("first");
  size_t count = 0, offset = 0, size = 0;
  ASSERT_EQ(count_of(first, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3u);
  ASSERT_EQ(info(first, 1, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);  // an f32, then 4 bytes of padding
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(info(first, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  CUlibrary library = nullptr;
  ASSERT_EQ(library_of(&library, first), CUDA_SUCCESS);
  EXPECT_EQ(library, library_);
  EXPECT_EQ(library_of(&library, reinterpret_cast<CUkernel>(kernel("count"))),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Libraries, KernelsRunAsTheyAreAndAsFunctions) {
  auto* function_of = find<CUresult(CUfunction*, CUkernel)>("cuKernelGetFunction");
  const CUkernel first = kernel_named("first");
  CUfunction function = nullptr;
  ASSERT_EQ(function_of(&function, first), CUDA_SUCCESS);
  for (const CUfunction launched : {reinterpret_cast<CUfunction>(first), function}) {
    CUdeviceptr out = alloc(4), unused = 0;
    float a = 0;
    void* parameters[] = {&a, &unused, &out};
    ASSERT_EQ(
        cu().launch_kernel(launched, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
        CUDA_SUCCESS);
    EXPECT_EQ(download<int>(out, 1)[0], 11);
    cu().mem_free(out);
  }
}

TEST_F(Libraries, AttributesAreSetByDevice) {
  auto* get = find<CUresult(int*, CUfunction_attribute, CUkernel, CUdevice)>(
      "cuKernelGetAttribute");
  auto* set = find<CUresult(CUfunction_attribute, int, CUkernel, CUdevice)>(
      "cuKernelSetAttribute");
  const CUkernel second = kernel_named("second");
  constexpr auto kWhich = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  int value = 0;
  EXPECT_EQ(set(kWhich, 60000, second, 0), CUDA_SUCCESS) << last_message();
  EXPECT_EQ(get(&value, kWhich, second, 0), CUDA_SUCCESS);
  EXPECT_EQ(value, 60000);
  EXPECT_EQ(set(kWhich, 1 << 24, second, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(&value, kWhich, second, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Libraries, VariablesAndTheModule) {
  using GetGlobal = CUresult(CUdeviceptr*, size_t*, CUlibrary, const char*);
  auto* global = find<GetGlobal>("cuLibraryGetGlobal");
  auto* managed = find<GetGlobal>("cuLibraryGetManaged");
  auto* module_of = find<CUresult(CUmodule*, CUlibrary)>("cuLibraryGetModule");
  CUdeviceptr pointer = 0, again = 0;
  size_t bytes = 0;
  ASSERT_EQ(global(&pointer, &bytes, library_, "plain"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(download<int>(pointer, 1)[0], 5);
  EXPECT_EQ(managed(&pointer, &bytes, library_, "plain"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(managed(&pointer, &bytes, library_, "shared_with_host"), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(pointer, 1)[0], 6);
  CUmodule loaded = nullptr;
  ASSERT_EQ(module_of(&loaded, library_), CUDA_SUCCESS);
  ASSERT_EQ(cu().module_get_global(&again, nullptr, loaded, "shared_with_host"),
            CUDA_SUCCESS);
  EXPECT_EQ(again, pointer);
  EXPECT_EQ(cu().module_unload(loaded), CUDA_ERROR_NOT_PERMITTED);
}

TEST_F(Libraries, TheyOutliveTheContext) {
  const CUkernel second = kernel_named("second");
  ASSERT_EQ(cu().primary_ctx_reset(0), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
  EXPECT_EQ(cu().launch_kernel(reinterpret_cast<CUfunction>(second), 1, 1, 1, 1, 1, 1,
                               0, nullptr, nullptr, nullptr),
            CUDA_SUCCESS)
      << last_message();
  EXPECT_EQ(unload(library_), CUDA_SUCCESS);
  EXPECT_EQ(unload(library_), CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_EQ(cu().func_get_attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                    reinterpret_cast<CUfunction>(second)),
            CUDA_ERROR_INVALID_HANDLE);
  library_ = nullptr;
}

TEST_F(Libraries, FilesAndOptions) {
  using LoadFile = CUresult(CUlibrary*, const char*, CUjit_option*, void**,
                            unsigned int, CUlibraryOption*, void**, unsigned int);
  auto* load_file = find<LoadFile>("cuLibraryLoadFromFile");
  const std::string path = testing::TempDir() + "emulator_driver_library.ptx";
  std::ofstream(path) << kLibrary;
  CUlibraryOption options[] = {CU_LIBRARY_BINARY_IS_PRESERVED};
  int preserved = 1;
  void* values[] = {&preserved};
  CUlibrary library = nullptr;
  EXPECT_EQ(load_file(&library, path.c_str(), nullptr, nullptr, 0, options, values, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(unload(library), CUDA_SUCCESS);
  std::remove(path.c_str());
  EXPECT_EQ(load_file(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_FILE_NOT_FOUND);
  options[0] = static_cast<CUlibraryOption>(9);
  EXPECT_EQ(load(&library, kLibrary, nullptr, nullptr, 0, options, values, 1),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace libcuda
