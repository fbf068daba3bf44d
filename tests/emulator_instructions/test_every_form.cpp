// Every legal form of an instruction that computes in one lane: the lanes execute it,
// and the scalar oracle gives the same bits.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ptx/decode.h"
#include "ptx/opcode_facts.h"
#include "ptx/opcode_table.h"
#include "ptx/type_sets.h"
#include "simt/lanes/arithmetic.h"
#include "simt/oracle/evaluate.h"
#include "table.h"

namespace {

using minitorch::simt::kLanes;
using minitorch::simt::LaneState;
using minitorch::simt::Pattern;
using minitorch::simt::Step;
using minitorch::simt::scalar::Operands;
using minitorch::simt::scalar::Results;
namespace ptx = minitorch::ptx;
using ptx::Op;
using ptx::Type;

constexpr uint32_t kRow = 256;

std::vector<Type> slots(std::string_view side, const ptx::Opcode& opcode) {
  std::vector<Type> types;
  for (char letter : side) {
    if (letter != '?') types.push_back(ptx::slot_type(letter, opcode));
  }
  return types;
}

// Numbers that matter in some type, and any bits.
uint64_t draw(std::mt19937_64& random) {
  static constexpr uint64_t kEdges[] = {0,
                                        1,
                                        31,
                                        32,
                                        0x7f,
                                        0x80,
                                        0x3c003c00,
                                        0x7fff8000,
                                        0x7c00fc00,
                                        0x80000000,
                                        0xffffffff,
                                        0x3f800000,
                                        0x7f800000,
                                        0x7fc00001,
                                        0x00400000,
                                        0x7f7fffff,
                                        0x7ff0000000000000,
                                        0x3ff0000000000000,
                                        0x8000000000000000,
                                        0xffffffffffffffff};
  const uint64_t bits = random();
  if (bits & 1) return kEdges[(bits >> 8) % std::size(kEdges)];
  return bits & 2 ? bits >> 8 : random();
}

struct Rig {
  alignas(64) uint8_t bytes[16 * kRow] = {};
  Pattern patterns[1];
  LaneState state;

  Rig() {
    state.registers = bytes;
    state.patterns = patterns;
    state.mask = minitorch::simt::kFullMask;
  }
  void set(uint32_t row, Type type, uint32_t lane, uint64_t value) {
    const uint32_t size = minitorch::simt::row_bytes(type);
    if (size != 0) {
      std::memcpy(bytes + row + size * lane, &value, size);
      return;
    }
    uint32_t mask = 0;
    std::memcpy(&mask, bytes + row, 4);
    mask = (mask & ~(1u << lane)) | static_cast<uint32_t>(value & 1) << lane;
    std::memcpy(bytes + row, &mask, 4);
  }
  uint64_t get(uint32_t row, Type type, uint32_t lane) const {
    const uint32_t size = minitorch::simt::row_bytes(type);
    uint64_t value = 0;
    std::memcpy(&value, bytes + row + size * lane, size ? size : 4);
    return size ? value : value >> lane & 1;
  }
};

uint64_t masked(Type type, uint64_t value) {
  const uint32_t bytes = ptx::size_of(type);
  if (bytes == 8) return value;
  return value & ((uint64_t{1} << (bytes ? 8 * bytes : 1)) - 1);
}

bool approximate(const ptx::Opcode& opcode) {
  return opcode.approx || opcode.full || opcode.op == Op::Tanh;
}

// The number of lanes in which the two differ; -1 where the oracle has no answer.
int differences(const ptx::Opcode& opcode, std::mt19937_64& random) {
  const std::string_view signature = ptx::row_of(opcode.op).signature;
  const size_t equals = signature.find('=');
  const auto to = slots(signature.substr(0, equals), opcode);
  const auto from = slots(signature.substr(equals + 1), opcode);
  Rig rig;
  Step step;
  uint32_t* const sources[] = {&step.a, &step.b, &step.c, &step.e};
  uint32_t used = 1;
  std::vector<std::array<uint64_t, kLanes>> values(from.size());
  for (size_t i = 0; i < from.size() && i < 4; ++i) {
    *sources[i] = kRow * used++;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[i][lane] = masked(from[i], draw(random));
      rig.set(*sources[i], from[i], lane, values[i][lane]);
    }
  }
  uint32_t carry = 0;
  if (opcode.carry_in) {
    step.e = kRow * used++;
    carry = static_cast<uint32_t>(random());
    std::memcpy(rig.bytes + step.e, &carry, 4);
  }
  step.d = kRow * used++;
  step.d2 = kRow * used++;
  find_arithmetic(opcode, minitorch::simt::active_isa()).full(rig.state, &step);
  int wrong = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    Operands operands;
    for (size_t i = 0; i < from.size() && i < 4; ++i) {
      operands.of[operands.count++] = values[i][lane];
    }
    operands.carry = carry >> lane & 1;
    const Results results = evaluate(opcode, operands);
    if (!results.supported) return -1;
    bool same =
        masked(to[0], rig.get(step.d, to[0], lane)) == masked(to[0], results.of[0]);
    if (to.size() > 1) {
      same &= rig.get(step.d2, to[1], lane) == masked(to[1], results.of[1]);
    }
    if (opcode.carry_out) {
      same &= rig.get(step.d2, Type::Pred, lane) == (results.carry ? 1 : 0);
    }
    wrong += !same;
  }
  return wrong;
}

// The engines put these together from other instructions (lower_composed.cpp).
bool is_composed(const ptx::Opcode& opcode) {
  return opcode.op == Op::Set ||
         (opcode.op == Op::Lop3 && opcode.combine != ptx::Combine::None);
}

std::vector<Type> types_in(uint32_t set) {
  std::vector<Type> types;
  for (int type = 0; type < ptx::kTypes; ++type) {
    if (ptx::holds(set, static_cast<Type>(type)))
      types.push_back(static_cast<Type>(type));
  }
  return types.empty() ? std::vector<Type>{Type::None} : types;
}

bool oracle_evaluates(const ptx::OpcodeRow& row) {
  ptx::Opcode opcode;
  opcode.op = row.op;
  opcode.vector = 2;  // mov of two parts
  for (const Type type : types_in(row.types)) {
    for (const Type source_type : types_in(row.source_types)) {
      for (const bool approx : {false, true}) {
        opcode.type = type;
        opcode.source_type = source_type;
        opcode.approx = approx;
        if (evaluate(opcode, Operands{}).supported) return true;
      }
    }
  }
  return false;
}

TEST(EveryForm, HasRowsThatTheOracleEvaluates) {
  for (const ptx::OpcodeFacts& facts : ptx::kOpcodeFacts) {
    const ptx::OpcodeRow& row = ptx::row_of(facts.op);
    EXPECT_EQ(oracle_evaluates(row), facts.arithmetic) << row.mnemonics;
  }
}

TEST(EveryForm, OfTheLanesIsTheOracles) {
  std::mt19937_64 random(3);
  // All spellings of the lane rows of opcodes.inc with one type or two and at most one
  // modifier a group that ptxas 13.0 accepts for sm_90 and the ISA names.
  const auto forms = conformance::legal_forms();
  ASSERT_GT(forms.size(), 5000u);
  for (const std::string& text : forms) {
    const ptx::Opcode opcode = ptx::parse_opcode(text, {1, 1});
    const auto pair = find_arithmetic(opcode, minitorch::simt::active_isa());
    if (!pair.full) {
      EXPECT_TRUE(is_composed(opcode)) << opcode.text << " has no handler";
      continue;
    }
    for (int warp = 0; warp < 4 && !approximate(opcode); ++warp) {
      const int differs = differences(opcode, random);
      EXPECT_EQ(differs, 0) << opcode.text << ": lanes that differ";
      if (differs != 0) break;
    }
  }
}

}  // namespace
