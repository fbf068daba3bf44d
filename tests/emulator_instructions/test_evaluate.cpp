// Every conformance row on the arithmetic of the scalar oracle.
#include <gtest/gtest.h>

#include "oracle.h"

namespace {

using conformance::Form;
using conformance::kRows;
using conformance::Results;
using conformance::Subject;
namespace ptx = minitorch::ptx;

class ScalarOracle : public testing::TestWithParam<const char*> {};

TEST_P(ScalarOracle, EvaluatesExactly) {
  for (const Form& form : conformance::read_forms(GetParam())) {
    const Subject subject(form);
    ASSERT_NE(subject.instruction, nullptr) << form.name;
    const ptx::Opcode& opcode = subject.instruction->opcode;
    const size_t count = subject.instruction->destinations.size();
    const uint32_t bytes = ptx::size_of(opcode.type);
    for (size_t row = 0; row < kRows; ++row) {
      const Results got = evaluate(opcode, operands_of(form, subject, row));
      ASSERT_TRUE(got.supported) << form.name;
      for (size_t i = 0; i < count; ++i) {
        const uint64_t value = in_register(subject, i, got.of[i]);
        const uint64_t expected = form.results[row].at(i);
        EXPECT_TRUE(conformance::close(value, expected, form.ulp, bytes ? bytes : 4))
            << form.name << " row " << row << " result " << i << std::hex << ": got "
            << value << ", expected " << expected;
      }
      if (opcode.carry_out) {
        EXPECT_EQ(got.carry, form.results[row].at(1) != 0)
            << form.name << " row " << row;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Instructions, ScalarOracle,
                         testing::Values("integer", "float", "compare", "convert",
                                         "extended"));

}  // namespace
