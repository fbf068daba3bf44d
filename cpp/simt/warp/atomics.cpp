// The arithmetic of atom and red, one update of one lane at a time.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <type_traits>

#include "simt/memory/memory_form.h"

namespace minitorch::simt {
namespace {

using ptx::AtomicOp;
using ptx::Type;

/// A 16-bit float format. The sum of two of its numbers, rounded to double on the way,
/// is still the correctly rounded one: what double loses is far below half a unit.
template <int kFraction, int kMinExponent>
struct Small {
  static constexpr uint16_t kSign = 0x8000, kNan = 0x7fff;
  static constexpr uint16_t kInfinity = kNan >> kFraction << kFraction;
  uint16_t bits;

  double value() const {
    const int exponent = (bits & kNan) >> kFraction;
    const int fraction = bits & ((1 << kFraction) - 1);
    const bool finite = (bits & kInfinity) != kInfinity;
    double magnitude = fraction ? NAN : INFINITY;
    if (finite) {
      const int units = exponent ? fraction + (1 << kFraction) : fraction;
      const int power = std::max(exponent, 1) - 1 + kMinExponent - kFraction;
      magnitude = std::ldexp(units, power);
    }
    return bits & kSign ? -magnitude : magnitude;
  }
  static Small rounded(double value) {
    if (std::isnan(value)) return {kNan};
    const uint16_t sign = std::signbit(value) ? kSign : uint16_t{0};
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return {static_cast<uint16_t>(sign | kInfinity)};
    const int exponent =
        std::max(magnitude != 0 ? std::ilogb(magnitude) : kMinExponent, kMinExponent);
    const auto units = static_cast<uint32_t>(
        std::nearbyint(std::ldexp(magnitude, kFraction - exponent)));
    const auto above = static_cast<uint32_t>(exponent - kMinExponent);
    // A carry out of the fraction counts the exponent up.
    const uint64_t raw = (uint64_t{above} << kFraction) + units;
    return {static_cast<uint16_t>(sign | std::min<uint64_t>(raw, kInfinity))};
  }
  friend Small operator+(Small a, Small b) { return rounded(a.value() + b.value()); }
};
using Half = Small<10, -14>;
using Brain = Small<7, -126>;

template <class T>
struct Pair {
  T low, high;
  friend Pair operator+(Pair a, Pair b) { return {a.low + b.low, a.high + b.high}; }
};

template <AtomicOp kOperation, class T>
T combine(T old, T operand, T swap) {
  using U = std::conditional_t<std::is_integral_v<T>, T, uint32_t>;
  switch (kOperation) {
    case AtomicOp::Add:
      if constexpr (std::is_integral_v<T>) {
        using Bits = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(operand));
      }
      return old + operand;
    case AtomicOp::Min:
      return operand < old ? operand : old;
    case AtomicOp::Max:
      return operand > old ? operand : old;
    case AtomicOp::Inc:
      return old >= operand ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::Dec:
      return old == 0 || old > operand ? operand : static_cast<T>(old - 1);
    case AtomicOp::And:
      return static_cast<T>(static_cast<U>(old) & static_cast<U>(operand));
    case AtomicOp::Or:
      return static_cast<T>(static_cast<U>(old) | static_cast<U>(operand));
    case AtomicOp::Xor:
      return static_cast<T>(static_cast<U>(old) ^ static_cast<U>(operand));
    case AtomicOp::Exch:
      return operand;
    case AtomicOp::Cas:
      return old == operand ? swap : old;
    default:
      return old;
  }
}

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, uint64_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;

template <AtomicOp kOperation, class T>
BitsOf<T> next_bits(BitsOf<T> old, uint64_t operand, uint64_t swap) {
  using Bits = BitsOf<T>;
  const T value = std::bit_cast<T>(old);
  const T by = std::bit_cast<T>(static_cast<Bits>(operand));
  if constexpr (std::is_arithmetic_v<T>) {
    const T other = std::bit_cast<T>(static_cast<Bits>(swap));
    return std::bit_cast<Bits>(combine<kOperation, T>(value, by, other));
  } else {
    static_assert(kOperation == AtomicOp::Add);
    return std::bit_cast<Bits>(value + by);
  }
}

template <AtomicOp kOperation, class T>
uint64_t update(void* address, uint64_t operand, uint64_t swap) {
  using Bits = BitsOf<T>;
  std::atomic_ref<Bits> cell(*static_cast<Bits*>(address));
  if constexpr (kOperation == AtomicOp::Add && std::is_integral_v<T>) {
    return cell.fetch_add(static_cast<Bits>(operand));
  } else if constexpr (kOperation == AtomicOp::Exch) {
    return cell.exchange(static_cast<Bits>(operand));
  } else {
    Bits old = cell.load();
    while (!cell.compare_exchange_weak(old,
                                       next_bits<kOperation, T>(old, operand, swap))) {
    }
    return old;
  }
}

template <AtomicOp kOperation, class T>
uint64_t update_private(void* address, uint64_t operand, uint64_t swap) {
  auto* cell = static_cast<BitsOf<T>*>(address);
  const BitsOf<T> old = *cell;
  *cell = next_bits<kOperation, T>(old, operand, swap);
  return old;
}

template <AtomicOp kOperation, class T>
bool set(MemoryForm& form) {
  form.update = &update<kOperation, T>;
  form.update_private = &update_private<kOperation, T>;
  return true;
}

template <class T>
bool set_integer(AtomicOp operation, MemoryForm& form) {
  switch (operation) {
    case AtomicOp::Add:
      return set<AtomicOp::Add, T>(form);
    case AtomicOp::Min:
      return set<AtomicOp::Min, T>(form);
    case AtomicOp::Max:
      return set<AtomicOp::Max, T>(form);
    case AtomicOp::Inc:
      return set<AtomicOp::Inc, T>(form);
    case AtomicOp::Dec:
      return set<AtomicOp::Dec, T>(form);
    case AtomicOp::And:
      return set<AtomicOp::And, T>(form);
    case AtomicOp::Or:
      return set<AtomicOp::Or, T>(form);
    case AtomicOp::Xor:
      return set<AtomicOp::Xor, T>(form);
    case AtomicOp::Exch:
      return set<AtomicOp::Exch, T>(form);
    case AtomicOp::Cas:
      return set<AtomicOp::Cas, T>(form);
    default:
      return false;
  }
}

}  // namespace

bool find_atomic(AtomicOp operation, Type type, MemoryForm& form) {
  switch (type) {
    case Type::B16:
    case Type::U16:
      return set_integer<uint16_t>(operation, form);
    case Type::B32:
    case Type::U32:
      return set_integer<uint32_t>(operation, form);
    case Type::S32:
      return set_integer<int32_t>(operation, form);
    case Type::B64:
    case Type::U64:
      return set_integer<uint64_t>(operation, form);
    case Type::S64:
      return set_integer<int64_t>(operation, form);
    case Type::F16:
      return operation == AtomicOp::Add && set<AtomicOp::Add, Half>(form);
    case Type::BF16:
      return operation == AtomicOp::Add && set<AtomicOp::Add, Brain>(form);
    case Type::F16x2:
      return operation == AtomicOp::Add && set<AtomicOp::Add, Pair<Half>>(form);
    case Type::BF16x2:
      return operation == AtomicOp::Add && set<AtomicOp::Add, Pair<Brain>>(form);
    case Type::F32:
      return operation == AtomicOp::Add && set<AtomicOp::Add, float>(form);
    case Type::F64:
      return operation == AtomicOp::Add && set<AtomicOp::Add, double>(form);
    default:
      return false;
  }
}

}  // namespace minitorch::simt
