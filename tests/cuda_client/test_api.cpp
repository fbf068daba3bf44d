// The tests of opening a driver and of its errors, on a stand-in.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_client/buffer.h"
#include "cuda_client/module.h"
#include "cuda_client/stream.h"
#include "tests/cuda_client/fake_driver.h"

namespace minitorch::cuda_client {
namespace {

template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

TEST(Api, TellsWhatItOpened) {
  const auto api = make_fake();
  EXPECT_EQ(api->device_name(), "Fake");
  EXPECT_EQ(api->compute_capability(), 75);
  EXPECT_EQ(api->driver_version(), 13000);
  EXPECT_EQ(api->library(), "libfake.so");
  EXPECT_FALSE(api->emulated());
  EXPECT_TRUE(make_fake(true)->emulated());
}

TEST(Api, GivesThePrimaryContextBack) {
  make_fake();
  EXPECT_EQ(fake.retained, 0);
  const auto api = make_fake();
  EXPECT_EQ(fake.retained, 1);
}

TEST(Api, RefusesALibraryThatIsNotThere) {
  const std::string message =
      message_of<CudaError>([] { Api::open("/nowhere/libcuda.so.1"); });
  EXPECT_NE(message.find("/nowhere/libcuda.so.1"), std::string::npos) << message;
  EXPECT_NE(message.find("MINITORCH_CUDA=emulator"), std::string::npos) << message;
}

TEST(Api, NamesTheSymbolsALibraryLacks) {
  fake = Fake{};
  auto symbols = fake_symbols(false);
  symbols.erase("cuLaunchKernel");
  EXPECT_NE(message_of<CudaError>([&] { open_fake(symbols); }).find(" cuLaunchKernel"),
            std::string::npos);
  symbols = fake_symbols(false);
  symbols.erase("cuFuncGetParamInfo");  // came with CUDA 12.4
  EXPECT_EQ(open_fake(symbols)->func_get_param_info, nullptr);
}

TEST(Api, RefusesADriverThatIsTooOldOrHasNoDevice) {
  fake = Fake{};
  fake.version = 10020;
  EXPECT_NE(message_of<CudaError>([] { open_fake(fake_symbols(false)); }).find("10.2"),
            std::string::npos);
  fake = Fake{};
  fake.devices = 0;
  try {
    open_fake(fake_symbols(false));
    FAIL() << "no error";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.result, CUDA_ERROR_NO_DEVICE);
  }
}

TEST(Api, NamesErrorsAndAdvises) {
  const auto api = make_fake();
  EXPECT_NO_THROW(api->check(CUDA_SUCCESS, "copy"));
  const std::string message =
      message_of<CudaError>([&] { api->check(CUDA_ERROR_ILLEGAL_ADDRESS, "copy"); });
  EXPECT_TRUE(message.starts_with("[copy] got CUDA_ERROR_ILLEGAL_ADDRESS (700)"))
      << message;
  EXPECT_NE(message.find("MINITORCH_CUDA=emulator"), std::string::npos);
  EXPECT_THROW(api->check(CUDA_ERROR_OUT_OF_MEMORY, "x"), OutOfMemory);
}

TEST(Api, RefusesCallsInAForkedChild) {
  const auto api = make_fake();
  const pid_t child = fork();
  if (child == 0) {
    const std::string message =
        message_of<base::StateError>([&] { api->make_current(); });
    _exit(message.find("initialise after fork") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NO_THROW(api->make_current());
}

TEST(Api, AResetForgetsWhatWasMadeBefore) {
  const auto api = make_fake();
  const auto allocator = std::make_shared<Allocator>(api);
  Buffer buffer(allocator, 100, nullptr);
  const Stream stream(api);
  api->reset_context();
  EXPECT_NO_THROW(buffer.free());
  EXPECT_EQ(fake.blocks.size(), 1u) << "not given to the new context's driver";
  EXPECT_THROW(stream.handle(), base::StateError);
}

TEST(Module, CarriesTheDriversLog) {
  const auto api = make_fake();
  fake.jit_log = "ptxas: line 3: no such opcode\n";
  try {
    Module(api, ".version 9.0");
    FAIL() << "no error";
  } catch (const ImageError& error) {
    EXPECT_EQ(error.log, "ptxas: line 3: no such opcode");
    EXPECT_EQ(error.result, CUDA_ERROR_INVALID_PTX);
    EXPECT_NE(std::string(error.what()).find(error.log), std::string::npos);
  }
}

}  // namespace
}  // namespace minitorch::cuda_client
