// The tests of what only a real GPU's driver does, on a stand-in: faults without a
// place, and a driver older than the compiler.
#include <gtest/gtest.h>

#include <fstream>

#include "nvrtc/location_index.h"
#include "runtime/findings.h"
#include "runtime/kernel.h"
#include "runtime/kernel_error.h"
#include "runtime/launch_record.h"
#include "runtime/launch_site.h"
#include "runtime/stream.h"
#include "tests/cuda_client/fake_driver.h"
#include "tests/nvrtc/test_place.h"

namespace minitorch::runtime {
namespace {

CUresult fail_in_kernel() { return CUDA_ERROR_ILLEGAL_ADDRESS; }
CUresult fail_in_stream(CUstream) { return CUDA_ERROR_ILLEGAL_ADDRESS; }

TEST(DeviceFault, NamesTheLaunchesSinceTheLastSynchronisation) {
  cuda_client::fake = cuda_client::Fake{};
  auto symbols = cuda_client::fake_symbols(false);
  symbols["cuCtxSynchronize"] = reinterpret_cast<void*>(fail_in_kernel);
  symbols["cuStreamQuery"] = reinterpret_cast<void*>(fail_in_stream);
  Device device(cuda_client::open_fake(symbols));
  forget_launches_since_sync();
  LaunchRecord(device, "scale", "scale.cu", {4}, {32}, nullptr, "train.py:7")
      .launched();
  LaunchRecord(device, "sum", "sum.cu", {4}, {32}, nullptr, "").launched();
  try {
    synchronize(device);
    FAIL() << "no error";
  } catch (const KernelError& error) {
    EXPECT_EQ(error.finding.kind, MtFinding_DeviceFault);
    EXPECT_EQ(error.finding.has_allocation, 0);
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("[cuda] ")) << message;
    EXPECT_NE(message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << message;
    EXPECT_NE(message.find("scale at train.py:7, sum."), std::string::npos) << message;
    EXPECT_NE(message.find("MINITORCH_CUDA=emulator"), std::string::npos) << message;
    EXPECT_NE(message.find("cuda.reset()"), std::string::npos) << message;
  }
  EXPECT_TRUE(launches_since_sync().empty());
  clear_launch_table();
}

bool broken = false;

CUresult fail_when_broken() {
  return broken ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}
CUresult set_current_of_broken(CUcontext) { return fail_when_broken(); }
CUresult query_of_broken(CUstream) { return fail_when_broken(); }
CUresult mend(CUdevice) { return broken = false, CUDA_SUCCESS; }

// A context after a fault: whatever is called says it again, until the reset.
std::map<std::string, void*> sticky_symbols() {
  auto symbols = cuda_client::fake_symbols(false);
  symbols["cuCtxSetCurrent"] = reinterpret_cast<void*>(set_current_of_broken);
  symbols["cuCtxSynchronize"] = reinterpret_cast<void*>(fail_when_broken);
  symbols["cuStreamQuery"] = reinterpret_cast<void*>(query_of_broken);
  symbols["cuDevicePrimaryCtxReset_v2"] = reinterpret_cast<void*>(mend);
  return symbols;
}

TEST(DeviceFault, IsAKernelErrorWhicheverCallTellsItFirst) {
  cuda_client::fake = cuda_client::Fake{};
  broken = false;
  Device device(cuda_client::open_fake(sticky_symbols()));
  broken = true;
  EXPECT_THROW(synchronize(device), KernelError);
  EXPECT_THROW(synchronize(device), KernelError) << "it stays";
}

TEST(DeviceFault, IsOverAfterAReset) {
  cuda_client::fake = cuda_client::Fake{};
  broken = false;
  Device device(cuda_client::open_fake(sticky_symbols()));
  broken = true;
  EXPECT_THROW(synchronize(device), KernelError);
  device.reset();
  EXPECT_FALSE(broken);
  EXPECT_NO_THROW(synchronize(device));
}

TEST(DeviceFault, IsNoMistakeOfTheHost) {
  cuda_client::fake = cuda_client::Fake{};
  Device device(cuda_client::open_fake(cuda_client::fake_symbols(false)));
  for (CUresult mistake :
       {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
        CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES}) {
    try {
      raise_findings(device, mistake);
      FAIL() << "no error";
    } catch (const KernelError& error) {
      FAIL() << error.what();
    } catch (const cuda_client::CudaError& error) {
      EXPECT_EQ(error.result, mistake);
    }
  }
}

class OldDriverTest : public nvrtc::CacheTest {};

TEST_F(OldDriverTest, RefusesACompilerOfALaterMajorVersion) {
  const std::string library = folder_ + "/libnvrtc.so.13";
  std::ofstream(library) << "x";
  nvrtc::set_environment("old driver");
  nvrtc::remember(nvrtc::index_row("old driver", library));
  cuda_client::fake = cuda_client::Fake{};
  cuda_client::fake.version = 12040;
  Device device(cuda_client::open_fake(cuda_client::fake_symbols(false)));
  try {
    build_for(device, {});
    FAIL() << "no error";
  } catch (const base::StateError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "[nvrtc] got NVRTC 13.5 and a driver for CUDA 12.4; need NVRTC 12 or older. "
        "Install it: pip install \"minitorch-cuda[nvrtc12]\", or update the "
        "driver.");
  }
  EXPECT_FALSE(nvrtc::loaded());
  nvrtc::set_environment("default");
}

}  // namespace
}  // namespace minitorch::runtime
