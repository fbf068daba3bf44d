// Logic, shifts, bit fields and packed bytes of the scalar oracle, mostly bit by bit as
// the ISA tells it.
#include "simt/oracle/evaluate.h"

namespace minitorch::simt::scalar {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Permute;
using ptx::Type;

uint64_t bit(uint64_t value, int index) { return value >> index & 1; }

uint64_t table_of_three(const Operands& operands) {
  uint64_t value = 0;
  for (int i = 0; i < 32; ++i) {
    const uint64_t index =
        bit(operands[0], i) << 2 | bit(operands[1], i) << 1 | bit(operands[2], i);
    value |= bit(operands[3], static_cast<int>(index)) << i;
  }
  return value;
}

// With .and or .or a second result: whether any bit is set, with a predicate.
Results lop3(const Opcode& opcode, const Operands& operands) {
  Results results = result(table_of_three(operands));
  const uint64_t some = results.of[0] != 0, with = operands[4] & 1;
  results.of[1] = opcode.combine == ptx::Combine::Or ? some | with : some & with;
  return results;
}

uint64_t shift(const Opcode& opcode, const Operands& operands) {
  const int width = width_of(opcode.type);
  const uint32_t by = static_cast<uint32_t>(operands[1]);
  if (opcode.op == Op::Shl) {
    return by >= static_cast<uint32_t>(width) ? 0 : operands[0] << by;
  }
  const __int128 value = read_integer(opcode.type, operands[0]);
  return static_cast<uint64_t>(value >> (by < 64 ? by : 64));
}

int clamp_or_wrap(const Opcode& opcode, uint64_t value) {
  const uint32_t count = static_cast<uint32_t>(value);
  if (opcode.wrap) return static_cast<int>(count & 31);
  return static_cast<int>(count < 32 ? count : 32);
}

uint64_t funnel_shift(const Opcode& opcode, const Operands& operands) {
  const int by = clamp_or_wrap(opcode, operands[2]);
  const uint64_t both = operands[1] << 32 | (operands[0] & 0xffffffff);
  return opcode.left ? both << by >> 32 : both >> by;
}

uint64_t extract(const Opcode& opcode, const Operands& operands) {
  const int width = width_of(opcode.type);
  const int position = operands[1] & 0xff, length = operands[2] & 0xff;
  uint64_t fill = 0;
  if (ptx::is_signed(opcode.type) && length > 0) {
    const int last = position + length - 1;
    fill = bit(operands[0], last < width - 1 ? last : width - 1);
  }
  uint64_t value = 0;
  for (int i = 0; i < width; ++i) {
    const bool inside = i < length && position + i < width;
    value |= (inside ? bit(operands[0], position + i) : fill) << i;
  }
  return value;
}

uint64_t insert(const Opcode& opcode, const Operands& operands) {
  const int width = width_of(opcode.type);
  const int position = operands[2] & 0xff, length = operands[3] & 0xff;
  uint64_t value = operands[1];
  for (int i = 0; i < length && position + i < width; ++i) {
    const uint64_t one = uint64_t{1} << (position + i);
    value = bit(operands[0], i) ? value | one : value & ~one;
  }
  return value;
}

uint64_t find_bit(const Opcode& opcode, uint64_t a) {
  const int width = width_of(opcode.type);
  if (ptx::is_signed(opcode.type) && bit(a, width - 1)) a = ~a;
  for (int i = width - 1; i >= 0; --i) {
    if (bit(a, i)) return static_cast<uint64_t>(opcode.full ? width - 1 - i : i);
  }
  return 0xffffffff;
}

uint64_t reverse(int width, uint64_t a) {
  uint64_t value = 0;
  for (int i = 0; i < width; ++i) value |= bit(a, i) << (width - 1 - i);
  return value;
}

uint64_t count_ones(int width, uint64_t a) {
  uint64_t count = 0;
  for (int i = 0; i < width; ++i) count += bit(a, i);
  return count;
}

uint64_t leading_zeros(int width, uint64_t a) {
  uint64_t count = 0;
  while (count < static_cast<uint64_t>(width) &&
         !bit(a, width - 1 - static_cast<int>(count))) {
    ++count;
  }
  return count;
}

/// The source byte that prmt puts at `place`; bit 3 asks for its sign.
int selected(Permute mode, uint64_t c, int place) {
  const int n = c & 3;
  switch (mode) {
    case Permute::F4e:
      return n + place;
    case Permute::B4e:
      return (n + 8 - place) % 8;
    case Permute::Rc8:
      return n;
    case Permute::Ecl:
      return place > n ? place : n;
    case Permute::Ecr:
      return place < n ? place : n;
    case Permute::Rc16:
      return 2 * (n & 1) + (place & 1);
    default:
      return static_cast<int>(c >> (4 * place) & 15);
  }
}

uint64_t permute(const Opcode& opcode, const Operands& operands) {
  const uint64_t both = operands[1] << 32 | (operands[0] & 0xffffffff);
  uint64_t value = 0;
  for (int place = 0; place < 4; ++place) {
    const int choice = selected(opcode.permute, operands[2], place);
    uint64_t byte = both >> (8 * (choice & 7)) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    value |= byte << (8 * place);
  }
  return value;
}

uint64_t find_nth(const Operands& operands) {
  const auto offset = static_cast<int32_t>(operands[2]);
  int64_t left = offset < 0 ? -int64_t{offset} : offset;
  const int step = offset < 0 ? -1 : 1;
  for (int64_t at = static_cast<uint32_t>(operands[1]); at >= 0 && at < 32;
       at += step) {
    if (bit(operands[0], static_cast<int>(at)) && --left <= 0) {
      return static_cast<uint64_t>(at);
    }
    if (offset == 0) break;
  }
  return 0xffffffff;
}

uint64_t extend(const Opcode& opcode, const Operands& operands) {
  const int width = clamp_or_wrap(opcode, operands[1]);
  uint64_t value = 0;
  for (int i = 0; i < width; ++i) value |= bit(operands[0], i) << i;
  const bool negative =
      ptx::is_signed(opcode.type) && width > 0 && bit(operands[0], width - 1);
  return negative ? value | ~uint64_t{0} << width : value;
}

uint64_t bit_mask(const Opcode& opcode, const Operands& operands) {
  const int first = clamp_or_wrap(opcode, operands[0]);
  const int width = clamp_or_wrap(opcode, operands[1]);
  uint64_t value = 0;
  for (int i = first; i < first + width && i < 32; ++i) value |= uint64_t{1} << i;
  return value;
}

int64_t part(Type type, uint64_t word, int index, int width) {
  const uint64_t bits = word >> (index * width) & ((1u << width) - 1);
  if (!ptx::is_signed(type) || !bit(bits, width - 1)) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits) - (int64_t{1} << width);
}

uint64_t dot(const Opcode& opcode, const Operands& operands) {
  const bool four = opcode.op == Op::Dp4a;
  const int first = !four && opcode.part == ptx::Part::High ? 2 : 0;
  int64_t sum = static_cast<int64_t>(operands[2]);
  for (int i = 0; i < (four ? 4 : 2); ++i) {
    sum += part(opcode.type, operands[0], i, four ? 8 : 16) *
           part(opcode.source_type, operands[1], first + i, 8);
  }
  return static_cast<uint64_t>(sum);
}

uint64_t absolute_differences(const Opcode& opcode, const Operands& operands) {
  uint64_t value = 0, sum = operands[2];
  for (int i = 0; i < 4; ++i) {
    const int64_t difference = part(opcode.source_type, operands[0], i, 8) -
                               part(opcode.source_type, operands[1], i, 8);
    const int64_t distance = difference < 0 ? -difference : difference;
    value |= static_cast<uint64_t>(distance & 0xff) << (8 * i);
    sum += static_cast<uint64_t>(distance);
  }
  return opcode.sum ? sum : value;
}

}  // namespace

Results evaluate_bits(const Opcode& opcode, const Operands& operands) {
  const int width = width_of(opcode.type);
  const uint64_t ones = width == 0 ? 0 : ~uint64_t{0} >> (64 - width);
  const uint64_t a = operands[0] & ones;
  switch (opcode.op) {
    case Op::And:
      return result(operands[0] & operands[1]);
    case Op::Or:
      return result(operands[0] | operands[1]);
    case Op::Xor:
      return result(operands[0] ^ operands[1]);
    case Op::Not:
      return result(~operands[0] & ones);
    case Op::Cnot:
      return result(a == 0);
    case Op::Lop3:
      return lop3(opcode, operands);
    case Op::Shl:
    case Op::Shr:
      return result(shift(opcode, operands));
    case Op::Shf:
      return result(funnel_shift(opcode, operands));
    case Op::Bfe:
      return result(extract(opcode, operands));
    case Op::Bfi:
      return result(insert(opcode, operands));
    case Op::Bfind:
      return result(find_bit(opcode, a));
    case Op::Brev:
      return result(reverse(width, a));
    case Op::Clz:
      return result(leading_zeros(width, a));
    case Op::Popc:
      return result(count_ones(width, a));
    case Op::Prmt:
      return result(permute(opcode, operands));
    case Op::Fns:
      return result(find_nth(operands));
    case Op::Szext:
      return result(extend(opcode, operands));
    case Op::Bmsk:
      return result(bit_mask(opcode, operands));
    case Op::Dp4a:
    case Op::Dp2a:
      return result(dot(opcode, operands));
    case Op::Vabsdiff4:
      return result(absolute_differences(opcode, operands));
    default:
      return unsupported_form();
  }
}

}  // namespace minitorch::simt::scalar
