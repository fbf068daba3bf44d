// The tests of one kernel used by several threads: first launches together, and
// settings that change meanwhile.
#include <atomic>
#include <barrier>
#include <thread>

#include "runtime/memory.h"
#include "runtime/raw_module.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

constexpr const char* kCode = R"(
extern "C" __global__ void add_one(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
extern "C" __global__ void shared_sum(float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = tile[blockDim.x - 1];
}
)";

class KernelThreadsTest : public EmulatorCompilerTest {
 protected:
  void SetUp() override {
    EmulatorCompilerTest::SetUp();
    if (!IsSkipped()) module_ = RawModule::from_source(kCode, {});
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

  std::shared_ptr<RawModule> module_;
};

// After a reset the first launch loads the module anew, whichever thread makes it.
TEST_F(KernelThreadsTest, MakeTheFirstLaunchAfterAResetTogether) {
  const auto kernel = module_->function("add_one");
  constexpr size_t kThreads = 4;
  for (int round = 0; round < 25; ++round) {
    reset();
    const auto in = filled(std::vector<float>(64, 1));
    std::vector<std::shared_ptr<cuda_client::Buffer>> out;
    for (size_t t = 0; t < kThreads; ++t) out.push_back(allocate(256));
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        const std::vector<Argument> arguments = {floats(*out[t]), floats(*in),
                                                 int64_t{64}};
        start.arrive_and_wait();
        EXPECT_NO_THROW(kernel->launch({{1}, {64}}, arguments));
      });
    for (std::thread& thread : threads) thread.join();
    for (const auto& each : out)
      ASSERT_EQ(values_of(*each), std::vector<float>(64, 2)) << "round " << round;
  }
}

TEST_F(KernelThreadsTest, SettingsMayChangeWhileOthersLaunch) {
  const auto kernel = module_->function("shared_sum");
  const auto out = allocate(4);
  std::atomic<bool> stop{false};
  std::thread setting([&] {
    for (uint32_t i = 0; !stop; ++i) {
      kernel->set_cooperative(i % 2 == 0);
      kernel->set_max_dynamic_shared(1024 + 64 * (i % 8));
    }
  });
  const std::vector<Argument> arguments = {floats(*out)};
  for (int i = 0; i < 300; ++i)
    EXPECT_NO_THROW(kernel->launch({{1}, {32}, 128}, arguments));
  stop = true;
  setting.join();
  EXPECT_EQ(values_of(*out), std::vector<float>{31});
}

}  // namespace
}  // namespace minitorch::runtime
