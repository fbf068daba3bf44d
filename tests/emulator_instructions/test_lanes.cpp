// Every conformance row on the lane handlers themselves, for every instruction set of
// this machine: with a full mask, with a partial one, and with the destination being a
// source.
#include <gtest/gtest.h>

#include <set>

#include "trial.h"

namespace {

using conformance::Form;
using conformance::Subject;
using conformance::Trial;
using minitorch::simt::find_arithmetic;
using minitorch::simt::HandlerPair;
using minitorch::simt::Isa;

class LaneHandlers : public testing::TestWithParam<std::tuple<const char*, Isa>> {};

TEST_P(LaneHandlers, GiveTheExactResults) {
  const auto [family, isa] = GetParam();
  if (isa > minitorch::simt::active_isa()) GTEST_SKIP() << "not on this machine";
  for (const Form& form : conformance::read_forms(family)) {
    const Subject subject(form);
    ASSERT_NE(subject.instruction, nullptr) << form.name;
    // lop3.and and .or are two steps.
    if (subject.instruction->sources.size() > 4) continue;
    const HandlerPair pair = find_arithmetic(subject.instruction->opcode, isa);
    EXPECT_NE(pair.full, nullptr) << form.name;
    EXPECT_NE(pair.masked, nullptr) << form.name;
    if (!pair.full || !pair.masked) continue;
    for (uint32_t mask : {0xffffffffu, 0x5a3c00ffu, 0x80000001u}) {
      Trial(form, subject).run(pair, mask);
      Trial aliased(form, subject);
      if (aliased.alias()) aliased.run(pair, mask);
    }
  }
}

// The tables know every opcode of opcodes.inc that computes in one lane.
TEST(ConformanceTables, HaveEveryArithmeticOpcode) {
  using minitorch::ptx::Op;
  std::set<Op> tried;
  for (const char* family : {"integer", "float", "compare", "convert", "extended"}) {
    for (const Form& form : conformance::read_forms(family)) {
      tried.insert(Subject(form).instruction->opcode.op);
    }
  }
  const std::pair<Op, const char*> all[] = {
#define PTX_OP(...)
#define PTX_LANE(name, ...) {Op::name, #name},
#include "ptx/opcodes.inc"
#undef PTX_LANE
#undef PTX_OP
  };
  for (const auto& [op, name] : all) {
    EXPECT_TRUE(tried.contains(op)) << name << " has no row";
  }
}

INSTANTIATE_TEST_SUITE_P(Instructions, LaneHandlers,
                         testing::Combine(testing::Values("integer", "float", "compare",
                                                          "convert", "extended"),
                                          testing::Values(Isa::Portable, Isa::Avx2,
                                                          Isa::Avx512)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  minitorch::simt::isa_name(std::get<1>(info.param));
                         });

}  // namespace
