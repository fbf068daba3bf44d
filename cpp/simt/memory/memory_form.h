// The description of one memory instruction, from which its handler is chosen and by
// which its faults are described.
#pragma once

#include <cstdint>

#include "cuda_abi/inspect.h"
#include "ptx/opcode.h"

namespace minitorch::simt {

/// One atomic update at a host address; returns the old value, as a row holds it.
using AtomicUpdate = uint64_t (*)(void* address, uint64_t operand, uint64_t swap);

struct MemoryForm {
  enum class Kind : uint8_t { Load, Store, Atomic };
  Kind kind = Kind::Load;
  ptx::Space space = ptx::Space::Global;
  uint8_t bytes = 4;  // of one element in memory
  uint8_t vector = 1;
  uint8_t address_bytes = 8;  // of the address register's row
  /// What the address is derived from (provenance.h); `base_index` as there.
  enum class Base : uint8_t { Unknown, Variable, Parameter };
  Base base = Base::Unknown;
  uint32_t base_index = 0;
  bool ordered = false;  // volatile, relaxed, acquire, release
  ptx::Order order = ptx::Order::Weak;
  ptx::Scope scope = ptx::Scope::None;
  bool compares = false;          // compare and swap: may not write
  bool opaque = false;            // an mbarrier's: no row holds what is written
  AtomicUpdate update = nullptr;  // atomics: for memory that other threads may use
  AtomicUpdate update_private = nullptr;  // for memory of this block only

  uint32_t size() const { return uint32_t{bytes} * vector; }
};

inline MtAccess access_of(const MemoryForm& form) {
  switch (form.kind) {
    case MemoryForm::Kind::Load:
      return MtAccess_Read;
    case MemoryForm::Kind::Store:
      return MtAccess_Write;
    default:
      return MtAccess_Atomic;
  }
}

/// Fills `update` and `update_private`; false when the form is not supported.
bool find_atomic(ptx::AtomicOp operation, ptx::Type type, MemoryForm& form);

}  // namespace minitorch::simt
