// How a function is built for several instruction sets and chosen when the program
// starts.
#pragma once

// One definition, several builds of it: x86-64-v3 is AVX2 with F16C, v4 is AVX-512.
// Sanitizers run before such a choice can be made.
#if defined(__x86_64__) && !defined(MINITORCH_SANITIZE)
#define MINITORCH_X86_BUILDS
#define MINITORCH_BUILDS \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MINITORCH_BUILDS
#endif

// A function that is built with those that call it, whatever its size.
#define MINITORCH_INLINED [[gnu::always_inline]] inline
