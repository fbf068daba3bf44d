// The engine of one instruction set: every handler template, instantiated.
#include "simt/warp/access.h"
#include "simt/warp/atomic_access.h"
#include "simt/warp/collective_ops.h"
#include "simt/warp/control.h"
#include "simt/warp/fused_dot.h"

namespace minitorch::simt::MINITORCH_ISA {

#define PROBE(name, finder, observer) \
  HandlerPair find_##finder##_probe(const MemoryForm& form);
#include "simt/observing/probes.inc"
#undef PROBE

namespace {

template <class Way>
HandlerPair both_masks() {
  return {&Way::template run<true>, &Way::template run<false>};
}

template <bool kStore, uint32_t kBytes, uint32_t kVector>
HandlerPair in_space(const MemoryForm& form) {
  const bool wide = form.address_bytes == 8;
  switch (form.space) {
    case ptx::Space::Global:
    case ptx::Space::Const:
      if (!wide) return {};
      return both_masks<Global<kStore, kBytes, kVector>>();
    case ptx::Space::Generic:
      if (!wide) return {};
      return both_masks<Generic<kStore, kBytes, kVector>>();
    case ptx::Space::Shared:
      return wide ? both_masks<Shared<kStore, kBytes, kVector, uint64_t>>()
                  : both_masks<Shared<kStore, kBytes, kVector, uint32_t>>();
    case ptx::Space::Local:
      return wide ? both_masks<Local<kStore, kBytes, kVector, uint64_t>>()
                  : both_masks<Local<kStore, kBytes, kVector, uint32_t>>();
    default:
      return {};
  }
}

template <bool kStore, uint32_t kBytes>
HandlerPair of_vector(const MemoryForm& form) {
  if (form.vector == 1) return in_space<kStore, kBytes, 1>(form);
  if (form.vector == 2) return in_space<kStore, kBytes, 2>(form);
  if constexpr (kBytes < 8) {
    if (form.vector == 4) return in_space<kStore, kBytes, 4>(form);
  }
  return {};
}

template <bool kStore>
HandlerPair of_size(const MemoryForm& form) {
  switch (form.bytes) {
    case 1:
      return of_vector<kStore, 1>(form);
    case 2:
      return of_vector<kStore, 2>(form);
    case 4:
      return of_vector<kStore, 4>(form);
    case 8:
      return of_vector<kStore, 8>(form);
    default:
      return {};
  }
}

HandlerPair find_memory(const MemoryForm& form) {
  switch (form.kind) {
    case MemoryForm::Kind::Load:
      return of_size<false>(form);
    case MemoryForm::Kind::Store:
      return of_size<true>(form);
    default:
      return find_atomic_access(form);
  }
}

template <bool kStore, uint32_t kBytes>
HandlerPair unchecked_vector(uint32_t vector) {
  if (vector == 1) return both_masks<Unchecked<kStore, kBytes, 1>>();
  if (vector == 2) return both_masks<Unchecked<kStore, kBytes, 2>>();
  if constexpr (kBytes < 8) {
    if (vector == 4) return both_masks<Unchecked<kStore, kBytes, 4>>();
  }
  return {};
}

template <bool kStore>
HandlerPair unchecked_size(const MemoryForm& form) {
  switch (form.bytes) {
    case 1:
      return unchecked_vector<kStore, 1>(form.vector);
    case 2:
      return unchecked_vector<kStore, 2>(form.vector);
    case 4:
      return unchecked_vector<kStore, 4>(form.vector);
    case 8:
      return unchecked_vector<kStore, 8>(form.vector);
    default:
      return {};
  }
}

template <bool kStore>
HandlerPair contiguous_size(uint32_t bytes) {
  return bytes == 4 ? both_masks<Contiguous<kStore, 4>>()
                    : both_masks<Contiguous<kStore, 8>>();
}

HandlerPair find_unchecked(const MemoryForm& form, bool contiguous) {
  const bool store = form.kind == MemoryForm::Kind::Store;
  if (contiguous && form.vector == 1 && form.bytes >= 4) {
    return store ? contiguous_size<true>(form.bytes)
                 : contiguous_size<false>(form.bytes);
  }
  return store ? unchecked_size<true>(form) : unchecked_size<false>(form);
}

HandlerPair find_probe(Probe probe, const MemoryForm& form) {
  switch (probe) {
#define PROBE(name, finder, observer) \
  case Probe::name:                   \
    return find_##finder##_probe(form);
#include "simt/observing/probes.inc"
#undef PROBE
  }
  return {};
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

extern const Engine kEngine = {kIsa,          &find_memory,     &find_unchecked,
                               &find_control, &find_collective, &find_shadowed_shuffle,
                               &find_probe,   kFusedDot};

}  // namespace minitorch::simt::MINITORCH_ISA
