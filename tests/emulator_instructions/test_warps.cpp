// Every form that a warp executes together (matrices, asynchronous copies) as a kernel
// of 32 threads, on the scalar oracle and on the vector engine.
#include <gtest/gtest.h>

#include <cstring>

#include "ptx/decode.h"
#include "simt/program/launch.h"
#include "table.h"

namespace {

using conformance::WarpForm;
using minitorch::simt::Launch;
using minitorch::simt::LoadedModule;
using minitorch::simt::Memory;
using minitorch::simt::Outcome;
namespace ptx = minitorch::ptx;

struct Engine {
  const char* name;
  Outcome (*run)(const Launch&);
};

LoadedModule load(const std::string& text) {
  LoadedModule module{ptx::decode(text), {}};
  module.variable_address.resize(module.module->variables.size());
  return module;
}

std::vector<uint32_t> run_form(const WarpForm& form, Memory& memory,
                               const Engine& engine) {
  const LoadedModule module = load(form.ptx);
  const uint64_t in_bytes = form.words.size() * 4, out_bytes = form.results.size() * 4;
  const uint64_t addresses[2] = {memory.allocate(in_bytes), memory.allocate(out_bytes)};
  std::memcpy(reinterpret_cast<void*>(addresses[0]), form.words.data(), in_bytes);
  std::memset(reinterpret_cast<void*>(addresses[1]), 0, out_bytes);
  memory.mark_written(addresses[0], in_bytes);
  Launch launch;
  launch.module = &module;
  launch.function = module.module->find_function("row");
  launch.code = make_code(module, launch.function);
  launch.block = {32, 1, 1};
  launch.parameters.resize(sizeof addresses);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  launch.memory = &memory;
  launch.profile = minitorch::base::find_card_profile("a100");
  launch.checks = MtCheck_UninitGlobal;
  const Outcome outcome = engine.run(launch);
  for (const MtFinding& finding : outcome.findings) {
    ADD_FAILURE() << form.name << ": kind " << finding.kind << ' ' << finding.detail;
  }
  std::vector<uint32_t> got(form.results.size());
  std::memcpy(got.data(), reinterpret_cast<const void*>(addresses[1]), out_bytes);
  memory.release(addresses[0]);
  memory.release(addresses[1]);
  return got;
}

bool close(const WarpForm& form, uint32_t got, uint32_t expected) {
  if (form.kind != "f16") return conformance::close(got, expected, form.ulp, 4);
  return conformance::close(got & 0xffff, expected & 0xffff, form.ulp, 2) &&
         conformance::close(got >> 16, expected >> 16, form.ulp, 2);
}

class Warps : public testing::TestWithParam<std::tuple<const char*, Engine>> {};

TEST_P(Warps, LeaveTheExactWords) {
  const auto [family, engine] = GetParam();
  Memory memory(uint64_t{64} << 20);
  const auto forms = conformance::read_warp_forms(family);
  ASSERT_GE(forms.size(), 20u);
  for (const WarpForm& form : forms) {
    const auto got = run_form(form, memory, engine);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (close(form, got[i], form.results[i]) || ++wrong > 3) continue;
      ADD_FAILURE() << form.name << " word " << i << std::hex << ": got " << got[i]
                    << ", expected " << form.results[i];
    }
  }
}

// Where sums are rounded on the way the ISA leaves the order open; the engines agree.
TEST(WarpEngines, AgreeBitForBit) {
  Memory memory(uint64_t{64} << 20);
  auto forms = conformance::read_warp_forms("matrix");
  for (WarpForm& form : conformance::read_warp_forms("wmma")) {
    forms.push_back(std::move(form));
  }
  for (WarpForm& form : forms) {
    // Any bits at all, NaN, infinities and subnormal numbers among them.
    uint32_t bits = 0x9e3779b9;
    for (uint32_t& word : form.words) {
      bits = bits * 1664525 + 1013904223;
      word = bits ^ bits >> 15;
    }
    const auto scalar = run_form(form, memory, {"scalar", minitorch::simt::run_scalar});
    const auto vector = run_form(form, memory, {"vector", minitorch::simt::run});
    EXPECT_EQ(scalar, vector) << form.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, Warps,
    testing::Combine(testing::Values("matrix", "wmma", "copy"),
                     testing::Values(Engine{"scalar", minitorch::simt::run_scalar},
                                     Engine{"vector", minitorch::simt::run})),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param).name;
    });

}  // namespace
