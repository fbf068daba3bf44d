// One run of one instruction form on the lane handlers: a register file, a step built
// by hand, the comparison of every lane.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "simt/lanes/arithmetic.h"
#include "subject.h"

namespace conformance {

using minitorch::simt::HandlerPair;
using minitorch::simt::LaneState;
using minitorch::simt::Pattern;
using minitorch::simt::Step;

constexpr uint32_t kRowBytes = 256;
constexpr uint64_t kUntouched = 0xa5a5a5a5a5a5a5a5;

// The register file of one warp: rows are handed out on demand.
struct Warp {
  alignas(64) uint8_t bytes[32 * kRowBytes] = {};
  Pattern patterns[2];
  uint32_t used = 1;
  LaneState state;

  Warp() {
    state.registers = bytes;
    state.patterns = patterns;
  }
  uint32_t new_row() { return kRowBytes * used++; }
  void set(uint32_t row, uint32_t size, uint32_t lane, uint64_t value) {
    if (size == 0) {
      auto& mask = *reinterpret_cast<uint32_t*>(bytes + row);
      mask = (mask & ~(1u << lane)) | static_cast<uint32_t>(value & 1) << lane;
    } else {
      std::memcpy(bytes + row + size * lane, &value, size);
    }
  }
  uint64_t get(uint32_t row, uint32_t size, uint32_t lane) const {
    uint64_t value = 0;
    if (size == 0) {
      std::memcpy(&value, bytes + row, 4);
      return value >> lane & 1;
    }
    std::memcpy(&value, bytes + row + size * lane, size);
    return value;
  }
};

inline uint32_t row_size(const Subject& subject, const ptx::Operand& operand) {
  return minitorch::simt::row_bytes(subject.type_of(operand));
}

struct Place {
  uint32_t row = 0, size = 0;
};

// One run of one form: fills the rows, builds the step, compares every lane.
class Trial {
 public:
  Trial(const Form& form, const Subject& subject) : form_(form), subject_(subject) {
    const ptx::Instruction& instruction = *subject.instruction;
    uint32_t* const sources[] = {&step_.a, &step_.b, &step_.c, &step_.e};
    for (size_t i = 0; i < instruction.sources.size() && i < 4; ++i) {
      *sources[i] = source_row(instruction.sources[i]);
    }
    uint32_t* targets[] = {&step_.d, &step_.d2, &step_.b, &step_.c};
    step_.d2 = warp_.new_row();
    for (size_t i = 0; i < instruction.destinations.size(); ++i) {
      const ptx::Operand& operand = instruction.destinations[i];
      places_.push_back({warp_.new_row(), row_size(subject, operand)});
      *targets[i] = places_.back().row;
    }
    if (instruction.opcode.carry_in) step_.e = carry_row();
    if (instruction.opcode.carry_out) places_.push_back({step_.d2, 0});
    step_.clears_pattern = 1;
  }

  // Makes the destination the register of the first source, if they are of one size.
  bool alias() {
    const ptx::Operand& first = subject_.instruction->sources.at(0);
    if (first.kind != ptx::Operand::Kind::Register || places_.size() > 1) return false;
    if (row_size(subject_, first) != places_[0].size) return false;
    step_.d = places_[0].row = step_.a;
    return true;
  }

  void run(const HandlerPair& pair, uint32_t mask) {
    const bool partial = mask != minitorch::simt::kFullMask;
    warp_.state.mask = mask;
    warp_.state.partial = partial;
    std::vector<uint64_t> before(places_.size() * kRows);
    for (uint32_t lane = 0; lane < kRows; ++lane) {
      warp_.state.lanes[lane] = mask >> lane & 1 ? ~0u : 0u;
      for (size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].row != step_.a) {
          warp_.set(places_[i].row, places_[i].size, lane, kUntouched);
        }
        before[i * kRows + lane] = warp_.get(places_[i].row, places_[i].size, lane);
      }
    }
    warp_.patterns[1].valid = 1;
    const minitorch::simt::Handler handler = partial ? pair.masked : pair.full;
    EXPECT_EQ(handler(warp_.state, &step_), &step_ + 1) << form_.name;
    if (places_[0].size != 0) {
      EXPECT_EQ(warp_.patterns[1].valid, 0) << form_.name;
    }
    check(mask, before);
  }

 private:
  uint32_t source_row(const ptx::Operand& operand) {
    const uint32_t row = warp_.new_row();
    if (operand.kind == ptx::Operand::Kind::Immediate) {
      for (uint32_t lane = 0; lane < kRows; ++lane)
        warp_.set(row, 4, lane, operand.bits);
      return row;
    }
    const size_t input = subject_.input_of(operand);
    for (uint32_t lane = 0; lane < kRows; ++lane) {
      warp_.set(row, row_size(subject_, operand), lane, form_.sources[lane].at(input));
    }
    return row;
  }

  uint32_t carry_row() {
    const uint32_t row = warp_.new_row();
    for (uint32_t lane = 0; lane < kRows; ++lane) {
      warp_.set(row, 0, lane, form_.sources[lane].back() != 0);
    }
    return row;
  }

  void check(uint32_t mask, const std::vector<uint64_t>& before) const {
    for (uint32_t lane = 0; lane < kRows; ++lane) {
      for (size_t i = 0; i < places_.size(); ++i) {
        const uint64_t got = warp_.get(places_[i].row, places_[i].size, lane);
        const bool runs = mask >> lane & 1;
        const uint64_t expected =
            runs ? form_.results[lane].at(i) : before[i * kRows + lane];
        const uint32_t bytes =
            minitorch::ptx::size_of(subject_.instruction->opcode.type);
        EXPECT_TRUE(close(got, expected, form_.ulp, bytes ? bytes : 4))
            << form_.name << " row " << lane << (runs ? "" : " (not executed)")
            << " result " << i << std::hex << ": got " << got << ", expected "
            << expected;
      }
    }
  }

  const Form& form_;
  const Subject& subject_;
  Warp warp_;
  Step step_;
  std::vector<Place> places_;
};

}  // namespace conformance
