// The one emulated card of the process: its profile, its memory, how many host threads
// a launch may use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/card_profile.h"
#include "simt/memory/memory.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

/// The profile that MINITORCH_EMULATED_GPU names, t4 without it; nullptr and a sentence
/// on stderr for an unknown name.
const base::CardProfile* chosen_profile();

/// Bytes this machine or its cgroup has free now.
uint64_t free_host_memory();

/// MINITORCH_EMULATED_MEMORY in MiB, but no more than the profile has; without it the
/// profile's memory or half of what is free, whichever is less; whole MiB.
uint64_t memory_capacity(const base::CardProfile& profile);

/// MINITORCH_DETERMINISTIC=1: every run of a program gives the same.
bool is_deterministic();

/// MINITORCH_EMULATOR_THREADS, else the processors this process may use.
size_t launch_threads();

struct Device {
  explicit Device(const base::CardProfile& profile)
      : profile(profile), memory(memory_capacity(profile)), threads(launch_threads()) {}

  const base::CardProfile& profile;
  Memory memory;
  const size_t threads;
  const bool deterministic = is_deterministic();

  int compute_capability() const {
    return profile.compute_major * 10 + profile.compute_minor;
  }
};

}  // namespace minitorch::libcuda
