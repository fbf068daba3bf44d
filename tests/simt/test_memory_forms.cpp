// Loads and stores of every size, vector and space, against the same expressions on the
// host.
#include <gtest/gtest.h>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

class MemoryForms : public testing::Test {
 protected:
  MemoryForms() : machine_(read_ptx("simt/memory")) {}

  void expect_clean(Launch launch) {
    launch.checks = MtCheck_UninitGlobal;
    const Outcome outcome = run(launch);
    ASSERT_TRUE(outcome.findings.empty())
        << outcome.findings[0].kind << ' ' << outcome.findings[0].detail << " line "
        << outcome.findings[0].site.position.line;
  }
  Machine machine_;
};

TEST_F(MemoryForms, NarrowIntegersKeepTheirSigns) {
  std::vector<int8_t> c(40);
  std::vector<int16_t> s(40);
  std::vector<uint8_t> b(40);
  for (size_t i = 0; i < 40; ++i) {
    c[i] = static_cast<int8_t>(i * 37);
    s[i] = static_cast<int16_t>(i * 4099 - 20000);
    b[i] = static_cast<uint8_t>(255 - i);
  }
  const uint64_t out = machine_.upload(std::vector<int>(40, 0));
  const uint64_t h = machine_.upload(std::vector<uint16_t>(40, 0));
  expect_clean(machine_.launch("narrow", {1}, {40}, out, machine_.upload(c),
                               machine_.upload(s), machine_.upload(b), h));
  const auto got = machine_.download<int>(out, 40);
  const auto half = machine_.download<uint16_t>(h, 40);
  for (size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(got[i], c[i] + s[i] * 2 + b[i] * 3);
    EXPECT_EQ(half[i], static_cast<uint16_t>(s[i] + c[i]));
  }
}

TEST_F(MemoryForms, VectorsMoveAllTheirParts) {
  std::vector<float> in(128);
  std::vector<double> d(64);
  std::vector<int16_t> s(128);
  for (size_t i = 0; i < 128; ++i) {
    in[i] = static_cast<float>(i) * 0.5f;
    s[i] = static_cast<int16_t>(i * 3 % 50);
    if (i < 64) d[i] = static_cast<double>(i) * 0.25;
  }
  const uint64_t out = machine_.upload(std::vector<float>(128, 0));
  expect_clean(machine_.launch("vectors", {1}, {32}, out, machine_.upload(in),
                               machine_.upload(d), machine_.upload(s)));
  const auto got = machine_.download<float>(out, 128);
  for (size_t t = 0; t < 32; ++t) {
    const float* v = &in[4 * t];
    const int16_t* q = &s[4 * (31 - t)];
    EXPECT_EQ(got[4 * t], v[3]);
    EXPECT_EQ(got[4 * t + 1], v[2] + static_cast<float>(d[2 * t]));
    EXPECT_EQ(got[4 * t + 2], v[1] - static_cast<float>(d[2 * t + 1]));
    EXPECT_EQ(got[4 * t + 3], v[0] + static_cast<float>(q[0] * q[3] - q[1]) + 0.0f);
  }
}

TEST_F(MemoryForms, GenericPointersReachEverySpace) {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[static_cast<size_t>(i)] = 3000 + i;
  const uint64_t out = machine_.upload(std::vector<int>(64, 0));
  expect_clean(machine_.launch("generic", {1}, {32}, out, machine_.upload(in), 5));
  const auto got = machine_.download<int>(out, 64);
  std::vector<int> cells(32);
  for (int t = 0; t < 32; ++t) cells[static_cast<size_t>(t)] = 1000 + t;
  for (int t = 0; t < 32; ++t) {
    if (t % 3 == 0) ++cells[static_cast<size_t>(t ^ 1)];
  }
  for (int t = 0; t < 32; ++t) {
    const int own = 2000 + t * (t & 3) + 5, at_in = 3000 + t;
    const int read = t % 3 == 0 ? 1000 + (t ^ 1) : t % 3 == 1 ? at_in : own;
    ASSERT_EQ(got[static_cast<size_t>(t)], read) << t;
    const int after = cells[static_cast<size_t>(t)] + own + (t % 3 == 2 ? 1 : 0) +
                      at_in + (t % 3 == 1 ? 1 : 0);
    ASSERT_EQ(got[static_cast<size_t>(t + 32)], after) << t;
  }
}

TEST_F(MemoryForms, LocalArraysBelongToTheirThread) {
  std::vector<int> in(50);
  for (int i = 0; i < 50; ++i) in[static_cast<size_t>(i)] = i * 7 + 1;
  const uint64_t out = machine_.upload(std::vector<int>(50, 0));
  expect_clean(machine_.launch("stack", {1}, {50}, out, machine_.upload(in), 33));
  const auto got = machine_.download<int>(out, 50);
  for (int t = 0; t < 50; ++t) {
    const int v = in[static_cast<size_t>(t)];
    const auto small = [&](int i) { return static_cast<uint8_t>(i * 13 + t); };
    const int64_t wide = (static_cast<int64_t>(v % 10) * v) << 20;
    ASSERT_EQ(got[static_cast<size_t>(t)],
              small(v % 20) + static_cast<int>(wide >> 18) + small(33 % 20))
        << t;
  }
}

TEST_F(MemoryForms, StructuresArePassedByValue) {
  struct Table {
    int count = 5;
    int16_t scale = -3;
    float weights[6] = {1, 2, 4, 8, 16, 32};
  };
  const Table table;
  const uint64_t out = machine_.upload(std::vector<float>(32, 0));
  Launch launch = machine_.launch("structure", {1}, {32}, out);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&table);
  launch.parameters.insert(launch.parameters.end(), bytes, bytes + sizeof table);
  launch.parameters.push_back(static_cast<uint8_t>(-2));
  expect_clean(launch);
  const auto got = machine_.download<float>(out, 32);
  for (size_t t = 0; t < 32; ++t) EXPECT_EQ(got[t], table.weights[t % 5] * -3 - 2);
}

TEST_F(MemoryForms, DynamicSharedMemoryFollowsTheStaticOne) {
  const uint64_t out = machine_.upload(std::vector<int>(48, 0));
  Launch launch = machine_.launch("dynamic_shared", {3}, {48}, out, 48);
  launch.dynamic_shared = 48 * 8;
  expect_clean(launch);
  const auto got = machine_.download<int>(out, 48);
  for (int t = 0; t < 48; ++t) EXPECT_EQ(got[static_cast<size_t>(t)], 47 - t + t % 3);
  launch.dynamic_shared -= 8;
  const Outcome outcome = run(launch);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings[0].kind, MtFinding_OobShared);
  EXPECT_EQ(outcome.findings[0].site.thread[0], 47u);
}

TEST_F(MemoryForms, GuardsActOnTheirLanesOnly) {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[static_cast<size_t>(i)] = -i;
  const uint64_t out = machine_.upload(std::vector<int>(32, 0));
  expect_clean(machine_.launch("guarded", {1}, {32}, out, machine_.upload(in)));
  const auto got = machine_.download<int>(out, 32);
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(got[static_cast<size_t>(t)], t > 10 ? -t : (t + 100) * 2) << t;
  }
}

TEST(StridedLoads, TakeEveryLanesWordAndNoneBehindTheLast) {
  Machine machine(module_text(R"(
.visible .entry apart(.param .u64 out, .param .u64 in, .param .u32 step,
                      .param .u32 period) {
  .reg .b32 %r<6>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in];
  ld.param.u32 %r1, [step]; ld.param.u32 %r2, [period];
  mov.u32 %r3, %tid.x;
  rem.u32 %r4, %r3, %r2; mul.lo.u32 %r4, %r4, %r1;
  mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d2, %d3;
  ld.global.u32 %r5, [%d3+4];
  mul.wide.u32 %d4, %r3, 4; add.s64 %d4, %d1, %d4;
  st.global.u32 [%d4], %r5;
  ret;
})"));
  for (const uint32_t step : {1u, 2u, 3u, 4u, 5u, 8u, 16u, 33u}) {
    for (const uint32_t period : {1u, 16u, 32u}) {
      std::vector<uint32_t> in((period - 1) * step + 2);  // ends with the last word
      for (uint32_t i = 0; i < in.size(); ++i) in[i] = 1000 + 7 * i;
      const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
      Launch launch =
          machine.launch("apart", {1}, {32}, out, machine.upload(in), step, period);
      launch.checks = MtCheck_UninitGlobal;
      EXPECT_TRUE(run(launch).findings.empty());
      const auto got = machine.download<uint32_t>(out, 32);
      for (uint32_t t = 0; t < 32; ++t) ASSERT_EQ(got[t], in[t % period * step + 1]);
      const uint64_t inner = machine.upload(std::vector<uint32_t>(in.size() - 1, 0));
      const Outcome beyond =
          machine.run_kernel("apart", {1}, {32}, out, inner, step, period);
      ASSERT_FALSE(beyond.findings.empty()) << step << ' ' << period;
      EXPECT_EQ(beyond.findings[0].kind, MtFinding_OobGlobal);
    }
  }
}

}  // namespace
}  // namespace minitorch::simt
