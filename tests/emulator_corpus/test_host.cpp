// Kernels of the corpus against the same loops as host C++, bit for bit: every sum is
// in the order of the source, every fused multiply-add is one.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases.h"
#include "host.h"

namespace {

using corpus::Bench;
using corpus::Case;
using corpus::HostKernel;

class HostLoops : public testing::TestWithParam<HostKernel> {};

TEST_P(HostLoops, GiveTheSameBits) {
  const HostKernel& host = GetParam();
  const auto& all = corpus::cases();
  const auto known = std::find_if(all.begin(), all.end(), [&](const Case& c) {
    return std::string(c.name) == host.name;
  });
  ASSERT_NE(known, all.end());
  for (int size : {1, 2, 3}) {
    Bench bench(host.name, size);
    known->prepare(bench);
    const auto expected = host.compute(bench);
    bench.run(minitorch::simt::run);
    EXPECT_EQ(bench.contents<uint8_t>(host.output), expected) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HostLoops, testing::ValuesIn(corpus::host_kernels()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
