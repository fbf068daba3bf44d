// Owns the list of probes: steps that instrumentation puts beside the steps of a
// program so that observers see what happens. A program without probes pays nothing for
// them. Must not know what observers do with what they see.
#pragma once

#include <cstdint>

#include "emulator/lanes/arithmetic.h"
#include "emulator/memory_form.h"

namespace minitorch::emulator {

enum class Probe : uint8_t {
#define PROBE(name, finder, observer) name,
#include "emulator/observers/probes.inc"
#undef PROBE
};

}  // namespace minitorch::emulator
