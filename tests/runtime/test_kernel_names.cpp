// The tests of finding a user's kernel by its name: namespaces without one, and several
// kernels of one name.
#include "runtime/kernel_error.h"
#include "runtime/memory.h"
#include "runtime/raw_module.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

using KernelNamesTest = EmulatorCompilerTest;

TEST_F(KernelNamesTest, FindsKernelsInNamespacesWithoutAName) {
  const auto module = RawModule::from_source(R"(
namespace { __global__ void plain(int* a) { *a = 1; } }
namespace outer { namespace {
  namespace inner { __global__ void deep(int* a) { *a = 2; } }
  template <class T> __global__ void typed(T* a) { *a = 3; }
} }
namespace { namespace { __global__ void twice(int* a) { *a = 4; } } }
static __global__ void own(int* a) { *a = 5; }
template __global__ void outer::typed<int>(int*);
template __global__ void outer::typed<unsigned long long>(unsigned long long*);
)",
                                             {});
  const auto result = allocate(8);
  const ArrayArgument ints{result->pointer(), {'i', 4}, &result->api()};
  const ArrayArgument longs{result->pointer(), {'u', 8}, &result->api()};
  const auto run = [&](const char* name, const ArrayArgument& argument) {
    const std::vector<Argument> arguments = {argument};
    module->function(name)->launch({{1}, {1}}, arguments);
    int value = 0;
    copy_to_host(&value, result->pointer(), 4, WaitReason::Value);
    return value;
  };
  EXPECT_EQ(run("plain", ints), 1);
  EXPECT_EQ(run("outer::inner::deep", ints), 2);
  EXPECT_EQ(run("outer::typed<int>", ints), 3);
  EXPECT_EQ(run("outer::typed<unsigned long long>", longs), 3);
  EXPECT_EQ(run("twice", ints), 4);
  EXPECT_EQ(run("own", ints), 5);
  EXPECT_THROW(module->function("deep"), LaunchError);
}

TEST_F(KernelNamesTest, TellsKernelsOfOneNameApart) {
  const auto module = RawModule::from_source(R"(
__global__ void twin(int* a) { *a = 1; }
__global__ void twin(int* a, int b) { *a = b; }
namespace { __global__ void twin(long long* a) { *a = 3; } }
)",
                                             {});
  try {
    module->function("twin");
    FAIL() << "no error";
  } catch (const LaunchError& error) {
    for (const char* name :
         {"twin(int*)", "twin(int*, int)", "(anonymous namespace)::twin(long long*)"})
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos)
          << error.what();
  }
  EXPECT_EQ(module->function("twin(int*, int)")->parameters().size(), 2u);
  EXPECT_NO_THROW(module->function("(anonymous namespace)::twin(long long*)"));
}

}  // namespace
}  // namespace minitorch::runtime
