// Owns the policies that look on while steps execute; every hook is empty or inlined,
// so a policy costs what it does. Must not change what a kernel computes.
#pragma once

#include "emulator/context.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

/// Looks at nothing: the base of all policies.
struct Silent {
  static constexpr bool kReportsUninitialised = false;
  template <class Address>
  static void global(Context&, const Step*, const Address*, uint32_t, bool) {}
  template <class Address>
  static void shared(Context&, const Step*, const Address*, uint32_t, bool) {}
  template <class Address>
  static void local(Context&, const Step*, const Address*, uint32_t, bool) {}
  static void branch(Context&, const Step*, uint32_t) {}
  static void barrier(Context&, const Step*) {}
};

/// Reports loads of global bytes that were never written.
struct UninitialisedReads : Silent {
  static constexpr bool kReportsUninitialised = true;
};

}  // namespace
}  // namespace minitorch::emulator::MINITORCH_ISA
