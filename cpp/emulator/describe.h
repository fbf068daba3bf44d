// Owns the way from a FindingRecord to the raw fields of the inspection interface. Must
// not know the text that people read.
#pragma once

#include "emulator/findings.h"
#include "emulator/launch_state.h"

namespace minitorch::emulator {

/// `record`, seen `count` times, with names, lines and the nearest allocation.
MtFinding describe_finding(const LaunchState& state, const FindingRecord& record,
                           uint64_t count);

}  // namespace minitorch::emulator
