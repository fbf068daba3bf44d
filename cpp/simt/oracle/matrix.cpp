// The matrix instructions of the scalar oracle: every element by its definition, one
// product after the other.
#include <algorithm>
#include <cstring>

#include "simt/oracle/machine.h"
#include "simt/oracle/number.h"
#include "simt/program/fragments.h"

namespace minitorch::simt::scalar {

using ptx::Fragment;
using ptx::Instruction;
using ptx::MatrixForm;
using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Space;
using ptx::Type;

namespace {

uint64_t convert(Type to, Type from, uint64_t bits) {
  if (to == from) return bits;
  return encode(format_of(to), decode(format_of(from), bits), Rounding::Nearest);
}

// An element as the factor of a product: f32 bits for the narrow floats.
uint64_t factor(Type type, uint64_t bits) {
  switch (type) {
    case Type::F16:
    case Type::BF16:
      return convert(Type::F32, type, bits);
    case Type::TF32:
      return bits & 0xffffe000;
    case Type::S4:
      return bits & 8 ? bits | ~uint64_t{15} : bits;
    case Type::S8:
      return static_cast<uint64_t>(read_integer(type, bits));
    default:
      return bits;
  }
}

uint64_t multiply_add(Type type, uint64_t a, uint64_t b, uint64_t c) {
  Opcode opcode;
  opcode.op = Op::Fma;
  opcode.type = opcode.source_type = type;
  opcode.rounding = Rounding::Nearest;
  Operands operands;
  operands.of[0] = a;
  operands.of[1] = b;
  operands.of[2] = c;
  operands.count = 3;
  return evaluate(opcode, operands).of[0];
}

// One dot product: a row of a, a column of b and an element of c.
uint64_t dot(const Opcode& opcode, const std::vector<uint64_t>& a,
             const std::vector<uint64_t>& b, uint64_t c) {
  const MatrixForm& form = opcode.matrix;
  if (form.d != Type::S32) {
    const Type inner = form.d == Type::F64 ? Type::F64 : Type::F32;
    uint64_t sum = convert(inner, form.c, c);
    for (size_t k = 0; k < a.size(); ++k)
      sum = multiply_add(inner, factor(form.a, a[k]), factor(form.b, b[k]), sum);
    return convert(form.d, inner, sum);
  }
  auto sum = static_cast<int64_t>(read_integer(Type::S32, c));
  for (size_t k = 0; k < a.size(); ++k) {
    const bool both = form.binary_and ? a[k] & b[k] & 1 : (a[k] ^ b[k]) & 1;
    sum += form.a == Type::B1 ? both
                              : static_cast<int64_t>(factor(form.a, a[k])) *
                                    static_cast<int64_t>(factor(form.b, b[k]));
  }
  if (opcode.sat) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(sum);
}

// A matrix as bits of elements, row by row.
class Elements {
 public:
  explicit Elements(MatrixPlace size)
      : columns_(size.column), bits_(size_t{size.row} * size.column) {}
  uint64_t& at(uint32_t row, uint32_t column) { return bits_[row * columns_ + column]; }

 private:
  uint32_t columns_;
  std::vector<uint64_t> bits_;
};

}  // namespace

void Machine::multiply_matrices(const std::vector<Thread*>& group) {
  const Opcode& opcode = group[0]->instruction().opcode;
  const MatrixForm& form = opcode.matrix;
  Elements of[] = {Elements(fragment_size(form, Fragment::A)),
                   Elements(fragment_size(form, Fragment::B)),
                   Elements(fragment_size(form, Fragment::C))};
  for (const Thread* thread : group) {
    size_t source = 0;
    for (Fragment fragment : {Fragment::A, Fragment::B, Fragment::C}) {
      const Type type = fragment_type(form, fragment);
      const uint32_t each = ptx::elements_a_register(type);
      const uint32_t bits = ptx::element_bits(type);
      for (uint32_t i = 0; i < fragment_registers(opcode, fragment); ++i) {
        const uint64_t word = value(*thread, thread->instruction().sources[source++]);
        for (uint32_t part = 0; part < each; ++part) {
          const auto at = place_in_fragment(opcode, fragment, thread->lane(), i, part);
          of[static_cast<int>(fragment) - 1].at(at.row, at.column) =
              word >> (bits * part) & (~uint64_t{0} >> (64 - bits));
        }
      }
    }
  }
  for (Thread* thread : group) {
    const auto& to = thread->instruction().destinations;
    const uint32_t each = ptx::elements_a_register(form.d);
    for (uint32_t i = 0; i < to.size(); ++i) {
      uint64_t word = 0;
      for (uint32_t part = 0; part < each; ++part) {
        const auto at = place_in_fragment(opcode, Fragment::D, thread->lane(), i, part);
        std::vector<uint64_t> a(form.k), b(form.k);
        for (uint32_t k = 0; k < form.k; ++k) {
          a[k] = of[0].at(at.row, k);
          b[k] = of[1].at(k, at.column);
        }
        word |= dot(opcode, a, b, of[2].at(at.row, at.column)) << (16 * part);
      }
      write(*thread, to[i], word);
    }
  }
}

// Loads or stores one lane's registers: each at once where its elements are neighbours
// in memory, else one element at a time.
void Machine::access_fragment(Thread& thread) {
  const Instruction& instruction = thread.instruction();
  const Opcode& opcode = instruction.opcode;
  const MatrixForm& form = opcode.matrix;
  const bool loads = opcode.op == Op::WmmaLoad;
  const Fragment fragment = form.fragment;
  const Type type = fragment_type(form, fragment);
  const uint32_t bits = ptx::element_bits(type);
  const bool sums = fragment == Fragment::C || fragment == Fragment::D;
  const bool by_column = sums ? form.c_column : stored_by_column(form, fragment);
  const MatrixPlace size = fragment_size(form, fragment);
  const auto& sources = instruction.sources;
  const size_t registers = opcode.vector;
  uint64_t stride = by_column ? size.row : size.column;
  if (sources.size() > (loads ? 0 : registers)) {
    stride = value(thread, sources.back()) & 0xffffffff;
  }
  const uint32_t each = ptx::elements_a_register(type);
  const bool split = sums && by_column && each > 1;
  const uint32_t pieces = split ? each : 1;
  const uint32_t bytes = ptx::size_of(opcode.type) / pieces;
  for (uint32_t i = 0; i < registers; ++i) {
    uint64_t word = loads ? 0 : value(thread, sources[i]);
    for (uint32_t part = 0; part < pieces; ++part) {
      const auto at = place_in_fragment(opcode, fragment, thread.lane(), i, part);
      const uint64_t element =
          by_column ? at.column * stride + at.row : at.row * stride + at.column;
      uint8_t* memory =
          place(thread,
                {opcode.space,
                 address(thread, instruction.address, opcode.space, element * bits / 8),
                 bytes, loads ? MtAccess_Read : MtAccess_Write});
      auto* piece = reinterpret_cast<uint8_t*>(&word) + part * bytes;
      loads ? std::memcpy(piece, memory, bytes) : std::memcpy(memory, piece, bytes);
    }
    if (loads) write(thread, instruction.destinations[i], word);
  }
}

void Machine::access_fragments(const std::vector<Thread*>& group) {
  for (Thread* thread : group) access_fragment(*thread);
}

// Lane 8 i + r names row r of matrix i; a lane gets two neighbours of row lane / 4, or
// of that column.
void Machine::load_matrices(const std::vector<Thread*>& group) {
  const Opcode& opcode = group[0]->instruction().opcode;
  uint16_t rows[32][8] = {};
  for (Thread* thread : group) {
    if (thread->lane() >= 8u * opcode.matrix.count) continue;
    const uint64_t at = address(*thread, thread->instruction().address, opcode.space);
    std::memcpy(rows[thread->lane()],
                place(*thread, {opcode.space, at, 16, MtAccess_Read}), 16);
  }
  for (Thread* thread : group) {
    const uint32_t first = thread->lane() / 4, second = thread->lane() % 4 * 2;
    for (uint32_t i = 0; i < opcode.matrix.count; ++i) {
      uint64_t word = 0;
      for (uint32_t half = 0; half < 2; ++half) {
        const uint64_t element = opcode.matrix.transposed
                                     ? rows[8 * i + second + half][first]
                                     : rows[8 * i + first][second + half];
        word |= element << (16 * half);
      }
      write(*thread, thread->instruction().destinations[i], word);
    }
  }
}

void Machine::transpose_matrix(const std::vector<Thread*>& group) {
  uint64_t words[kLanes] = {};
  for (const Thread* thread : group) {
    words[thread->lane()] = value(*thread, thread->instruction().sources[0]);
  }
  for (Thread* thread : group) {
    const uint32_t row = thread->lane() / 4;
    uint64_t word = 0;
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t column = thread->lane() % 4 * 2 + half;
      word |= (words[column * 4 + row / 2] >> (16 * (row % 2)) & 0xffff) << (16 * half);
    }
    write(*thread, thread->instruction().destinations[0], word);
  }
}

}  // namespace minitorch::simt::scalar
