// Owns the probe that reports loads of global bytes which were never written. Must not
// know other spaces.
#include "emulator/observers/probe_access.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

struct ReadsWritten {
  static bool all_written(const Context& state, const Touch& touch) {
    const uint32_t size = touch.size();
    if (touch.contiguous()) return bits_are_set(state, touch.base(0), 32 * size);
    if (touch.strided() && touch.stride() == 0) {
      return bits_are_set(state, touch.base(0), size) &&
             bits_are_set(state, touch.base(1), size);
    }
    bool all = true;
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      all &= bits_are_set(state, touch.at(first_lane(left)), size);
    }
    return all;
  }

  static void look(Context& state, const Touch& touch) {
    if (touch.space != ptx::Space::Global) return;
    if (!all_written(state, touch)) report_uninitialised(state, touch.step);
  }
};

}  // namespace

HandlerPair find_uninitialised_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Const ||
                     form.space == ptx::Space::Generic;
  if (form.kind == MemoryForm::Kind::Store || !looks) return {};
  return ProbeAccess<ReadsWritten>::find(form);
}

}  // namespace minitorch::emulator::MINITORCH_ISA
