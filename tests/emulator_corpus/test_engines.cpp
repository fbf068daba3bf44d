// Every kernel of the corpus at three sizes: the vector engine leaves the bytes that
// the scalar oracle leaves, prints what it prints and finds nothing wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cases.h"

namespace {

using corpus::Bench;
using corpus::Case;
using minitorch::simt::Outcome;

class Corpus : public testing::TestWithParam<Case> {};

void expect_silence(const Outcome& outcome) {
  for (const MtFinding& finding : outcome.findings) {
    ADD_FAILURE() << "kind " << finding.kind << " line " << finding.site.position.line
                  << ": " << finding.detail;
  }
}

TEST_P(Corpus, EnginesAgreeOnEveryByte) {
  const Case& wanted = GetParam();
  for (int size : {1, 2, 3}) {
    Bench scalar(wanted.name, size), vector(wanted.name, size);
    wanted.prepare(scalar);
    wanted.prepare(vector);
    const auto before = vector.everything();
    expect_silence(scalar.run(minitorch::simt::run_scalar));
    expect_silence(vector.run(minitorch::simt::run));
    if (wanted.timed) continue;
    const auto expected = scalar.everything(), got = vector.everything();
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], expected[i])
          << wanted.name << " size " << size << " buffer " << i;
    }
    EXPECT_EQ(vector.printed, scalar.printed);
    const bool quiet = std::string(wanted.name) == "assert_k";
    EXPECT_TRUE(quiet || got != before || !vector.printed.empty()) << wanted.name;
  }
}

TEST(CorpusList, HasEveryKernelButTheTexture) {
  std::set<std::string> listed{"texture_k"};
  for (const Case& known : corpus::cases()) listed.insert(known.name);
  for (const auto& entry :
       std::filesystem::directory_iterator(MINITORCH_TEST_PTX "/ptx")) {
    if (entry.path().extension() != ".ptx") continue;
    EXPECT_TRUE(listed.contains(entry.path().stem())) << entry.path();
  }
}

TEST(CorpusList, TextureIsRefusedWithItsLine) {
  for (auto engine : {minitorch::simt::run_scalar, minitorch::simt::run}) {
    Bench bench("texture_k", 1);
    bench.value(uint64_t{0});
    bench.zeros<float>(32);
    const Outcome outcome = bench.run(engine);
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind, MtFinding_Unsupported);
    EXPECT_GT(outcome.findings[0].site.position.line, 0);
    EXPECT_EQ(std::string(outcome.findings[0].detail).rfind("tex.", 0), 0u)
        << outcome.findings[0].detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, testing::ValuesIn(corpus::cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
