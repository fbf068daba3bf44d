// The tests of the library's kernels: from source to launch, and the table of launches.
#include "runtime/kernel_store.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <thread>

#include "base/text.h"
#include "nvrtc/compiler.h"
#include "nvrtc/location.h"
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
  const auto first = get_kernel(naive_matmul());
  EXPECT_EQ(get_kernel(naive_matmul()), first);
  KernelSpec other = naive_matmul();
  other.options = {"--fmad=false"};
  EXPECT_NE(get_kernel(other), first);
  EXPECT_EQ(nvrtc::cache_statistics().compiles, before.compiles + 2);
  EXPECT_EQ(first->name, "matmul_naive");
  EXPECT_EQ(first->file, "matmul_naive.cu");
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

// A kernel of its own for each test: what is compiled stays in the caches.
KernelSpec matmul_called(const char* name) {
  KernelSpec spec = naive_matmul();
  spec.spec += base::text("// ", name, "\n");
  return spec;
}

TEST_F(KernelStoreTest, AKernelInUseOutlivesTheStore) {
  const auto kernel = get_kernel(naive_matmul());
  clear_kernels();
  EXPECT_EQ(kernel->name, "matmul_naive");
  EXPECT_GT(kernel->max_threads, 0u);
  EXPECT_NE(get_kernel(naive_matmul()), kernel);
}

TEST_F(KernelStoreTest, ThreadsThatAskFirstForOneKernelCompileItOnce) {
  const KernelSpec spec = matmul_called("threads");
  const nvrtc::CacheStatistics before = nvrtc::cache_statistics();
  constexpr size_t kThreads = 4;
  std::vector<std::shared_ptr<Kernel>> got(kThreads);
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      got[t] = get_kernel(spec);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& kernel : got) EXPECT_EQ(kernel, got[0]);
  EXPECT_EQ(nvrtc::cache_statistics().compiles, before.compiles + 1);
}

TEST_F(KernelStoreTest, KernelsAreAskedForWhileOthersForgetThem) {
  get_kernel(naive_matmul());
  std::atomic<bool> stop{false};
  std::thread forgetting([&] {
    while (!stop) clear_kernels();
  });
  for (int i = 0; i < 300; ++i) {
    const auto kernel = get_kernel(naive_matmul());
    ASSERT_EQ(kernel->name, "matmul_naive");
    ASSERT_EQ(kernel->function.attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION) > 0, true);
  }
  stop = true;
  forgetting.join();
}

// While one thread compiles, which its search for NVRTC holds up here, another takes
// kernels that are there.
TEST_F(KernelStoreTest, WhatIsLoadedDoesNotWaitForACompile) {
  const auto loaded = get_kernel(naive_matmul());
  nvrtc::forget_location();
  unsetenv("MINITORCH_NVRTC");
  std::promise<void> searching, taken;
  std::atomic<bool> in_time{false};
  nvrtc::set_environment("of its own");  // where no location is remembered
  nvrtc::set_locator([&] {
    searching.set_value();
    in_time = taken.get_future().wait_for(std::chrono::seconds(10)) ==
              std::future_status::ready;
    return nvrtc::Location{nvrtc::test_library(), {}};
  });
  std::thread compiling([] { get_kernel(matmul_called("slow")); });
  searching.get_future().wait();
  std::thread taking([&] {
    EXPECT_EQ(get_kernel(naive_matmul()), loaded);
    taken.set_value();
  });
  compiling.join();
  taking.join();
  EXPECT_TRUE(in_time);
  nvrtc::set_locator({});
  nvrtc::set_environment("default");
  nvrtc::forget_location();
}

}  // namespace
}  // namespace minitorch::runtime
