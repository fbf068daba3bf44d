// The tests of reading cubins: files of CUDA 12 and 13 with known contents, damaged
// ones, and what the NVRTC at hand makes, compared with its assembler's own words.
#include "nvrtc/cubin.h"

#include <cstdio>

#include "base/error.h"
#include "nvrtc/assembler_log.h"
#include "nvrtc/files.h"
#include "tests/nvrtc/test_place.h"

namespace minitorch::nvrtc {
namespace {

std::string data(const std::string& name) {
  return read_file(std::string(MINITORCH_TEST_DATA) + "/" + name).value();
}

const char* const kFiles[] = {"cuda12_sm75.cubin", "cuda12_sm90.cubin",
                              "cuda13_sm75.cubin", "cuda13_sm90.cubin"};

struct Expected {
  const char* name;
  int registers[4];  // in the order of kFiles
  uint64_t shared, local[4], parameters;
  int barriers, max_threads;
};

// From the assembler's log; shared memory and parameters from the source.
const Expected kExpected[] = {
    {"plain", {8, 8, 8, 8}, 0, {0, 0, 0, 0}, 12, 0, 0},
    {"shared_arrays", {14, 14, 12, 14}, 4012, {0, 0, 0, 0}, 8, 4, 0},
    {"local_array", {34, 32, 34, 32}, 0, {160, 160, 160, 160}, 12, 0, 0},
    {"spills", {64, 64, 64, 64}, 0, {608, 616, 608, 616}, 12, 0, 1024},
    {"recursive", {24, 24, 24, 24}, 0, {0, 0, 0, 0}, 8, 0, 0},
};

TEST(Cubin, HoldsWhatTheAssemblerSaid) {
  for (size_t i = 0; i < 4; ++i) {
    const Cubin cubin = read_cubin(data(kFiles[i]));
    EXPECT_EQ(cubin.architecture, i % 2 ? 90 : 75) << kFiles[i];
    EXPECT_EQ(cubin.constant_bytes, 33u * 4) << kFiles[i];
    EXPECT_EQ(cubin.kernels.size(), std::size(kExpected)) << kFiles[i];
    for (const Expected& expected : kExpected) {
      SCOPED_TRACE(std::string(kFiles[i]) + " " + expected.name);
      const CubinKernel* kernel = cubin.kernel(expected.name);
      ASSERT_NE(kernel, nullptr);
      EXPECT_EQ(kernel->registers, expected.registers[i]);
      EXPECT_EQ(kernel->shared_bytes, expected.shared);
      EXPECT_EQ(kernel->local_bytes, expected.local[i]);
      EXPECT_EQ(kernel->parameter_bytes, expected.parameters);
      EXPECT_EQ(kernel->barriers, expected.barriers);
      EXPECT_EQ(kernel->max_threads, expected.max_threads);
      // NVRTC 12.9 leaves the stack of a recursive kernel at 0 without a word.
      EXPECT_EQ(kernel->recursive, i >= 2 && std::string(expected.name) == "recursive");
      EXPECT_GT(kernel->code_bytes, 0u);
      EXPECT_EQ(kernel->code_bytes % 128, 0u);
    }
  }
}

TEST(Cubin, UnknownKernelIsNull) {
  EXPECT_EQ(read_cubin(data(kFiles[0])).kernel("fibonacci"), nullptr);
}

// Whatever a file holds: an answer or ValueError, never a read beyond the end.
void read_anything(const std::string& bytes) {
  // On the heap and of exact size, so that a sanitizer sees any read past it.
  const std::unique_ptr<char[]> copy(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  try {
    read_cubin(std::string_view(copy.get(), bytes.size()));
  } catch (const base::ValueError&) {
  }
}

TEST(Cubin, CutAnywhereIsRefused) {
  for (const char* file : kFiles) {
    const std::string whole = data(file);
    for (size_t length = 0; length < whole.size(); length += 7)
      read_anything(whole.substr(0, length));
    for (size_t length = 0; length < 64; ++length)
      EXPECT_THROW(read_cubin(whole.substr(0, length)), base::ValueError) << length;
    EXPECT_THROW(read_cubin(whole.substr(0, whole.size() / 2)), base::ValueError);
  }
}

TEST(Cubin, AnyByteMayBeWrong) {
  for (const char* file : {kFiles[0], kFiles[3]}) {
    const std::string whole = data(file);
    for (size_t i = 0; i < whole.size(); i += 3) {
      std::string changed = whole;
      changed[i] = static_cast<char>(0xff);
      read_anything(changed);
      changed[i] = static_cast<char>(whole[i] ^ 0x80);
      read_anything(changed);
    }
  }
}

TEST(Cubin, OtherFilesAreRefused) {
  EXPECT_THROW(read_cubin(""), base::ValueError);
  EXPECT_THROW(read_cubin(".version 8.0\n.target sm_75\n"), base::ValueError);
  EXPECT_THROW(read_cubin(std::string(4096, '\0')), base::ValueError);
  std::string other = data(kFiles[0]);
  other[18] = 62;  // x86-64
  EXPECT_THROW(read_cubin(other), base::ValueError);
}

TEST(AssemblerLog, SpillsAreThoseOfEachKernelAndItsCalls) {
  const auto spills = parse_spills(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'recursive' for 'sm_75'\n"
      "ptxas info    : Function properties for recursive\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill "
      "loads\n"
      "ptxas info    : Used 24 registers, used 0 barriers, 360 bytes cmem[0]\n"
      "ptxas info    : Function properties for _Z9fibonaccii\n"
      "ptxas         .     24 bytes stack frame, 20 bytes spill stores, 16 bytes spill "
      "loads\n"
      "ptxas info    : Compiling entry function 'spills' for 'sm_75'\n"
      "ptxas         .     608 bytes stack frame, 696 bytes spill stores, 700 bytes "
      "spill loads\n");
  ASSERT_EQ(spills.size(), 2u);
  EXPECT_EQ(spills.at("recursive").stores, 20u);
  EXPECT_EQ(spills.at("recursive").loads, 16u);
  EXPECT_EQ(spills.at("spills").stores, 696u);
  EXPECT_EQ(spills.at("spills").loads, 700u);
  EXPECT_TRUE(parse_spills("").empty());
  EXPECT_TRUE(parse_spills("7 bytes spill stores\nCompiling entry").empty());
}

// "Used 24 registers, used 4 barriers, 4012 bytes smem" behind the kernel's name.
std::string used_line(const std::string& log, const std::string& kernel) {
  const size_t at = log.find("entry function '" + kernel + "'");
  const size_t used = log.find("Used ", at);
  return log.substr(used, log.find('\n', used) - used);
}

TEST_F(CompilerTest, CubinAndAssemblerAgree) {
  for (const int architecture : {75, 80, 86, 90}) {
    Request request;
    request.source = {"/minitorch/user/resources.cu", data("resources.cu")};
    request.options = {"--ptxas-options=-v"};
    request.cubin = true;
    request.architecture = architecture;
    const auto result = compile(request);
    const Cubin cubin = read_cubin(result->cubin);
    EXPECT_EQ(cubin.architecture, architecture);
    const auto spills = parse_spills(result->assembler_log);
    for (const CubinKernel& kernel : cubin.kernels) {
      const std::string used = used_line(result->assembler_log, kernel.name);
      SCOPED_TRACE(used);
      int registers = -1;
      ASSERT_EQ(std::sscanf(used.c_str(), "Used %d", &registers), 1);
      EXPECT_EQ(kernel.registers, registers);
      const bool shared = kernel.name == "shared_arrays";
      EXPECT_EQ(shared, used.find("4012 bytes smem") != std::string::npos);
      EXPECT_EQ(kernel.shared_bytes, shared ? 4012u : 0u);
      EXPECT_TRUE(spills.contains(kernel.name));
    }
    EXPECT_GT(spills.at("spills").stores, 0u);
    EXPECT_EQ(spills.at("plain").stores, 0u);
  }
}

}  // namespace
}  // namespace minitorch::nvrtc
