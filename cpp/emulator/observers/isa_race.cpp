// Owns the probe that looks for races: which accesses take which road.
#include "emulator/observers/lone_load.h"

namespace minitorch::emulator::MINITORCH_ISA {

HandlerPair find_race_probe(const MemoryForm& form);

namespace {

template <bool kShared, bool kLoad, uint32_t kCells>
HandlerPair quick(const MemoryForm& form) {
  using Way = Quick<kShared, kLoad, kCells>;
  Handler handler = &Way::template run < uint64_t, kShared ? kSharedBase : 0 > ;
  if (form.address_bytes != 8) {
    if constexpr (!kShared) return {};
    handler = &Way::template run<uint32_t, kSharedBase>;
  }
  return {handler, handler};
}

template <bool kShared, bool kLoad>
HandlerPair quick_of_size(const MemoryForm& form) {
  switch (form.size()) {
    case 4:
      return quick<kShared, kLoad, 1>(form);
    case 8:
      return quick<kShared, kLoad, 2>(form);
    case 16:
      return quick<kShared, kLoad, 4>(form);
    default:
      return {};
  }
}

HandlerPair find_quick(const MemoryForm& form) {
  const bool load = form.kind == MemoryForm::Kind::Load;
  if (form.kind == MemoryForm::Kind::Atomic || form.ordered) return {};
  if (form.space == ptx::Space::Shared) {
    return load ? quick_of_size<true, true>(form) : quick_of_size<true, false>(form);
  }
  if (form.space != ptx::Space::Global) return {};
  return load ? quick_of_size<false, true>(form) : quick_of_size<false, false>(form);
}

template <uint32_t kCells>
HandlerPair lone_load(const MemoryForm& form) {
  using Way = LoneLoad<kCells>;
  Handler handler = &Way::template run<uint32_t, kSharedBase>;
  if (form.address_bytes == 8) handler = &Way::template run<uint64_t, kSharedBase>;
  return {handler, handler};
}

}  // namespace

HandlerPair find_lone_load_probe(const MemoryForm& form) {
  switch (form.size()) {
    case 4:
      return lone_load<1>(form);
    case 8:
      return lone_load<2>(form);
    case 16:
      return lone_load<4>(form);
    default:
      return find_race_probe(form);
  }
}

HandlerPair find_race_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Shared ||
                     form.space == ptx::Space::Generic;
  if (!looks) return {};
  const HandlerPair quick = find_quick(form);
  return quick.full ? quick : ProbeAccess<Watch>::find(form);
}

}  // namespace minitorch::emulator::MINITORCH_ISA
