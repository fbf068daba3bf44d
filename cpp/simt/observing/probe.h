// The list of probes: steps that instrumentation puts beside the steps of a program so
// that observers see what happens. A program without probes pays nothing for them.
#pragma once

#include <cstdint>

#include "simt/lanes/arithmetic.h"
#include "simt/memory/memory_form.h"

namespace minitorch::simt {

enum class Probe : uint8_t {
#define PROBE(name, finder, observer) name,
#include "simt/observing/probes.inc"
#undef PROBE
};

}  // namespace minitorch::simt
