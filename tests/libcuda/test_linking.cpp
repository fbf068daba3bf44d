// Tests cuLink*: what comes out runs, and what does not fit together is told in the
// log.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "cuda_abi/module_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

const char* const kCaller = R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry call(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  { .param .b32 argument; .param .b32 result;
    st.param.b32 [argument], 21;
    call.uni (result), twice, (argument);
    ld.param.b32 %r1, [result]; }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

const char* const kCallee = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";

/// A linker with an error log and an info log of its own.
struct Link {
  explicit Link(unsigned int registers = 0) {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void* given[] = {error, info, reinterpret_cast<void*>(sizeof error),
                     reinterpret_cast<void*>(sizeof info),
                     reinterpret_cast<void*>(static_cast<size_t>(registers))};
    std::copy_n(given, 5, values);
    using Create = CUresult(unsigned int, CUjit_option*, void**, CUlinkState*);
    EXPECT_EQ(cu().find<Create>("cuLinkCreate_v2")(5, options, values, &state),
              CUDA_SUCCESS);
  }
  ~Link() {
    EXPECT_EQ(cu().find<CUresult(CUlinkState)>("cuLinkDestroy")(state), CUDA_SUCCESS);
  }
  CUresult add(const char* name, const std::string& text,
               CUjitInputType type = CU_JIT_INPUT_PTX) {
    using Add = CUresult(CUlinkState, CUjitInputType, void*, size_t, const char*,
                         unsigned int, CUjit_option*, void**);
    return cu().find<Add>("cuLinkAddData_v2")(state, type,
                                              const_cast<char*>(text.data()),
                                              text.size(), name, 0, nullptr, nullptr);
  }
  CUresult add_file(const char* path, CUjitInputType type) {
    using Add = CUresult(CUlinkState, CUjitInputType, const char*, unsigned int,
                         CUjit_option*, void**);
    return cu().find<Add>("cuLinkAddFile_v2")(state, type, path, 0, nullptr, nullptr);
  }
  CUresult complete() {
    using Complete = CUresult(CUlinkState, void**, size_t*);
    return cu().find<Complete>("cuLinkComplete")(state, &code, &bytes);
  }

  char error[1000] = "#", info[1000] = "#";
  void* values[5] = {};
  CUlinkState state = nullptr;
  void* code = nullptr;
  size_t bytes = 0;
};

class Linking : public DriverTest {
 protected:
  int run(const Link& link, const char* name) {
    const std::vector<char> copy(static_cast<char*>(link.code),
                                 static_cast<char*>(link.code) + link.bytes);
    EXPECT_EQ(cu().module_load_data_ex(&linked_, copy.data(), 0, nullptr, nullptr),
              CUDA_SUCCESS)
        << last_message();
    CUfunction function = nullptr;
    EXPECT_EQ(cu().module_get_function(&function, linked_, name), CUDA_SUCCESS);
    CUdeviceptr out = alloc(4);
    void* parameters[] = {&out};
    EXPECT_EQ(
        cu().launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
        CUDA_SUCCESS);
    return download<int>(out, 1)[0];
  }
  CUmodule linked_ = nullptr;
};

TEST_F(Linking, ModulesCallEachOther) {
  Link link;
  ASSERT_EQ(link.add("caller", kCaller), CUDA_SUCCESS) << link.error;
  ASSERT_EQ(link.add("callee", kCallee), CUDA_SUCCESS) << link.error;
  ASSERT_EQ(link.complete(), CUDA_SUCCESS) << link.error;
  EXPECT_EQ(link.bytes, std::strlen(static_cast<char*>(link.code)) + 1);
  EXPECT_EQ(run(link, "call"), 42);
  EXPECT_STREQ(link.error, "");
  EXPECT_NE(std::strstr(link.info, "caller"), nullptr) << link.info;
  EXPECT_EQ(link.add("late", kCallee), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Linking, TheResultCanBeLinkedAgain) {
  Link first;
  ASSERT_EQ(first.add("callee", kCallee), CUDA_SUCCESS);
  ASSERT_EQ(first.complete(), CUDA_SUCCESS);
  Link second;
  const std::string callee(static_cast<char*>(first.code), first.bytes);
  ASSERT_EQ(second.add("first", callee, CU_JIT_INPUT_CUBIN), CUDA_SUCCESS);
  ASSERT_EQ(second.add("caller", kCaller), CUDA_SUCCESS);
  ASSERT_EQ(second.complete(), CUDA_SUCCESS) << second.error;
  EXPECT_EQ(run(second, "call"), 42);
}

TEST_F(Linking, WhatIsMissingOrTwiceIsNamed) {
  Link missing;
  ASSERT_EQ(missing.add("caller", kCaller), CUDA_SUCCESS);
  EXPECT_EQ(missing.complete(), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::strstr(missing.error, "'twice'"), nullptr) << missing.error;
  EXPECT_EQ(missing.code, nullptr);
  Link twice;
  ASSERT_EQ(twice.add("one", kCallee), CUDA_SUCCESS);
  ASSERT_EQ(twice.add("other", kCallee), CUDA_SUCCESS);
  EXPECT_EQ(twice.complete(), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::strstr(twice.error, "'one'"), nullptr) << twice.error;
  EXPECT_NE(std::strstr(twice.error, "'other'"), nullptr) << twice.error;
  EXPECT_EQ(Link().complete(), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Linking, MistakesAreToldWithTheirInput) {
  Link link;
  EXPECT_EQ(link.add("broken.ptx", ".version 7.0\n.target sm_75\n.func ("),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::strstr(link.error, "broken.ptx: ptx line 3"), link.error)
      << link.error;
  EXPECT_EQ(reinterpret_cast<size_t>(link.values[2]), std::strlen(link.error));
  EXPECT_EQ(link.add("elf",
                     "\x7f"
                     "ELF and more",
                     CU_JIT_INPUT_CUBIN),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(link.add("what", kCallee, static_cast<CUjitInputType>(17)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(link.add("nothing", ""), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Linking, FilesAreReadAndTheDeviceRuntimeIsKnown) {
  const std::string path = testing::TempDir() + "emulator_driver_callee.ptx";
  std::ofstream(path) << kCallee;
  Link link;
  EXPECT_EQ(link.add_file(path.c_str(), CU_JIT_INPUT_PTX), CUDA_SUCCESS);
  std::remove(path.c_str());
  EXPECT_EQ(link.add_file(path.c_str(), CU_JIT_INPUT_PTX), CUDA_ERROR_FILE_NOT_FOUND);
  const std::string folder = testing::TempDir() + "libcudadevrt.a";
  std::ofstream(folder) << "!<arch>\n";
  EXPECT_EQ(link.add_file(folder.c_str(), CU_JIT_INPUT_LIBRARY), CUDA_SUCCESS);
  std::remove(folder.c_str());
  EXPECT_EQ(link.add_file(folder.c_str(), CU_JIT_INPUT_LIBRARY),
            CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(link.add("libother.a", "!<arch>\n...", CU_JIT_INPUT_LIBRARY),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(link.complete(), CUDA_SUCCESS) << link.error;
  const std::string text(static_cast<char*>(link.code));
  EXPECT_NE(text.find("cudaCGSynchronize"), std::string::npos);
}

TEST_F(Linking, AModuleAloneMustHaveAllItCalls) {
  CUmodule loaded = nullptr;
  EXPECT_EQ(cu().module_load_data_ex(&loaded, kCaller, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(last_message().find("'twice'"), std::string::npos) << last_message();
}

/// A kernel with `count` 32-bit values alive at once.
std::string hungry_kernel(int count) {
  std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry hungry(.param .u64 out) {\n.reg .b64 %rd<2>;\n.reg .b32 %r<" +
      std::to_string(count + 2) + ">;\nld.param.u64 %rd1, [out];\n";
  for (int i = 0; i < count; ++i)
    text += "ld.volatile.global.u32 %r" + std::to_string(i) + ", [%rd1];\n";
  for (int i = 0; i < count; ++i)
    text += "st.volatile.global.u32 [%rd1], %r" + std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

TEST_F(Linking, MaxRegistersHoldsForTheLinkedKernels) {
  const auto registers = [&](unsigned int limit) {
    Link link(limit);
    EXPECT_EQ(link.add("hungry", hungry_kernel(150)), CUDA_SUCCESS);
    EXPECT_EQ(link.complete(), CUDA_SUCCESS);
    EXPECT_EQ(cu().module_load_data_ex(&linked_, link.code, 0, nullptr, nullptr),
              CUDA_SUCCESS);
    CUfunction function = nullptr;
    EXPECT_EQ(cu().module_get_function(&function, linked_, "hungry"), CUDA_SUCCESS);
    int value = 0;
    EXPECT_EQ(cu().func_get_attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
              CUDA_SUCCESS);
    return value;
  };
  EXPECT_GE(registers(0), 150);
  EXPECT_EQ(registers(38), 38);
}

TEST_F(Linking, ABlockThatNeedsMoreRegistersThanThereAreIsRefused) {
  const auto launched = [&](unsigned int limit, unsigned int threads) {
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS};
    void* values[] = {reinterpret_cast<void*>(static_cast<size_t>(limit))};
    EXPECT_EQ(cu().module_load_data_ex(&linked_, hungry_kernel(150).c_str(), 1, options,
                                       values),
              CUDA_SUCCESS);
    CUfunction function = nullptr;
    EXPECT_EQ(cu().module_get_function(&function, linked_, "hungry"), CUDA_SUCCESS);
    CUdeviceptr out = upload(std::vector<int>(1));
    void* parameters[] = {&out};
    const CUresult result = cu().launch_kernel(function, 1, 1, 1, threads, 1, 1, 0,
                                               nullptr, parameters, nullptr);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    take_findings();
    return result;
  };
  // 65,536 registers: 1,024 threads may have 64 each.
  EXPECT_EQ(launched(0, 1024), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_NE(last_message().find("65536"), std::string::npos) << last_message();
  EXPECT_EQ(launched(0, 256), CUDA_SUCCESS);
  EXPECT_EQ(launched(64, 1024), CUDA_SUCCESS);
  EXPECT_EQ(launched(72, 1024), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

}  // namespace
}  // namespace libcuda
