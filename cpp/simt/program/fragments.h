// Which element of a matrix each lane holds in which register: for mma.sync as the
// ISA's tables say, for wmma as we choose.
#pragma once

#include "ptx/matrix.h"

namespace minitorch::simt {

struct MatrixPlace {
  uint32_t row, column;
};

/// Rows and columns of a fragment's matrix.
inline MatrixPlace fragment_size(const ptx::MatrixForm& form, ptx::Fragment fragment) {
  switch (fragment) {
    case ptx::Fragment::A:
      return {form.m, form.k};
    case ptx::Fragment::B:
      return {form.k, form.n};
    default:
      return {form.m, form.n};
  }
}

/// Whether neighbours in a register are neighbours in a column.
inline bool stored_by_column(const ptx::MatrixForm& form, ptx::Fragment fragment) {
  return (fragment == ptx::Fragment::A && form.a_column) ||
         (fragment == ptx::Fragment::B && form.b_column);
}

// Lanes form 8 groups of 4. A group has a row of a, c and d and a column of b.
inline MatrixPlace place_of_mma(ptx::Fragment fragment, uint32_t rows, uint32_t each,
                                uint32_t lane, uint32_t index, uint32_t part) {
  const uint32_t group = lane / 4, member = lane % 4;
  if (fragment == ptx::Fragment::A) {
    const uint32_t halves = rows / 8;  // 16 rows: two registers, 8 rows apart
    const uint32_t column = (member + 4 * (index / halves)) * each + part;
    return {group + 8 * (index % halves), column};
  }
  if (fragment == ptx::Fragment::B) {
    return {(member + 4 * index) * each + part, group};
  }
  const uint32_t element = index * each + part;
  return {group + 8 * (element / 2), member * 2 + element % 2};
}

/// Where element `part` of register `index` of `lane` lies in the fragment's matrix.
/// wmma goes through the matrix as it is stored, so that a warp's accesses are
/// contiguous; registers beyond its elements hold them once more.
inline MatrixPlace place_in_fragment(const ptx::Opcode& opcode, ptx::Fragment fragment,
                                     uint32_t lane, uint32_t index, uint32_t part) {
  const ptx::MatrixForm& form = opcode.matrix;
  const uint32_t each = ptx::elements_a_register(ptx::fragment_type(form, fragment));
  if (opcode.op == ptx::Op::Mma) {
    return place_of_mma(fragment, form.m, each, lane, index, part);
  }
  const MatrixPlace size = fragment_size(form, fragment);
  const uint32_t element =
      ((index * 32 + lane) * each + part) % (size.row * size.column);
  if (stored_by_column(form, fragment)) {
    return {element % size.row, element / size.row};
  }
  return {element / size.column, element % size.column};
}

}  // namespace minitorch::simt
