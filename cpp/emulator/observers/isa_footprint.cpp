// Owns the probe that marks which bytes of global memory a launch uses. Must not know
// what the marks are for.
#include "emulator/engine.h"
#include "emulator/observers/footprint_writer.h"
#include "emulator/observers/probe_access.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

Use use_of(const MemoryForm& form) {
  if (form.kind == MemoryForm::Kind::Atomic) return Use::StrongWrite;
  const bool load = form.kind == MemoryForm::Kind::Load;
  if (form.ordered) return load ? Use::StrongRead : Use::StrongWrite;
  return load ? Use::Read : Use::Write;
}

struct Marked {
  static void look(Context& state, const Touch& touch) {
    if (touch.space != ptx::Space::Global) return;
    const uint32_t size = touch.size();
    const FunctionCode& code = *state.frame->code;
    const uint32_t access = state.program->access_base[code.index] + touch.step->e;
    const auto mark = [&, use = use_of(*touch.form)](uint64_t at, uint64_t bytes) {
      state.footprint->mark(use, at, bytes, access,
                            {code.index, touch.step->instruction});
    };
    if (touch.contiguous()) return mark(touch.base(0), 32 * uint64_t{size});
    if (touch.strided() && (touch.stride() == 0 || touch.stride() == size)) {
      const uint64_t bytes = touch.stride() == 0 ? size : 16 * uint64_t{size};
      mark(touch.base(0), bytes);
      return mark(touch.base(1), bytes);
    }
    if (touch.strided()) {  // of a replayed block the pattern is right, not the row
      for (uint32_t i = 0; i < kLanes; ++i) {
        mark(touch.base(i / 16) + uint64_t{touch.stride()} * (i % 16), size);
      }
      return;
    }
    for (uint32_t left = touch.mask; left; left &= left - 1) {
      mark(touch.at(first_lane(left)), size);
    }
  }
};

}  // namespace

HandlerPair find_footprint_probe(const MemoryForm& form) {
  const bool looks = form.space == ptx::Space::Global ||
                     form.space == ptx::Space::Const ||
                     form.space == ptx::Space::Generic;
  return looks ? ProbeAccess<Marked>::find(form) : HandlerPair{};
}

}  // namespace minitorch::emulator::MINITORCH_ISA
