// What kernels of the library refuse without anyone waiting: a note in memory that host
// and device both reach, raised at the next synchronisation.
#pragma once

#include <cstdint>

#include "runtime/device.h"

namespace minitorch::runtime {

/// What the first thread that refused a number wrote; kernels/refusal.cuh has the same
/// layout.
struct Refusal {
  uint32_t state, rule;
  int64_t value;
  double real;  // the same where the numbers are no integers
  int64_t position, size;
};

/// Throws the error for a number that did not fit; `where` names the op.
using RefusalWords = void (*)(const char* where, const Refusal& refusal);

/// A number for an op and its words, for a kernel to write into the note.
uint32_t refusal_rule(const char* where, RefusalWords words);

/// Where kernels on `device` find the note; made at the first call.
CUdeviceptr refusal_note(Device& device);

/// Throws what work that has ended refused, and clears the note.
void raise_refusal(Device& device);
/// Clears it.
void forget_refusal(Device& device);

}  // namespace minitorch::runtime
