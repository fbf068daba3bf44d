// What matrix instructions compute once their warp is together: products, the addresses
// of fragments in memory, transposition.
#include <cstring>

#include "ptx/matrix.h"
#include "simt/lanes/halves.h"
#include "simt/program/engine.h"
#include "simt/program/matrix_step.h"
#include "simt/warp/collective_ops.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Type;

constexpr uint32_t kMost = 16 * 256;  // elements of the largest fragment

const MatrixStep& details(const Context& state, uint32_t index) {
  return state.frame->code->matrices[index];
}

// Elements of a register row as numbers of T, all lanes at once.
template <class T>
void widen(Type type, const Row<uint32_t>* from, uint32_t part, T (&to)[kLanes]) {
  const uint32_t shift = part * ptx::element_bits(type);
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t bits = from[i] >> shift;
    switch (type) {
      case Type::F16:
        to[i] = static_cast<T>(to_float(Half(bits & 0xffff)));
        break;
      case Type::BF16:
        to[i] = static_cast<T>(to_float(Brain(bits & 0xffff)));
        break;
      case Type::TF32:
        to[i] = static_cast<T>(from_bits<float>(bits & 0xffffe000u));
        break;
      case Type::F32:
        to[i] = static_cast<T>(from_bits<float>(bits));
        break;
      case Type::U8:
        to[i] = static_cast<T>(bits & 0xff);
        break;
      case Type::S8:
        to[i] = static_cast<T>(static_cast<int8_t>(bits));
        break;
      case Type::U4:
        to[i] = static_cast<T>(bits & 15);
        break;
      case Type::S4:
        to[i] = static_cast<T>(static_cast<int32_t>(bits << 28) >> 28);
        break;
      case Type::B1:
        to[i] = static_cast<T>(bits & 1);
        break;
      default:
        to[i] = static_cast<T>(static_cast<int32_t>(bits));
    }
  }
}

template <class T>
void read(const Context& state, const FragmentRows& fragment, T* matrix) {
  alignas(64) T values[kLanes];
  const uint16_t* place = fragment.places.data();
  for (uint32_t at : fragment.rows) {
    for (uint32_t part = 0; part < fragment.each; ++part, place += kLanes) {
      if constexpr (std::is_same_v<T, double>) {
        std::memcpy(values, state.registers + at, sizeof values);
      } else {
        widen(fragment.type, row<uint32_t>(state, at), part, values);
      }
      for (uint32_t i = 0; i < kLanes; ++i) matrix[place[i]] = values[i];
    }
  }
}

uint32_t narrow(Type type, float value) {
  if (type == Type::F16) return static_cast<uint32_t>(round_to<Half>(value));
  return bits_of(canonical(value));
}
uint32_t narrow(Type, int32_t value) { return static_cast<uint32_t>(value); }

template <class T>
void write(Context& state, const FragmentRows& fragment, const T* matrix) {
  const uint16_t* place = fragment.places.data();
  for (uint32_t at : fragment.rows) {
    if constexpr (std::is_same_v<T, double>) {
      Row<double>* to = row<double>(state, at);
      for (uint32_t left = state.mask; left; left &= left - 1) {
        const uint32_t i = first_lane(left);
        to[i] = canonical(matrix[place[i]]);
      }
      place += kLanes;
    } else {
      alignas(64) uint32_t words[kLanes] = {};
      for (uint32_t part = 0; part < fragment.each; ++part, place += kLanes) {
        for (uint32_t i = 0; i < kLanes; ++i) {
          words[i] |= narrow(fragment.type, matrix[place[i]]) << (16 * part);
        }
      }
      Row<uint32_t>* to = row<uint32_t>(state, at);
      for (uint32_t left = state.mask; left; left &= left - 1) {
        const uint32_t i = first_lane(left);
        to[i] = words[i];
      }
    }
  }
}

template <class T>
[[gnu::always_inline]] inline T multiply_add(T a, T b, T c) {
  if constexpr (std::is_same_v<T, float>) return __builtin_fmaf(a, b, c);
  if constexpr (std::is_same_v<T, double>) return __builtin_fma(a, b, c);
  return a * b + c;
}

// (m, k) * (k, n) + (m, n), one product after the other in the order of k. The ISA
// leaves the order open.
template <class T>
void multiply(const ptx::MatrixForm& form, const T* a, const T* b, T* c) {
  for (uint32_t i = 0; i < form.m; ++i) {
    T* const sums = c + i * form.n;
    for (uint32_t k = 0; k < form.k; ++k) {
      const T factor = a[i * form.k + k];
      const T* const others = b + k * form.n;
      MINITORCH_LANE_LOOP
      for (uint32_t j = 0; j < form.n; ++j) {
        sums[j] = multiply_add(factor, others[j], sums[j]);
      }
    }
  }
}

template <class T>
void multiply_floats(Context& state, const MatrixStep& details) {
  alignas(64) T a[kMost / 8], b[kMost / 8], c[kMost / 8];
  read(state, details.a, a);
  read(state, details.b, b);
  read(state, details.c, c);
  multiply(details.opcode.matrix, a, b, c);
  write(state, details.d, c);
}

void multiply_bits(const ptx::MatrixForm& form, const int32_t* a, const int32_t* b,
                   int32_t* c) {
  for (uint32_t i = 0; i < form.m; ++i) {
    for (uint32_t k = 0; k < form.k; ++k) {
      const int32_t bit = a[i * form.k + k];
      for (uint32_t j = 0; j < form.n; ++j) {
        const int32_t other = b[k * form.n + j];
        c[i * form.n + j] += form.binary_and ? bit & other : bit ^ other;
      }
    }
  }
}

void multiply_integers(Context& state, const MatrixStep& details) {
  alignas(64) int32_t a[kMost], b[kMost], products[1024] = {}, c[1024];
  const ptx::MatrixForm& form = details.opcode.matrix;
  read(state, details.a, a);
  read(state, details.b, b);
  read(state, details.c, c);
  if (form.a == Type::B1) {
    multiply_bits(form, a, b, products);
  } else {
    multiply(form, a, b, products);
  }
  for (uint32_t i = 0; i < uint32_t{form.m} * form.n; ++i) {
    const int64_t sum = int64_t{c[i]} + products[i];
    const int64_t limited = sum < INT32_MIN   ? INT32_MIN
                            : sum > INT32_MAX ? INT32_MAX
                                              : sum;
    c[i] = static_cast<int32_t>(details.opcode.sat ? limited : sum);
  }
  write(state, details.d, c);
}

struct Multiplied {
  static void of(Context& state, const Step* step) {
    const MatrixStep& matrix = details(state, step->b);
    switch (matrix.opcode.matrix.d) {
      case Type::S32:
        return multiply_integers(state, matrix);
      case Type::F64:
        return multiply_floats<double>(state, matrix);
      default:
        return multiply_floats<float>(state, matrix);
    }
  }
};

// Lane 8 c + r has the address of row r of matrix c; what lane i loads lies in row i
// / 4.
template <class A>
struct RowAddresses {
  static void of(Context& state, const Step* step) {
    const Row<A>* from = row<A>(state, step->a);
    Row<A>* to = row<A>(state, step->d);
    const auto offset = static_cast<uint64_t>(step->immediate);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left), owner = 8 * step->c + i / 4;
      if (((from[owner] + offset) & 15) != 0) {
        fault(state, step, MtFinding_Misaligned, owner,
              "a row of ldmatrix begins at a multiple of 16 bytes");
        return;
      }
      to[i] = from[owner] + 4 * (i % 4);
    }
  }
};

struct Transposed {
  static void of(Context& state, const Step* step) {
    const Row<uint32_t>* a = row<uint32_t>(state, step->a);
    uint16_t matrix[8][8];
    for (uint32_t i = 0; i < kLanes; ++i) {
      matrix[i / 4][i % 4 * 2] = static_cast<uint16_t>(a[i]);
      matrix[i / 4][i % 4 * 2 + 1] = static_cast<uint16_t>(a[i] >> 16);
    }
    Row<uint32_t>* d = row<uint32_t>(state, step->d);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left), column = i % 4 * 2;
      d[i] = matrix[column][i / 4] | uint32_t{matrix[column + 1][i / 4]} << 16;
    }
  }
};

// Where the element `c` (register and part) of each lane lies in memory: a base, b
// stride in elements (kNoRow: what the shape says), e of the side table.
template <class A>
const Step* fragment_addresses(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const MatrixStep& matrix = details(state, step->e);
  const bool factor_b = matrix.opcode.matrix.fragment == ptx::Fragment::B;
  const bool factor_a = matrix.opcode.matrix.fragment == ptx::Fragment::A;
  const ptx::MatrixForm& form = matrix.opcode.matrix;
  const uint32_t rows = factor_b ? form.k : form.m,
                 columns = factor_a ? form.k : form.n;
  const Row<A>* base = row<A>(state, step->a);
  const uint16_t* place = matrix.d.places.data() + step->c * kLanes;
  const uint32_t bits = ptx::element_bits(matrix.d.type);
  Row<A>* to = row<A>(state, step->d);
  for (uint32_t left = state.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const uint64_t at_row = place[i] / columns, at_column = place[i] % columns;
    const uint64_t stride = step->b != kNoRow  ? row<uint32_t>(state, step->b)[i]
                            : matrix.by_column ? rows
                                               : columns;
    const uint64_t element =
        matrix.by_column ? at_column * stride + at_row : at_row * stride + at_column;
    to[i] = static_cast<A>(base[i] + element * bits / 8);
  }
  state.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

}  // namespace

Handler find_matrix_product(const ptx::Opcode&) { return &together<Multiplied>; }

Handler find_fragment_addresses(const ptx::Opcode& opcode) {
  return opcode.source_type == Type::U64 ? &fragment_addresses<uint64_t>
                                         : &fragment_addresses<uint32_t>;
}

Handler find_row_addresses(const ptx::Opcode& opcode) {
  return opcode.source_type == Type::U64 ? &together<RowAddresses<uint64_t>>
                                         : &together<RowAddresses<uint32_t>>;
}

Handler find_transposition(const ptx::Opcode&) { return &together<Transposed>; }

}  // namespace minitorch::simt::MINITORCH_ISA
