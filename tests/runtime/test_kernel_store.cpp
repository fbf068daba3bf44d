// Owns the tests of the library's kernels: from source to launch, and the table of
// launches.
#include "runtime/kernel_store.h"

#include "nvrtc/compiler.h"
#include "runtime/kernel.h"
#include "runtime/kernel_error.h"
#include "runtime/memory.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

using KernelStoreTest = EmulatorCompilerTest;

KernelSpec naive_matmul() {
  return {"matmul_naive.cu", "matmul_naive",
          "#pragma once\nusing Scalar = float;\nusing Index = int;\n"
          "constexpr int NDIM = 1;\n"};
}

TEST_F(KernelStoreTest, CompilesAndLoadsOncePerSpec) {
  const nvrtc::CacheStatistics before = nvrtc::cache_statistics();
  Kernel& first = get_kernel(naive_matmul());
  EXPECT_EQ(&get_kernel(naive_matmul()), &first);
  KernelSpec other = naive_matmul();
  other.options = {"--fmad=false"};
  EXPECT_NE(&get_kernel(other), &first);
  EXPECT_EQ(nvrtc::cache_statistics().compiles, before.compiles + 2);
  EXPECT_EQ(first.name, "matmul_naive");
  EXPECT_EQ(first.file, "matmul_naive.cu");
}

TEST_F(KernelStoreTest, ASecondProcessNeedsNoCompiler) {
  get_kernel(naive_matmul());
  // What a new process has: an empty memory, a full disk cache.
  clear_kernels();
  nvrtc::clear_memory_cache();
  nvrtc::forget_location();
  const nvrtc::CacheStatistics before = nvrtc::cache_statistics();
  get_kernel(naive_matmul());
  EXPECT_FALSE(nvrtc::loaded());
  EXPECT_EQ(nvrtc::cache_statistics().disk_hits, before.disk_hits + 1);
}

TEST_F(KernelStoreTest, RefusesFilesAndEntriesThatAreNotThere) {
  EXPECT_THROW(get_kernel({"nothing.cu", "nothing", ""}), base::ValueError);
  KernelSpec wrong = naive_matmul();
  wrong.entry = "nothing";
  try {
    get_kernel(wrong);
    FAIL() << "no error";
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.kind, "entry_not_found");
  }
}

TEST_F(KernelStoreTest, ShowsWhyASpecDoesNotCompile) {
  KernelSpec wrong = naive_matmul();
  wrong.spec = "using Scalar = Nonsense;\n";
  try {
    get_kernel(wrong);
    FAIL() << "no error";
  } catch (const nvrtc::CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("spec.cuh(1)"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(get_kernel(naive_matmul()));
}

}  // namespace
}  // namespace minitorch::runtime
