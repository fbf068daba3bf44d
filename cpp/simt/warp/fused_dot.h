// One step for a run of {ld.shared.f32, ld.shared.f32, fma.rn.f32}: the inner loop of
// tiled products, whose sum then stays in vector registers. For the isa_*.cpp sources
// only.
#pragma once

#include "simt/warp/access.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

#if defined(__AVX512F__)

struct Lanes {
  __m512 low, high;  // lanes 0 to 15 and 16 to 31
};

// What a load of the run reads, when its addresses are one value or one contiguous run
// a half-warp, inside shared memory; else false.
[[gnu::always_inline]] inline bool read_operand(Context& state, const Step* step,
                                                Lanes& to) {
  const Pattern& pattern = pattern_of<uint32_t>(state, step);
  const uint64_t offset = static_cast<uint64_t>(step->immediate) - kSharedBase;
  const uint64_t low = pattern.base[0] + offset, high = pattern.base[1] + offset;
  const uint64_t size = pattern.stride == 0 ? 4 : 64;
  const AllocationHit& hit = state.hits[step->e];
  if (!pattern.strided || (pattern.stride != 0 && pattern.stride != 4) ||
      ((pattern.low_bits | offset) & 3) != 0 || hit.high < size || low < hit.low ||
      high < hit.low || low > hit.high - size || high > hit.high - size) {
    return false;
  }
  const auto* a = reinterpret_cast<const float*>(state.shared + low);
  const auto* b = reinterpret_cast<const float*>(state.shared + high);
  if (pattern.stride == 0) {
    to = {_mm512_set1_ps(*a), _mm512_set1_ps(*b)};
  } else {
    to = {_mm512_loadu_ps(a), _mm512_loadu_ps(b)};
  }
  return true;
}

// The sum as its row holds it: one NaN only.
[[gnu::always_inline]] inline void write_sum(Context& state, const Step* fma,
                                             const Lanes& sum) {
  const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff));
  float* const d = reinterpret_cast<float*>(state.registers + fma->d);
  const __mmask16 low = _mm512_cmp_ps_mask(sum.low, sum.low, _CMP_UNORD_Q);
  const __mmask16 high = _mm512_cmp_ps_mask(sum.high, sum.high, _CMP_UNORD_Q);
  _mm512_store_ps(d, _mm512_mask_mov_ps(sum.low, low, nan));
  _mm512_store_ps(d + 16, _mm512_mask_mov_ps(sum.high, high, nan));
  state.patterns[fma->clears_pattern].valid = 0;
}

// `step` is the first load; its field b counts the triples. Rows of loaded values and
// of sums before the last are not written: nothing else reads them. A triple that
// cannot go this way goes, with those behind it, step by step.
const Step* fused_dot(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const float* first = reinterpret_cast<const float*>(state.registers + (step + 2)->c);
  Lanes sum = {_mm512_load_ps(first), _mm512_load_ps(first + 16)};
  const Step* const end = step + 3 * step->b;
  const Step* at = step;
  for (; at != end; at += 3) {
    Lanes a, b;
    if (!read_operand(state, at, a) || !read_operand(state, at + 1, b)) {
      break;
    }
    sum.low = _mm512_fmadd_ps(a.low, b.low, sum.low);
    sum.high = _mm512_fmadd_ps(a.high, b.high, sum.high);
  }
  if (at == step) {
    return Shared<false, 4, 1, uint32_t>::template run<true>(state, step);
  }
  write_sum(state, at - 1, sum);
  return at;
}

constexpr Handler kFusedDot = &fused_dot;

#else

constexpr Handler kFusedDot = nullptr;

#endif

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
