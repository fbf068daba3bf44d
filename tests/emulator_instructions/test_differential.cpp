// Lane handlers against the scalar oracle, two independent implementations: many drawn
// operands for every form, and all 65,536 operands of forms with one source of 16 bits.
#include <gtest/gtest.h>

#include <random>

#include "oracle.h"
#include "trial.h"

namespace {

using conformance::Form;
using conformance::kRows;
using conformance::Subject;
using conformance::Trial;
using minitorch::simt::active_isa;
using minitorch::simt::find_arithmetic;
using minitorch::simt::Isa;
namespace ptx = minitorch::ptx;

constexpr int kDrawnWarps = 48;

// Fills in what the oracle says of the form's sources.
void ask_oracle(Form& form, const Subject& subject) {
  const ptx::Instruction& instruction = *subject.instruction;
  for (size_t row = 0; row < kRows; ++row) {
    const auto got = evaluate(instruction.opcode, operands_of(form, subject, row));
    ASSERT_TRUE(got.supported) << form.name;
    const size_t count = instruction.destinations.size();
    for (size_t i = 0; i < count; ++i) {
      form.results[row].at(i) = in_register(subject, i, got.of[i]);
    }
    if (instruction.opcode.carry_out) form.results[row].at(count) = got.carry;
  }
}

// Sources mixed from the table's columns, where the edges are, and any bits.
Form drawn(const Form& table, const Subject& subject, std::mt19937_64& random) {
  Form form = table;
  for (const ptx::Operand& source : subject.instruction->sources) {
    if (source.kind != ptx::Operand::Kind::Register) continue;
    const size_t column = subject.input_of(source);
    const uint32_t bytes = ptx::size_of(subject.type_of(source));
    const uint64_t ones = bytes == 0 ? 1 : ~uint64_t{0} >> (64 - 8 * bytes);
    for (auto& row : form.sources) {
      const bool edge = random() & 1;
      row.at(column) =
          edge ? table.sources[random() % kRows].at(column) : random() & ones;
    }
  }
  return form;
}

void compare(const Form& form, const Subject& subject, Isa isa) {
  const auto pair = find_arithmetic(subject.instruction->opcode, isa);
  ASSERT_NE(pair.full, nullptr) << form.name;
  Trial(form, subject).run(pair, minitorch::simt::kFullMask);
}

class Differential : public testing::TestWithParam<const char*> {};

TEST_P(Differential, DrawnOperands) {
  std::mt19937_64 random(11);
  for (const Form& table : conformance::read_forms(GetParam())) {
    const Subject subject(table);
    if (subject.instruction->sources.size() > 4) continue;  // lop3.and: two steps
    for (int i = 0; i < kDrawnWarps; ++i) {
      Form form = drawn(table, subject, random);
      ask_oracle(form, subject);
      for (Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
        if (isa <= active_isa()) compare(form, subject, isa);
      }
    }
    ASSERT_FALSE(HasFailure()) << table.name;
  }
}

TEST_P(Differential, AllOperandsOf16Bits) {
  for (Form form : conformance::read_forms(GetParam())) {
    const Subject subject(form);
    const auto& sources = subject.instruction->sources;
    if (sources.size() != 1 || ptx::size_of(subject.type_of(sources[0])) != 2) continue;
    for (uint64_t first = 0; first < 0x10000; first += kRows) {
      for (uint64_t row = 0; row < kRows; ++row) form.sources[row][0] = first + row;
      ask_oracle(form, subject);
      compare(form, subject, active_isa());
    }
    ASSERT_FALSE(HasFailure()) << form.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Instructions, Differential,
                         testing::Values("integer", "float", "compare", "convert",
                                         "extended"));

}  // namespace
