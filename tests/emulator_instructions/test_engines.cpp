// Every conformance file as a kernel of 32 threads: on the scalar oracle and on the
// vector engine, loads and stores included.
#include <gtest/gtest.h>

#include <cstring>

#include "ptx/decode.h"
#include "simt/program/launch.h"
#include "table.h"

namespace {

using conformance::Form;
using conformance::kRows;
using minitorch::simt::Launch;
using minitorch::simt::LoadedModule;
using minitorch::simt::Memory;
using minitorch::simt::Outcome;
namespace ptx = minitorch::ptx;

constexpr size_t kWords = 4;  // of 8 bytes, for each row

using Words = std::vector<uint64_t>;

Words run_form(const Form& form, Memory& memory, Outcome (*engine)(const Launch&),
               Outcome& outcome) {
  LoadedModule module{ptx::decode(form.ptx), {}};
  module.variable_address.resize(module.module->variables.size());
  const uint64_t bytes = kRows * kWords * sizeof(uint64_t);
  const uint64_t addresses[2] = {memory.allocate(bytes), memory.allocate(bytes)};
  Words words(kRows * kWords);
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t i = 0; i < form.sources[row].size(); ++i) {
      words[row * kWords + i] = form.sources[row][i];
    }
  }
  std::memcpy(reinterpret_cast<void*>(addresses[0]), words.data(), bytes);
  std::memset(reinterpret_cast<void*>(addresses[1]), 0, bytes);
  memory.mark_written(addresses[0], bytes);
  Launch launch;
  launch.module = &module;
  launch.function = module.module->find_function("row");
  launch.code = make_code(module, launch.function);
  launch.block = {kRows, 1, 1};
  launch.parameters.resize(sizeof addresses);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  launch.memory = &memory;
  launch.profile = minitorch::base::find_card_profile("h100");
  launch.checks = MtCheck_UninitGlobal;
  outcome = engine(launch);
  std::memcpy(words.data(), reinterpret_cast<const void*>(addresses[1]), bytes);
  memory.release(addresses[0]);
  memory.release(addresses[1]);
  return words;
}

struct Engine {
  const char* name;
  Outcome (*run)(const Launch&);
};

class Engines : public testing::TestWithParam<std::tuple<const char*, Engine>> {};

TEST_P(Engines, RunTheSmallKernelsExactly) {
  const auto [family, engine] = GetParam();
  Memory memory(uint64_t{64} << 20);
  for (const Form& form : conformance::read_forms(family)) {
    Outcome outcome;
    const Words words = run_form(form, memory, engine.run, outcome);
    for (const MtFinding& finding : outcome.findings) {
      EXPECT_EQ(finding.kind, MtFinding_DivByZero)
          << form.name << ": " << finding.detail;
    }
    const uint32_t bytes = form.ulp == 0                                ? 8
                           : form.name.find("f64") != std::string::npos ? 8
                           : form.name.find("f32") != std::string::npos ? 4
                                                                        : 2;
    for (size_t row = 0; row < kRows; ++row) {
      for (size_t i = 0; i < form.results[row].size(); ++i) {
        const uint64_t got = words[row * kWords + i], expected = form.results[row][i];
        EXPECT_TRUE(conformance::close(got, expected, form.ulp, bytes))
            << form.name << " row " << row << " result " << i << std::hex << ": got "
            << got << ", expected " << expected;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, Engines,
    testing::Combine(testing::Values("integer", "float", "compare", "convert",
                                     "extended"),
                     testing::Values(Engine{"scalar", minitorch::simt::run_scalar},
                                     Engine{"vector", minitorch::simt::run})),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param).name;
    });

}  // namespace
