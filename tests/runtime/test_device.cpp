// The tests of choosing and opening devices, on the emulator.
#include "runtime/device.h"

#include <sys/wait.h>
#include <unistd.h>

#include <numeric>

#include "runtime/memory.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

using DeviceTest = EmulatorTest;

TEST(ParseBackend, KnowsItsWords) {
  EXPECT_EQ(parse_backend("auto"), Backend::Auto);
  EXPECT_EQ(parse_backend("gpu"), Backend::Gpu);
  EXPECT_EQ(parse_backend("emulator"), Backend::Emulator);
  EXPECT_THROW(parse_backend("cpu"), base::ValueError);
}

TEST(EmulatorNotice, SaysWhyADriverThatIsThereWasRefused) {
  const cuda_client::CudaError absent("cuda", "cannot load it.",
                                      CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(
      emulator_notice(absent, "Tesla T4 (emulated by minitorch)"),
      "minitorch: no usable NVIDIA GPU found: device cuda is an emulated Tesla T4.\n");
  const cuda_client::CudaError old("cuda", "got an old driver.",
                                   CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(emulator_notice(old, "X"),
            "minitorch: no usable NVIDIA GPU found ([cuda] got an old driver): device "
            "cuda is an emulated X.\n");
}

TEST_F(DeviceTest, IsTheEmulatorWhenAskedFor) {
  EXPECT_TRUE(cuda_available());
  EXPECT_TRUE(cuda_api().emulated());
  EXPECT_EQ(&device(Backend::Emulator), &current_device());
  EXPECT_EQ(&device(Backend::Auto), &current_device());
  EXPECT_EQ(current_device().limits().block_threads, 1024u);
  EXPECT_EQ(current_device().limits().grid[1], 65535u);
}

TEST_F(DeviceTest, CopiesThereAndBack) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const size_t bytes = values.size() * sizeof values[0];
  const auto first = allocate(bytes), second = allocate(bytes);
  copy_to_device(first->pointer(), values.data(), bytes);
  std::fill(values.begin(), values.end(), -1);  // the copy has its own by now
  copy_on_device(second->pointer(), first->pointer(), bytes);
  std::vector<int> back(values.size());
  copy_to_host(back.data(), second->pointer(), bytes, WaitReason::Value);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(back[static_cast<size_t>(i)], i);
  fill_bytes(second->pointer(), 0x7f, bytes);
  copy_to_host(back.data(), second->pointer(), bytes, WaitReason::Value);
  EXPECT_EQ(back[999], 0x7f7f7f7f);
}

TEST_F(DeviceTest, AllocatesNothing) {
  const auto empty = allocate(0);
  EXPECT_NE(empty->pointer(), 0u);
  copy_to_device(empty->pointer(), nullptr, 0);
  copy_to_host(nullptr, empty->pointer(), 0, WaitReason::Value);
}

TEST_F(DeviceTest, SaysWhatIsLeftWhenMemoryIsOut) {
  try {
    allocate(size_t{1} << 50);
    FAIL() << "no error";
  } catch (const cuda_client::OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("1125899906842624 bytes"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(allocate(100));
}

TEST_F(DeviceTest, RefusesToBeUsedAfterAFork) {
  current_device();
  const auto buffer = allocate(16);
  const pid_t child = fork();
  if (child == 0) {
    bool refused = false;
    try {
      current_device();
    } catch (const base::StateError& error) {
      refused =
          std::string(error.what()).find("initialise after fork") != std::string::npos;
    }
    buffer->free();  // a child that drops its arrays must not touch the driver
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(DeviceTest, WorksAgainAfterAReset) {
  const auto old = allocate(64);
  const auto old_stream = make_stream();
  reset();
  EXPECT_NO_THROW(old->free());
  EXPECT_THROW(old_stream->handle(), base::StateError);
  const auto fresh = allocate(64);
  const std::vector<char> zeros(64);
  copy_to_device(fresh->pointer(), zeros.data(), 64);
  EXPECT_NO_THROW(synchronize());
}

TEST_F(DeviceTest, StreamsAreCurrentForAScope) {
  EXPECT_EQ(current_stream(), nullptr);
  const auto outer = make_stream(), inner = make_stream();
  {
    const StreamGuard first(outer);
    EXPECT_EQ(current_stream(), outer->handle());
    {
      const StreamGuard second(inner);
      EXPECT_EQ(current_stream(), inner->handle());
    }
    EXPECT_EQ(current_stream(), outer->handle());
  }
  EXPECT_EQ(current_stream(), nullptr);
}

}  // namespace
}  // namespace minitorch::runtime
