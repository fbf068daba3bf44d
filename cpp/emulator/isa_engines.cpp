// Owns the list of engines in use: every handler template, instantiated for each
// observer policy. The only source that names a policy.
#include "emulator/access.h"
#include "emulator/atomic_access.h"
#include "emulator/collective_ops.h"
#include "emulator/control.h"
#include "emulator/fused_dot.h"
#include "emulator/observers.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

template <class Way>
HandlerPair both_masks() {
  return {&Way::template run<true>, &Way::template run<false>};
}

template <class Observer, bool kStore, uint32_t kBytes, uint32_t kVector>
HandlerPair in_space(const MemoryForm& form) {
  const bool wide = form.address_bytes == 8;
  switch (form.space) {
    case ptx::Space::Global:
    case ptx::Space::Const:
      if (!wide) return {};
      return both_masks<Global<Observer, kStore, kBytes, kVector>>();
    case ptx::Space::Generic:
      if (!wide) return {};
      return both_masks<Generic<Observer, kStore, kBytes, kVector>>();
    case ptx::Space::Shared:
      return wide ? both_masks<Shared<Observer, kStore, kBytes, kVector, uint64_t>>()
                  : both_masks<Shared<Observer, kStore, kBytes, kVector, uint32_t>>();
    case ptx::Space::Local:
      return wide ? both_masks<Local<Observer, kStore, kBytes, kVector, uint64_t>>()
                  : both_masks<Local<Observer, kStore, kBytes, kVector, uint32_t>>();
    default:
      return {};
  }
}

template <class Observer, bool kStore, uint32_t kBytes>
HandlerPair of_vector(const MemoryForm& form) {
  if (form.vector == 1) return in_space<Observer, kStore, kBytes, 1>(form);
  if (form.vector == 2) return in_space<Observer, kStore, kBytes, 2>(form);
  if constexpr (kBytes < 8) {
    if (form.vector == 4) return in_space<Observer, kStore, kBytes, 4>(form);
  }
  return {};
}

template <class Observer, bool kStore>
HandlerPair of_size(const MemoryForm& form) {
  switch (form.bytes) {
    case 1:
      return of_vector<Observer, kStore, 1>(form);
    case 2:
      return of_vector<Observer, kStore, 2>(form);
    case 4:
      return of_vector<Observer, kStore, 4>(form);
    case 8:
      return of_vector<Observer, kStore, 8>(form);
    default:
      return {};
  }
}

template <class Observer>
HandlerPair find_memory(const MemoryForm& form) {
  switch (form.kind) {
    case MemoryForm::Kind::Load:
      return of_size<Observer, false>(form);
    case MemoryForm::Kind::Store:
      return of_size<Observer, true>(form);
    default:
      return find_atomic_access<Observer>(form);
  }
}

template <class Observer>
constexpr Engine engine(Isa isa) {
  return {isa,
          Observer::kReportsUninitialised,
          &find_memory<Observer>,
          &find_control<Observer>,
          &find_collective,
          kFusedDot<Observer>};
}

constexpr Isa kIsa =
#if defined(__AVX512F__)
    Isa::Avx512;
#elif defined(__AVX2__)
    Isa::Avx2;
#else
    Isa::Portable;
#endif

}  // namespace

extern const Engine kEngines[2] = {engine<Silent>(kIsa),
                                   engine<UninitialisedReads>(kIsa)};

}  // namespace minitorch::emulator::MINITORCH_ISA
