#include "cpu/half_rows.h"

#include "cpu/builds.h"

#ifdef MINITORCH_X86_BUILDS
#include <immintrin.h>
#endif

namespace minitorch::cpu {
namespace {

MINITORCH_BUILDS void widen_plain(const uint16_t* x, float* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = widen_float16(x[i]);
}

MINITORCH_BUILDS void narrow_plain(const float* x, uint16_t* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = narrow_float16(x[i]);
}

#ifdef MINITORCH_X86_BUILDS
// Each converts whole vectors and returns how many elements are done: it stops at a
// vector with a NaN, whose bits the processor treats in its own way.

__attribute__((target("arch=x86-64-v4"))) int64_t widen_16(const uint16_t* x,
                                                           float* out, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 wide = _mm512_maskz_cvtph_ps(
        0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i)));
    if (_mm512_cmp_ps_mask(wide, wide, _CMP_UNORD_Q)) break;
    _mm512_storeu_ps(out + i, wide);
  }
  return i;
}

__attribute__((target("arch=x86-64-v4"))) int64_t narrow_16(const float* x,
                                                            uint16_t* out,
                                                            int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 wide = _mm512_loadu_ps(x + i);
    if (_mm512_cmp_ps_mask(wide, wide, _CMP_UNORD_Q)) break;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm512_maskz_cvtps_ph(0xffff, wide, _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}

__attribute__((target("arch=x86-64-v3"))) int64_t widen_8(const uint16_t* x, float* out,
                                                          int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 wide =
        _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i)));
    if (_mm256_movemask_ps(_mm256_cmp_ps(wide, wide, _CMP_UNORD_Q))) break;
    _mm256_storeu_ps(out + i, wide);
  }
  return i;
}

__attribute__((target("arch=x86-64-v3"))) int64_t narrow_8(const float* x,
                                                           uint16_t* out,
                                                           int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 wide = _mm256_loadu_ps(x + i);
    if (_mm256_movemask_ps(_mm256_cmp_ps(wide, wide, _CMP_UNORD_Q))) break;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}
#endif

/// The processor's conversions; null where it has none.
struct Conversions {
  int64_t (*widen)(const uint16_t*, float*, int64_t) = nullptr;
  int64_t (*narrow)(const float*, uint16_t*, int64_t) = nullptr;
};

Conversions find_conversions() {
#ifdef MINITORCH_X86_BUILDS
  if (__builtin_cpu_supports("x86-64-v4")) return {widen_16, narrow_16};
  if (__builtin_cpu_supports("x86-64-v3")) return {widen_8, narrow_8};
#endif
  return {};
}

const Conversions& conversions() {
  static const Conversions found = find_conversions();
  return found;
}

constexpr int64_t kAround = 64;  // elements around a NaN that take the plain way

/// The whole row by `fast`, and by `plain` around NaNs and at the end.
template <class From, class To>
void convert(const From* x, To* out, int64_t count,
             int64_t (*fast)(const From*, To*, int64_t),
             void (*plain)(const From*, To*, int64_t)) {
  for (int64_t i = 0; i < count;) {
    if (fast) i += fast(x + i, out + i, count - i);
    const int64_t left = count - i;
    const int64_t part = fast && left > kAround ? kAround : left;
    plain(x + i, out + i, part);
    i += part;
  }
}

MINITORCH_BUILDS void widen_bfloat16_row(const BFloat16* x, float* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = widen_bfloat16(x[i].bits);
}

MINITORCH_BUILDS void narrow_bfloat16_row(const float* x, BFloat16* out,
                                          int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i].bits = narrow_bfloat16(x[i]);
}

}  // namespace

void widen_row(const Float16* x, float* out, int64_t count) {
  convert(&x->bits, out, count, conversions().widen, widen_plain);
}

void narrow_row(const float* x, Float16* out, int64_t count) {
  convert(x, &out->bits, count, conversions().narrow, narrow_plain);
}

void widen_row(const BFloat16* x, float* out, int64_t count) {
  widen_bfloat16_row(x, out, count);
}

void narrow_row(const float* x, BFloat16* out, int64_t count) {
  narrow_bfloat16_row(x, out, count);
}

}  // namespace minitorch::cpu
