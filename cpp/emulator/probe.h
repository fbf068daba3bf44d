// Owns the list of probes: steps that instrumentation puts beside the steps of a
// program so that observers see what happens. A program without probes pays nothing for
// them. Must not know what observers do with what they see.
#pragma once

#include <cstdint>

#include "emulator/lanes/arithmetic.h"
#include "emulator/memory_form.h"

namespace minitorch::emulator {

enum class Probe : uint8_t {
#define PROBE(name, finder) name,
#include "emulator/observers/probes.inc"
#undef PROBE
};

/// Where a probe stands. Access: before the memory step, of which it is a copy with
/// another handler (rows, offset, access number). Block: at the first step of a basic
/// block, behind its join. Result: behind the last step of an instruction that has
/// destinations; d is the row of the first. All carry the instruction's number.
enum class ProbePlace : uint8_t { Access, Block, Result };

/// Which bits of Launch::checks (MtCheck, MtRecord) ask for a probe, and where it
/// stands.
struct ProbeRule {
  Probe probe;
  ProbePlace place;
  uint32_t wanted_by;
};

}  // namespace minitorch::emulator
