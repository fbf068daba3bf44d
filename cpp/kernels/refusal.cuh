// How a kernel says that a number is unfit, without anyone waiting for it: in a
// note that host and device both reach. The host's twin is runtime/refusal.h.
#pragma once

struct Refusal {
  unsigned int state;  // 0: nothing written, 1: being written, 2: whole
  unsigned int rule;   // whose words the host raises
  long long value;
  double real;         // the same where the numbers are no integers
  long long position;  // of the number
  long long size;      // that it would have to fit
};

// The first thread that refuses anything writes; the host raises it when it waits.
__device__ inline void refuse(Refusal* note, unsigned int rule, long long value,
                              double real, long long position, long long size) {
  if (atomicCAS(&note->state, 0u, 1u) != 0u) return;
  note->rule = rule;
  note->value = value;
  note->real = real;
  note->position = position;
  note->size = size;
  __threadfence_system();
  atomicExch(&note->state, 2u);
}
