// Tests loading: what is accepted, what is refused and what the logs say.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "fixture.h"

namespace libcuda {
namespace {

using Modules = DriverTest;

struct Loaded {
  CUresult result;
  std::string log;
  size_t log_bytes;
};

Loaded load_with_log(const void* image, size_t room = 2000) {
  std::vector<char> error(room + 1, '#'), info(100, '#');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE};
  void* values[] = {error.data(), reinterpret_cast<void*>(room), info.data(),
                    reinterpret_cast<void*>(size_t{100}), nullptr};
  CUmodule module = nullptr;
  Loaded loaded;
  loaded.result = cu().module_load_data_ex(&module, image, 5, options, values);
  loaded.log = error.data();
  loaded.log_bytes = reinterpret_cast<size_t>(values[1]);
  EXPECT_EQ(error[room], '#') << "wrote past the log buffer";
  EXPECT_EQ(info[0], '\0');
  return loaded;
}

TEST_F(Modules, GlobalsAreFoundAndInitialised) {
  CUdeviceptr pointer = 0;
  size_t bytes = 0;
  ASSERT_EQ(cu().module_get_global(&pointer, &bytes, module(), "counter"),
            CUDA_SUCCESS);
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(download<int>(pointer, 4), (std::vector<int>{1, 2, 3, 4}));
  ASSERT_EQ(cu().module_get_global(&pointer, &bytes, module(), "table"), CUDA_SUCCESS);
  EXPECT_EQ(download<uint8_t>(pointer, 16), std::vector<uint8_t>(16));
  EXPECT_EQ(cu().module_get_global(&pointer, &bytes, module(), "nothing"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cu().module_get_global(&pointer, &bytes, module(), nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, FunctionsAreFoundByNameAndStayTheSame) {
  EXPECT_EQ(kernel("count"), kernel("count"));
  EXPECT_NE(kernel("count"), kernel("add_one"));
  CUfunction function = nullptr;
  EXPECT_EQ(cu().module_get_function(&function, module(), "vector_mul"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_NE(last_message().find("vector_add"), std::string::npos) << last_message();
  const CUfunction known = kernel("count");
  EXPECT_EQ(cu().module_unload(module_), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(cu().func_get_attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, known),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().module_get_function(&function, module_, "count"),
            CUDA_ERROR_INVALID_HANDLE);
  module_ = nullptr;
}

TEST_F(Modules, AttributesAndParametersComeFromThePtx) {
  const auto attribute = [&](const char* name, CUfunction_attribute which) {
    int value = -1;
    EXPECT_EQ(cu().func_get_attribute(&value, which, kernel(name)), CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(attribute("bounded", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQ(attribute("count", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute("shared_user", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1024);
  EXPECT_EQ(attribute("count", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
  EXPECT_EQ(attribute("count", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 16);
  EXPECT_EQ(attribute("count", CU_FUNC_ATTRIBUTE_BINARY_VERSION), 75);
  EXPECT_GE(attribute("count", CU_FUNC_ATTRIBUTE_NUM_REGS), 8);
  EXPECT_LE(attribute("count", CU_FUNC_ATTRIBUTE_NUM_REGS), 32);
  const std::vector<std::pair<size_t, size_t>> expected{
      {0, 4}, {8, 8}, {16, 1}, {32, 24}};
  for (size_t i = 0; i < expected.size(); ++i) {
    size_t offset = 0, size = 0;
    EXPECT_EQ(cu().func_get_param_info(kernel("layout"), i, &offset, &size),
              CUDA_SUCCESS);
    EXPECT_EQ(offset, expected[i].first) << i;
    EXPECT_EQ(size, expected[i].second) << i;
  }
  size_t offset = 0, size = 0;
  EXPECT_EQ(cu().func_get_param_info(kernel("layout"), 4, &offset, &size),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, MachineCodeIsRefusedWithAdvice) {
  const unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1};
  const unsigned char lto[64] = {0xed, 'C', 'N', 0x7f};
  const unsigned char bitcode[64] = {'B', 'C', 0xc0, 0xde};
  for (const auto* image : {cubin, lto, bitcode}) {
    const Loaded loaded = load_with_log(image);
    EXPECT_EQ(loaded.result, CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_NE(loaded.log.find("compute_75"), std::string::npos) << loaded.log;
    EXPECT_EQ(loaded.log_bytes, loaded.log.size());
    EXPECT_EQ(last_message(), loaded.log);
  }
}

TEST_F(Modules, MistakesInTheTextAreNamedWithLineAndColumn) {
  const Loaded loaded = load_with_log(
      ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n  "
      "frobnicate.b32 %r1, %r2;\n}\n");
  EXPECT_EQ(loaded.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(loaded.log.find("ptx line 6, column "), 0u) << loaded.log;
  EXPECT_EQ(load_with_log("int main() {}").result, CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load_with_log("").result, CUDA_ERROR_INVALID_PTX);
}

TEST_F(Modules, LogsAreCutToTheBuffer) {
  const unsigned char cubin[8] = {0x7f, 'E', 'L', 'F'};
  const Loaded loaded = load_with_log(cubin, 10);
  EXPECT_EQ(loaded.log.size(), 9u);
  EXPECT_EQ(loaded.log_bytes, 9u);
  EXPECT_EQ(load_with_log(cubin, 1).log, "");
}

TEST_F(Modules, PtxForANewerCardIsRefused) {
  const Loaded loaded = load_with_log(
      ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n  "
      "ret;\n}\n");
  EXPECT_EQ(loaded.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(loaded.log.find("sm_90"), std::string::npos);
  EXPECT_NE(loaded.log.find("sm_75"), std::string::npos);
}

TEST_F(Modules, FilesAreRead) {
  using Load = CUresult(CUmodule*, const char*);
  auto* load = cu().find<Load>("cuModuleLoad");
  const std::string path = testing::TempDir() + "emulator_driver_kernels.ptx";
  std::ofstream(path) << kKernels;
  CUmodule loaded = nullptr;
  EXPECT_EQ(load(&loaded, path.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cu().module_unload(loaded), CUDA_SUCCESS);
  std::remove(path.c_str());
  EXPECT_EQ(load(&loaded, path.c_str()), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Modules, NullArgumentsAreRefused) {
  CUmodule loaded = nullptr;
  EXPECT_EQ(cu().module_load_data_ex(&loaded, nullptr, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().module_load_data_ex(nullptr, kKernels, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().module_load_data_ex(&loaded, kKernels, 1, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().module_unload(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace libcuda
