// Owns the arithmetic of atom and red, one update of one lane at a time. Must not know
// registers, lanes or memory checks.
#include <atomic>
#include <bit>
#include <type_traits>

#include "emulator/memory_form.h"

namespace minitorch::emulator {
namespace {

using ptx::AtomicOp;
using ptx::Type;

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
  return std::bit_cast<Bits>(combine<kOperation, T>(
      std::bit_cast<T>(old), std::bit_cast<T>(static_cast<Bits>(operand)),
      std::bit_cast<T>(static_cast<Bits>(swap))));
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
    case Type::F32:
      return operation == AtomicOp::Add && set<AtomicOp::Add, float>(form);
    case Type::F64:
      return operation == AtomicOp::Add && set<AtomicOp::Add, double>(form);
    default:
      return false;
  }
}

}  // namespace minitorch::emulator
