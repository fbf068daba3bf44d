// What a matrix step needs beyond its fields: rows of registers, and where each of
// their elements lies. Made by program/passes/, never changed after.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/opcode.h"

namespace minitorch::simt {

/// One fragment: `rows` of the register file, and the elements they hold. The element
/// `part` of register `index` of lane l is number places[(index * each + part) * 32 +
/// l] of the matrix, counted row by row.
struct FragmentRows {
  ptx::Type type = ptx::Type::None;
  std::vector<uint32_t> rows;
  uint32_t each = 1;
  std::vector<uint16_t> places;
};

/// A product has all of them; a load or store its own as `d`.
struct MatrixStep {
  ptx::Opcode opcode;
  FragmentRows a, b, c, d;
  bool by_column = false;  // wmma.load, store: memory holds columns
};

}  // namespace minitorch::simt
