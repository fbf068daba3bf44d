// The tests of a kernel's resources on each card; what a cubin holds is tested in
// tests/nvrtc.
#include "runtime/resources.h"

#include "base/error.h"
#include "runtime/card.h"
#include "tests/runtime/emulator_place.h"

namespace minitorch::runtime {
namespace {

using ResourcesTest = EmulatorCompilerTest;

std::shared_ptr<RawKernel> kernel_of(const std::string& code, const std::string& name,
                                     std::vector<std::string> expressions = {}) {
  ModuleOptions options;
  options.name_expressions = std::move(expressions);
  return RawModule::from_source(code, std::move(options))->function(name);
}

TEST_F(ResourcesTest, AreThoseOfTheCodeForEachCard) {
  const auto kernel = kernel_of(
      "__constant__ double c[5];\n"
      "__global__ void __launch_bounds__(128) tile(float* x, int n) {\n"
      "  __shared__ float s[300];\n"
      "  s[threadIdx.x] = x[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  x[threadIdx.x] = s[127 - threadIdx.x] * (float)c[n];\n"
      "}\n",
      "tile");
  for (const base::CardProfile& card : base::card_profiles()) {
    const Resources found = resources(*kernel, std::string(card.key));
    EXPECT_EQ(found.kernel, "tile");
    EXPECT_EQ(found.card.name, card.name);
    EXPECT_EQ(found.shared_bytes, 1200u) << card.key;
    EXPECT_EQ(found.constant_bytes, 40u) << card.key;
    EXPECT_EQ(found.parameter_bytes, 12u) << card.key;
    EXPECT_EQ(found.local_bytes, 0u) << card.key;
    EXPECT_EQ(found.spill_stores + found.spill_loads, 0u) << card.key;
    EXPECT_EQ(found.barriers, 1) << card.key;
    EXPECT_EQ(found.max_threads, 128) << card.key;
    EXPECT_GE(found.registers, 4) << card.key;
    EXPECT_LE(found.registers, 40) << card.key;
    EXPECT_EQ(occupancy(found, 128, 0).blocks, card.max_warps_per_sm / 4) << card.key;
    EXPECT_EQ(occupancy(found, 129, 0).blocks, 0) << card.key;
  }
}

TEST_F(ResourcesTest, SpillsAndStackAreCounted) {
  const auto kernel = kernel_of(
      "__global__ void __launch_bounds__(1024) full(float* a, int n) {\n"
      "  float r[64];\n"
      "  for (int i = 0; i < 64; i++) r[i] = a[threadIdx.x + i * n];\n"
      "  for (int k = 0; k < n; k++)\n"
      "    for (int i = 0; i < 64; i++) r[i] = r[i] * r[(i * 7 + 3) & 63] + a[k];\n"
      "  for (int i = 0; i < 64; i++) a[threadIdx.x + i * n] = r[i];\n"
      "}\n",
      "full");
  const Resources found = resources(*kernel, "t4");
  EXPECT_EQ(found.registers, 64);  // what 65,536 registers leave to 1,024 threads
  EXPECT_GT(found.spill_stores, 0u);
  EXPECT_GT(found.spill_loads, 0u);
  EXPECT_GT(found.local_bytes, 0u);
}

TEST_F(ResourcesTest, DynamicMemoryIsOptedInTo) {
  const auto kernel =
      kernel_of("extern __shared__ float d[]; __global__ void k() { d[0] = 1; }", "k");
  const Resources found = resources(*kernel, "a100");
  EXPECT_EQ(occupancy(found, 32, 100 * 1024).blocks, 1);
  EXPECT_EQ(occupancy(found, 32, 163 * 1024).blocks, 1);
  EXPECT_EQ(occupancy(found, 32, 164 * 1024).blocks, 0);
}

TEST_F(ResourcesTest, TemplatesAreFound) {
  const auto kernel =
      kernel_of("template <class T> __global__ void set(T* x) { *x = 1; }",
                "set<float>", {"set<float>"});
  EXPECT_GT(resources(*kernel, "").registers, 0);
}

TEST_F(ResourcesTest, WithoutANameItIsTheDevicesCard) {
  const auto kernel = kernel_of("__global__ void k() {}", "k");
  EXPECT_EQ(resources(*kernel, "").card.name, current_device().api().device_name());
}

TEST_F(ResourcesTest, WrongRequestsAreRefused) {
  const auto kernel = kernel_of("__global__ void k() {}", "k");
  EXPECT_THROW(resources(*kernel, "gtx285"), base::ValueError);
  const auto ptx = RawModule::from_ptx(kernel->module()->ptx());
  const auto again = ptx->function("k");
  EXPECT_THROW(resources(*again, "t4"), base::StateError);
}

TEST_F(ResourcesTest, TheEmulatedCardIsItsProfile) {
  const base::CardProfile card = card_of(current_device());
  EXPECT_EQ(card.sm_count, 40);
  EXPECT_EQ(card.shared_per_sm, 65536u);
}

}  // namespace
}  // namespace minitorch::runtime
