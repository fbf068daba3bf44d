// Owns how a function is built for several instruction sets and chosen when the program
// starts. Knows no function.
#pragma once

// One definition, several builds of it. Sanitizers run before such a choice can be
// made.
#if defined(__x86_64__) && !defined(MINITORCH_SANITIZE)
#define MINITORCH_BUILDS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define MINITORCH_BUILDS
#endif
