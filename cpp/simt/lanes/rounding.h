// Directed rounding for the isa_*.cpp sources: runs a handler under the rounding mode
// of its instruction.
#pragma once

#include "simt/lanes/rows.h"

#if !defined(__SSE2__)
#include <cfenv>
#endif

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// The host rounds as asked while this lives. Operands and results pass through rows in
// memory, which the barriers keep on their side.
template <ptx::Rounding kRounding>
class RoundingScope {
  using Rounding = ptx::Rounding;

 public:
#if defined(__SSE2__)
  [[gnu::always_inline]] RoundingScope() : saved_(_mm_getcsr()) {
    constexpr unsigned kMode = kRounding == Rounding::Zero   ? _MM_ROUND_TOWARD_ZERO
                               : kRounding == Rounding::Down ? _MM_ROUND_DOWN
                               : kRounding == Rounding::Up   ? _MM_ROUND_UP
                                                             : _MM_ROUND_NEAREST;
    _mm_setcsr((saved_ & ~unsigned{_MM_ROUND_MASK}) | kMode);
    asm volatile("" ::: "memory");
  }
  [[gnu::always_inline]] ~RoundingScope() {
    asm volatile("" ::: "memory");
    _mm_setcsr(saved_);
  }
#else
  RoundingScope() : saved_(std::fegetround()) {
    std::fesetround(kRounding == Rounding::Zero   ? FE_TOWARDZERO
                    : kRounding == Rounding::Down ? FE_DOWNWARD
                    : kRounding == Rounding::Up   ? FE_UPWARD
                                                  : FE_TONEAREST);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    std::fesetround(saved_);
  }
#endif
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
#if defined(__SSE2__)
  unsigned saved_;
#else
  int saved_;
#endif
};

template <ptx::Rounding kRounding, Handler kInner>
const Step* rounded(LaneState& state, const Step* step) {
  const RoundingScope<kRounding> scope;
  return kInner(state, step);
}

// The handlers of Lanewise<F, D, S...> under `rounding`; no modifier means to nearest.
template <class F, class D, class... S>
HandlerPair lanewise_rounded(ptx::Rounding rounding) {
  using ptx::Rounding;
  using Loops = Lanewise<F, D, S...>;
  switch (rounding) {
    case Rounding::Zero:
      return {&rounded<Rounding::Zero, &Loops::full>,
              &rounded<Rounding::Zero, &Loops::masked>};
    case Rounding::Down:
      return {&rounded<Rounding::Down, &Loops::full>,
              &rounded<Rounding::Down, &Loops::masked>};
    case Rounding::Up:
      return {&rounded<Rounding::Up, &Loops::full>,
              &rounded<Rounding::Up, &Loops::masked>};
    default:
      return lanewise<F, D, S...>();
  }
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
