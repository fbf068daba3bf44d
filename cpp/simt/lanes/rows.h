// The loops over the 32 lanes of a warp from which the handlers are made, for the
// isa_*.cpp sources only (everything here has internal linkage, one copy an instruction
// set).
//
// A handler is Lanewise<F, D, A, B, C, E>: F::of(a, b, ...) computes one lane, D is the
// type of the result, A to E those of the sources. The loops have no dependence between
// lanes (a destination may be a source), so the vectoriser turns them into a few vector
// instructions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/lanes/arithmetic.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // some loops stay scalar
#define MINITORCH_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define MINITORCH_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace minitorch::simt::MINITORCH_ISA {
namespace {

struct Absent {};

// How a value lies in a row: up to 32 bits in 4 bytes (narrow ones zero-extended),
// else 8. Rows change their type from one instruction to the next, hence may_alias.
template <class V>
struct RowOf {
  typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct RowOf<uint64_t> {
  typedef uint64_t __attribute__((may_alias)) type;
};
template <>
struct RowOf<int64_t> {
  typedef uint64_t __attribute__((may_alias)) type;
};
template <>
struct RowOf<float> {
  typedef float __attribute__((may_alias)) type;
};
template <>
struct RowOf<double> {
  typedef double __attribute__((may_alias)) type;
};
template <class V>
using Row = typename RowOf<V>::type;
using MaskRow = RowOf<uint32_t>::type;

template <class V>
[[gnu::always_inline]] inline Row<V>* row(const LaneState& state, uint32_t offset) {
  return reinterpret_cast<Row<V>*>(state.registers + offset);
}

[[gnu::always_inline]] inline MaskRow& mask_row(const LaneState& state,
                                                uint32_t offset) {
  return *reinterpret_cast<MaskRow*>(state.registers + offset);
}

// The row form of a value: narrow signed integers must not spill into the high half.
template <class D>
[[gnu::always_inline]] inline Row<D> to_row(D value) {
  if constexpr (std::is_integral_v<D> && sizeof(D) < 4) {
    return static_cast<std::make_unsigned_t<D>>(value);
  } else {
    return static_cast<Row<D>>(value);
  }
}

inline const Step* next(LaneState& state, const Step* step) {
  state.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

template <class F, class D, class A, class B = Absent, class C = Absent,
          class E = Absent>
struct Lanewise {
  [[gnu::always_inline]] static D lane(const Row<A>* a, const Row<B>* b,
                                       const Row<C>* c, const Row<E>* e, uint32_t i) {
    if constexpr (!std::is_same_v<E, Absent>) {
      return F::of(static_cast<A>(a[i]), static_cast<B>(b[i]), static_cast<C>(c[i]),
                   static_cast<E>(e[i]));
    } else if constexpr (!std::is_same_v<C, Absent>) {
      return F::of(static_cast<A>(a[i]), static_cast<B>(b[i]), static_cast<C>(c[i]));
    } else if constexpr (!std::is_same_v<B, Absent>) {
      return F::of(static_cast<A>(a[i]), static_cast<B>(b[i]));
    } else {
      return F::of(static_cast<A>(a[i]));
    }
  }

  [[gnu::noinline]] static const Step* full(LaneState& state, const Step* step) {
    Row<D>* d = row<D>(state, step->d);
    const Row<A>* a = row<A>(state, step->a);
    const Row<B>* b = row<B>(state, step->b);
    const Row<C>* c = row<C>(state, step->c);
    const Row<E>* e = row<E>(state, step->e);
    MINITORCH_LANE_LOOP
    for (uint32_t i = 0; i < kLanes; ++i) d[i] = to_row<D>(lane(a, b, c, e, i));
    return next(state, step);
  }

  [[gnu::noinline]] static const Step* masked(LaneState& state, const Step* step) {
    Row<D>* d = row<D>(state, step->d);
    const Row<A>* a = row<A>(state, step->a);
    const Row<B>* b = row<B>(state, step->b);
    const Row<C>* c = row<C>(state, step->c);
    const Row<E>* e = row<E>(state, step->e);
    MINITORCH_LANE_LOOP
    for (uint32_t i = 0; i < kLanes; ++i) {
      const Row<D> value = to_row<D>(lane(a, b, c, e, i));
      d[i] = state.lanes[i] ? value : d[i];
    }
    return next(state, step);
  }

  // For costly or rare instructions: one handler, one lane at a time, only where the
  // lane executes.
  [[gnu::noinline]] static const Step* each(LaneState& state, const Step* step) {
    Row<D>* d = row<D>(state, step->d);
    const Row<A>* a = row<A>(state, step->a);
    const Row<B>* b = row<B>(state, step->b);
    const Row<C>* c = row<C>(state, step->c);
    const Row<E>* e = row<E>(state, step->e);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = static_cast<uint32_t>(__builtin_ctz(left));
      d[i] = to_row<D>(lane(a, b, c, e, i));
    }
    return next(state, step);
  }
};

template <class F, class D, class... S>
constexpr HandlerPair lanewise() {
  return {&Lanewise<F, D, S...>::full, &Lanewise<F, D, S...>::masked};
}

template <class F, class D, class... S>
constexpr HandlerPair each_lane() {
  return {&Lanewise<F, D, S...>::each, &Lanewise<F, D, S...>::each};
}

// Bit of each lane, to test a predicate inside a vectorised loop.
alignas(64) constexpr uint32_t kLaneBit[kLanes] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// The sign bits of 32 lanes, each 0 or ~0u, as a predicate.
[[gnu::always_inline]] inline uint32_t gather_bits(const uint32_t* lanes) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const uint32_t low = _mm512_movepi32_mask(_mm512_load_si512(lanes));
  const uint32_t high = _mm512_movepi32_mask(_mm512_load_si512(lanes + 16));
  return low | high << 16;
#elif defined(__AVX2__)
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const __m256 part = _mm256_load_ps(reinterpret_cast<const float*>(lanes) + 8 * i);
    bits |= static_cast<uint32_t>(_mm256_movemask_ps(part)) << (8 * i);
  }
  return bits;
#elif defined(__SSE2__)
  uint32_t bits = 0;
  for (int i = 0; i < 8; ++i) {
    const __m128 part = _mm_load_ps(reinterpret_cast<const float*>(lanes) + 4 * i);
    bits |= static_cast<uint32_t>(_mm_movemask_ps(part)) << (4 * i);
  }
  return bits;
#else
  uint32_t bits = 0;
  for (uint32_t i = 0; i < kLanes; ++i) bits |= lanes[i] & kLaneBit[i];
  return bits;
#endif
}

// F::of(a, b) as a predicate over all lanes.
template <class F, class A, class B>
[[gnu::always_inline]] inline uint32_t test_lanes(const LaneState& state, uint32_t at_a,
                                                  uint32_t at_b) {
  const Row<A>* a = row<A>(state, at_a);
  const Row<B>* b = row<B>(state, at_b);
  alignas(64) uint32_t lanes[kLanes];
  MINITORCH_LANE_LOOP
  for (uint32_t i = 0; i < kLanes; ++i) {
    lanes[i] = F::of(static_cast<A>(a[i]), static_cast<B>(b[i])) ? ~0u : 0u;
  }
  return gather_bits(lanes);
}

[[gnu::always_inline]] inline void set_predicate(LaneState& state, uint32_t offset,
                                                 uint32_t value) {
  MaskRow& to = mask_row(state, offset);
  to = (value & state.mask) | (to & ~state.mask);
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
