// The tests of a user's own kernels: loading, launching, checks and faults, on the
// emulator.
#include "runtime/raw_module.h"

#include <atomic>
#include <thread>

#include "runtime/findings.h"
#include "runtime/kernel_error.h"
#include "runtime/memory.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

constexpr const char* kModuleCode = R"(
extern "C" __global__ void add_one(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
extern "C" __global__ void no_guard(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 1;
}
extern "C" __global__ void forever(volatile int* flag) {
  while (*flag == 0) { }
}
extern "C" __global__ void shared_sum(float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = tile[blockDim.x - 1];
}
template <class T> __global__ void scale(T* a, T factor) { a[threadIdx.x] *= factor; }
__global__ void mangled(int* a) { a[0] = 7; }
__device__ int counter = 3;
)";

class RawModuleTest : public EmulatorCompilerTest {
 protected:
  void SetUp() override {
    EmulatorCompilerTest::SetUp();
    if (IsSkipped()) return;
    ModuleOptions options;
    options.name_expressions = {"scale<double>"};
    module_ = RawModule::from_source(kModuleCode, options);
  }

  static ArrayArgument floats(const cuda_client::Buffer& buffer) {
    return {buffer.pointer(), {'f', 4}, &buffer.api()};
  }

  static std::shared_ptr<cuda_client::Buffer> filled(const std::vector<float>& values) {
    auto buffer = allocate(values.size() * 4);
    copy_to_device(buffer->pointer(), values.data(), values.size() * 4);
    return buffer;
  }

  static std::vector<float> values_of(const cuda_client::Buffer& buffer) {
    std::vector<float> values(buffer.bytes() / 4);
    copy_to_host(values.data(), buffer.pointer(), buffer.bytes(), WaitReason::Value);
    return values;
  }

  void launch(const char* name, base::Dim3 grid, base::Dim3 block,
              std::vector<Argument> arguments, uint32_t shared = 0) {
    module_->function(name)->launch({grid, block, shared}, arguments);
  }

  // The error of the next synchronisation.
  static KernelError fault() {
    try {
      synchronize();
    } catch (const KernelError& error) {
      return error;
    }
    throw std::runtime_error("no KernelError");
  }

  std::shared_ptr<RawModule> module_;
};

TEST_F(RawModuleTest, RunsAKernel) {
  const auto in = filled({1, 2, 3, 4, 5}), out = allocate(20);
  launch("add_one", {1}, {32}, {floats(*out), floats(*in), int64_t{5}});
  EXPECT_EQ(values_of(*out), (std::vector<float>{2, 3, 4, 5, 6}));
  EXPECT_TRUE(last_findings().empty());
}

TEST_F(RawModuleTest, RunsOnAStream) {
  const auto stream = make_stream();
  const auto in = filled(std::vector<float>(1000, 1)), out = allocate(4000);
  synchronize();
  const std::vector<Argument> arguments = {floats(*out), floats(*in), int64_t{1000}};
  module_->function("add_one")->launch({{10}, {100}, 0, stream}, arguments);
  synchronize_stream(current_device(), stream->handle());
  EXPECT_EQ(values_of(*out), std::vector<float>(1000, 2));
}

TEST_F(RawModuleTest, FindsTemplatesAndMangledNames) {
  const auto scale = module_->function("scale<double>");
  ASSERT_EQ(scale->parameters().size(), 2u);
  EXPECT_EQ(element_name(scale->parameters()[1].element), "float64");
  const auto mangled = module_->function("mangled");
  EXPECT_EQ(mangled->parameters()[0].name, "a");
  EXPECT_EQ(module_->global("counter")->bytes(), 4u);
  EXPECT_THROW(module_->global("nothing"), base::ValueError);
}

TEST_F(RawModuleTest, ListsTheKernelsWhenTheNameIsWrong) {
  try {
    module_->function("add_two");
    FAIL() << "no error";
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.kind, "entry_not_found");
    const std::string message = error.what();
    EXPECT_NE(message.find("'add_two'"), std::string::npos) << message;
    EXPECT_NE(message.find("add_one"), std::string::npos) << message;
    EXPECT_NE(message.find("scale<double>"), std::string::npos) << message;
  }
}

TEST_F(RawModuleTest, RefusesShapesTheCardCannotRun) {
  const auto out = allocate(4096);
  const auto refused = [&](base::Dim3 grid, base::Dim3 block, uint32_t shared,
                           const char* expected) {
    try {
      launch("shared_sum", grid, block, {floats(*out)}, shared);
      ADD_FAILURE() << "no error for " << expected;
    } catch (const LaunchError& error) {
      EXPECT_EQ(error.kind, "launch_config");
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos)
          << error.what();
    }
  };
  refused({0}, {32}, 0, "grid.x is 0");
  refused({1}, {32, 0}, 0, "block.y is 0");
  refused({1}, {1025}, 0, "1025 threads; need at most 1024");
  refused({1}, {32, 33}, 0, "1056 threads");
  refused({1}, {1, 1, 65}, 0, "block.z is 65, need at most 64");
  refused({1, 65536}, {32}, 0, "grid.y is 65536, need at most 65535");
  refused({1}, {32}, 1 << 20, "1048576 bytes of shared memory");
  EXPECT_NO_THROW(launch("shared_sum", {1}, {32}, {floats(*out)}, 128));
  float last = 0;
  copy_to_host(&last, out->pointer(), 4, WaitReason::Value);
  EXPECT_EQ(last, 31);
}

TEST_F(RawModuleTest, RaisesAFaultOnceWithItsPlaceAndLaunchSite) {
  set_launch_site_provider([] { return std::string("train.py:12"); });
  const auto out = allocate(100 * 4);
  launch("no_guard", {2}, {64}, {floats(*out)});
  const KernelError error = fault();
  EXPECT_EQ(error.finding.kind, MtFinding_OobGlobal);
  EXPECT_EQ(error.launch_site, "train.py:12");
  EXPECT_STREQ(error.finding.kernel, "no_guard");
  EXPECT_EQ(error.finding.site.position.line, 8);
  EXPECT_EQ(error.finding.site.block[0], 1u);
  EXPECT_EQ(error.finding.site.thread[0], 36u);  // 64 + 36 is the first beyond 99
  EXPECT_TRUE(
      std::string(error.what())
          .starts_with("[emulator] write of 4 bytes, just past the end of 'out' "
                       "(400 bytes): thread (36,0,0) of block (1,0,0), "
                       "kernel.cu:8 in no_guard"))
      << error.what();
  EXPECT_NE(std::string(error.what()).find(", launched at train.py:12."),
            std::string::npos)
      << error.what();
  EXPECT_NE(std::string(error.what()).find("index 100 of 100"), std::string::npos)
      << error.what();
  EXPECT_FALSE(last_findings().empty());
  EXPECT_NO_THROW(synchronize()) << "raised once; the context is clean";
  const auto in = filled({1});
  launch("add_one", {1}, {1}, {floats(*out), floats(*in), int64_t{1}});
  EXPECT_NO_THROW(synchronize());
}

TEST_F(RawModuleTest, RaisesTheFaultThatComesAfterThousandsOfFindings) {
  const auto in = allocate(4), out = allocate(4);
  const std::vector<Argument> arguments = {floats(*out), floats(*in), int64_t{1}};
  const auto kernel = module_->function("add_one");
  for (int i = 0; i < 4200; ++i) kernel->launch({{1}, {1}}, arguments);
  launch("no_guard", {1}, {2}, {floats(*out)});
  EXPECT_EQ(fault().finding.kind, MtFinding_OobGlobal);
  EXPECT_GE(last_findings().size(), 4000u);
  EXPECT_NO_THROW(synchronize());
}

TEST_F(RawModuleTest, AnAllocationAfterAFaultRaisesIt) {
  const auto out = allocate(4);
  launch("no_guard", {1}, {2}, {floats(*out)});
  cuda_client::Api& api = cuda_api();
  EXPECT_EQ(api.ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);  // another's wait
  EXPECT_THROW(allocate(size_t{1} << 20), KernelError);
  EXPECT_NO_THROW(allocate(size_t{1} << 20));
}

TEST_F(RawModuleTest, FindsTheUseOfAFreedArray) {
  const auto in = filled({1, 2}), out = allocate(8);
  out->free();
  launch("add_one", {1}, {2}, {floats(*out), floats(*in), int64_t{2}});
  EXPECT_EQ(fault().finding.kind, MtFinding_UseAfterFree);
}

TEST_F(RawModuleTest, FindsANullPointer) {
  const auto in = filled({1, 2});
  launch("add_one", {1}, {2}, {NullPointer{}, floats(*in), int64_t{2}});
  EXPECT_EQ(fault().finding.kind, MtFinding_NullPointer);
}

TEST_F(RawModuleTest, FindsReadsOfWhatNobodyWroteAsLongAsChecksAreOn) {
  const auto in = allocate(8), out = allocate(8);
  const std::vector<Argument> arguments = {floats(*out), floats(*in), int64_t{2}};
  launch("add_one", {1}, {2}, arguments);
  EXPECT_EQ(fault().finding.kind, MtFinding_UninitGlobal);
  set_checks(CheckLevel::Memory);
  launch("add_one", {1}, {2}, arguments);
  EXPECT_NO_THROW(synchronize());
}

TEST_F(RawModuleTest, FindsReadsOfAReusedBlockThatNobodyWrote) {
  std::vector<std::shared_ptr<cuda_client::Buffer>> old;
  for (size_t i = 0; i < cuda_client::Allocator::kQuarantineBlocks + 1; ++i)
    old.push_back(filled({1, 2}));
  old.clear();
  const auto before = current_device().allocator()->statistics();
  const auto in = allocate(8), out = allocate(8);
  const auto after = current_device().allocator()->statistics();
  EXPECT_LE(after.driver_allocations, before.driver_allocations + 1)
      << "the first is a reused block";
  launch("add_one", {1}, {2}, {floats(*out), floats(*in), int64_t{2}});
  EXPECT_EQ(fault().finding.kind, MtFinding_UninitGlobal);
}

TEST_F(RawModuleTest, AHookThatThrowsEndsTheWaitAndTheWork) {
  const std::vector<float> zero = {0};
  const auto flag = filled(zero);
  set_budget(0);
  ModuleOptions options;
  const ArrayArgument argument{flag->pointer(), {'i', 4}, &flag->api()};
  std::vector<Argument> arguments = {argument};
  std::atomic<int> calls{0};
  set_wait_hook([&] {
    if (++calls == 2) throw std::runtime_error("interrupted");
  });
  module_->function("forever")->launch({{1}, {1}}, arguments);
  try {
    synchronize();
    FAIL() << "no error";
  } catch (const KernelError&) {
    // A spin that nobody can end may be found before the second call of the hook.
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "interrupted");
  }
  set_budget(uint64_t{1} << 30);
  set_wait_hook({});
  EXPECT_NO_THROW(synchronize());
  const auto in = filled({1}), out = allocate(4);
  launch("add_one", {1}, {1}, {floats(*out), floats(*in), int64_t{1}});
  EXPECT_EQ(values_of(*out), std::vector<float>{2});
}

TEST_F(RawModuleTest, ALaunchBehindALongQueueCanBeInterrupted) {
  const auto flag = filled({0});
  set_budget(0);
  const std::vector<Argument> endless = {
      ArrayArgument{flag->pointer(), {'i', 4}, &flag->api()}};
  set_wait_hook([] { throw std::runtime_error("interrupted"); });
  const auto kernel = module_->function("forever");
  try {
    for (int i = 0; i < 2000; ++i) kernel->launch({{1}, {1}}, endless);
    FAIL() << "no launch waited";
  } catch (const KernelError&) {
    // A spin that nobody can end may be found first.
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "interrupted");
  }
  set_wait_hook({});
  set_budget(uint64_t{1} << 30);
  EXPECT_NO_THROW(synchronize());
}

TEST_F(RawModuleTest, FunctionsTellTheirParametersAndAttributes) {
  const auto kernel = module_->function("add_one");
  EXPECT_EQ(kernel->attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  cuda_client::Module loaded(current_device().shared_api(), module_->ptx());
  cuda_client::Function function;
  ASSERT_TRUE(loaded.find("add_one", &function));
  EXPECT_FALSE(loaded.find("nothing", &function));
  bool known = false;
  const std::vector<cuda_client::ParameterSlot> slots = function.parameters(&known);
  ASSERT_TRUE(known);
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_EQ(slots[1].offset, 8u);
  EXPECT_EQ(slots[2].offset, 16u);
  EXPECT_EQ(slots[2].size, 4u);
}

TEST_F(RawModuleTest, TwoThreadsLaunchAtOnce) {
  const auto kernel = module_->function("add_one");
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(2);
  for (size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      const auto in = filled(std::vector<float>(100, static_cast<float>(t)));
      const auto out = allocate(400);
      const std::vector<Argument> arguments = {floats(*out), floats(*in), int64_t{100}};
      for (int i = 0; i < 50; ++i) kernel->launch({{1}, {128}}, arguments);
      results[t] = values_of(*out);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[0], std::vector<float>(100, 1));
  EXPECT_EQ(results[1], std::vector<float>(100, 2));
}

TEST_F(RawModuleTest, LaunchesAreCountedByShapeAndTimed) {
  const auto in = filled({1, 2}), out = allocate(8);
  const std::vector<Argument> arguments = {floats(*out), floats(*in), int64_t{2}};
  const auto kernel = module_->function("add_one");
  set_launch_timing(true);
  for (int i = 0; i < 3; ++i) kernel->launch({{1}, {32}}, arguments);
  kernel->launch({{2}, {32}}, arguments);
  set_launch_timing(false);
  const std::vector<LaunchRow> table = launch_table();
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].kernel, "add_one");
  EXPECT_EQ(table[0].file, "kernel.cu");
  EXPECT_EQ(table[0].launches, 3u);
  EXPECT_GT(table[0].seconds, 0);
  EXPECT_EQ(table[1].grid, (base::Dim3{2, 1, 1}));
  EXPECT_EQ(table[1].launches, 1u);
}

TEST_F(RawModuleTest, RunsPtxWithArgumentsCheckedBySize) {
  const auto from_ptx = RawModule::from_ptx(module_->ptx());
  const auto kernel = from_ptx->function("add_one");
  const auto in = filled({1, 2}), out = allocate(8);
  const std::vector<Argument> good = {floats(*out), floats(*in), int64_t{2}};
  kernel->launch({{1}, {2}}, good);
  EXPECT_EQ(values_of(*out), (std::vector<float>{2, 3}));
  const std::vector<Argument> swapped = {floats(*out), int64_t{2}, floats(*in)};
  EXPECT_THROW(kernel->launch({{1}, {2}}, swapped), LaunchError);
}

TEST_F(RawModuleTest, RefusesPtxThatDoesNotAssemble) {
  try {
    RawModule::from_ptx(
        ".version 9.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k() { nonsense.u32 %r1; }\n");
    FAIL() << "no error";
  } catch (const cuda_client::ImageError& error) {
    EXPECT_NE(error.log.find("nonsense"), std::string::npos) << error.what();
  }
}

TEST_F(RawModuleTest, KernelsLiveThroughAReset) {
  const auto kernel = module_->function("add_one");
  reset();
  const auto in = filled({1}), out = allocate(4);
  const std::vector<Argument> arguments = {floats(*out), floats(*in), int64_t{1}};
  kernel->launch({{1}, {1}}, arguments);
  EXPECT_EQ(values_of(*out), std::vector<float>{2});
}

}  // namespace
}  // namespace minitorch::runtime
