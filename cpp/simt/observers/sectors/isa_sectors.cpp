// The probe that marks which sectors of global memory a launch touches.
#include "simt/observers/probe_access.h"
#include "simt/observers/sectors/sectors.h"
#include "simt/program/engine.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

struct MarkedSectors {
  static void look(Context& state, const Touch& touch) {
    if (touch.space != ptx::Space::Global) return;
    const uint64_t size = touch.size();
    const MemoryForm::Kind kind = touch.form->kind;
    const bool reads = kind != MemoryForm::Kind::Store;
    const bool writes = kind != MemoryForm::Kind::Load;
    Sectors& sectors = observer_of<Sectors>(state);
    if (touch.contiguous()) {
      return sectors.mark(reads, writes, touch.base(0), kLanes * size);
    }
    if (touch.strided() && touch.stride() <= Sectors::kSector) {
      // No sector between the first and the last lane is passed over.
      const uint64_t bytes = 15 * uint64_t{touch.stride()} + size;
      sectors.mark(reads, writes, touch.base(0), bytes);
      return sectors.mark(reads, writes, touch.base(1), bytes);
    }
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      sectors.mark(reads, writes, touch.at(first_lane(left)), size);
    }
  }
};

}  // namespace

HandlerPair find_sectors_probe(const MemoryForm& form) {
  const bool looks =
      form.space == ptx::Space::Global || form.space == ptx::Space::Generic;
  return looks ? ProbeAccess<MarkedSectors>::find(form) : HandlerPair{};
}

}  // namespace minitorch::simt::MINITORCH_ISA
