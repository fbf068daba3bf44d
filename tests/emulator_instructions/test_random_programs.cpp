// Random programs on both engines: the same registers at the end.
//
// MINITORCH_FUZZ_PROGRAMS=N tries N of them instead of 600; MINITORCH_FUZZ_FOLDER=F
// writes each to F, where ptxas can be asked whether it is legal.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "random_program.h"
#include "simt/program/launch.h"

namespace {

namespace simt = minitorch::simt;

constexpr uint32_t kThreads = 64, kIn = 64, kOut = 256;

std::vector<uint64_t> run_program(const std::string& text,
                                  simt::Outcome (*engine)(const simt::Launch&)) {
  simt::Memory memory(uint64_t{1} << 24);
  simt::LoadedModule module{minitorch::ptx::decode(text), {}};
  module.variable_address.resize(module.module->variables.size());
  const uint64_t addresses[2] = {memory.allocate(kThreads * kIn),
                                 memory.allocate(kThreads * kOut)};
  std::mt19937_64 random(7);
  auto* in = reinterpret_cast<uint64_t*>(addresses[0]);
  // Small numbers, floats near 1 in several formats, and any bits.
  static constexpr uint64_t kSeeds[] = {3, 0x3f8000003f800000, 0x3ff0000000000000,
                                        0x3c003c003c003c00, 0x3f803f803f803f80};
  for (uint32_t i = 0; i < kThreads * kIn / 8; ++i) {
    const uint64_t bits = random();
    in[i] = bits % 3 ? kSeeds[bits % 5] + (bits >> 60) : random();
  }
  std::memset(reinterpret_cast<void*>(addresses[1]), 0, kThreads * kOut);
  memory.mark_written(addresses[0], kThreads * kIn);
  simt::Launch launch;
  launch.module = &module;
  launch.function = module.module->find_function("row");
  launch.code = make_code(module, launch.function);
  launch.block = {kThreads, 1, 1};
  launch.parameters.resize(sizeof addresses);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  launch.memory = &memory;
  const simt::Outcome outcome = engine(launch);
  for (const MtFinding& finding : outcome.findings) {
    EXPECT_EQ(finding.kind, MtFinding_DivByZero) << finding.detail << '\n' << text;
  }
  std::vector<uint64_t> out(kThreads * kOut / 8);
  std::memcpy(out.data(), reinterpret_cast<const void*>(addresses[1]), kThreads * kOut);
  out.push_back(outcome.findings.empty());  // or a division by zero that is used
  return out;
}

void keep(const std::string& text, uint32_t seed) {
  const char* folder = std::getenv("MINITORCH_FUZZ_FOLDER");
  if (!folder) return;
  std::ofstream(std::string(folder) + "/" + std::to_string(seed) + ".ptx") << text;
}

TEST(RandomPrograms, EndWithTheSameRegistersOnBothEngines) {
  const char* asked = std::getenv("MINITORCH_FUZZ_PROGRAMS");
  const auto programs = static_cast<uint32_t>(asked ? std::atoi(asked) : 600);
  const auto forms = conformance::exact_forms();
  ASSERT_GT(forms.size(), 5000u);
  for (uint32_t seed = 1; seed <= programs; ++seed) {
    const std::string text = conformance::RandomProgram(forms, seed).text();
    keep(text, seed);
    const auto scalar = run_program(text, simt::run_scalar);
    const auto vector = run_program(text, simt::run);
    ASSERT_EQ(scalar, vector) << "seed " << seed << '\n' << text;
  }
}

}  // namespace
