#include "cpu/rows.h"

#include <algorithm>
#include <bit>

#include "cpu/builds.h"
#include "cpu/vector_activations.h"
#include "cpu/vector_circle.h"
#include "cpu/vector_math.h"
#include "cpu/vector_pow.h"

namespace minitorch::cpu {

constexpr int64_t kMaxima = 32;  // independent results: several of the widest vectors
constexpr int64_t kSums = 64;    // the same, where each waits for the one before
constexpr int64_t kTogether = 512;  // elements of one kind take the short way together

// Where no exponential is extreme, `formula` has a shorter way to the same bits.
#define MINITORCH_TWO_WAYS(T, name, formula)                                          \
  MINITORCH_BUILDS void name(const T* __restrict x, T* __restrict out,                \
                             int64_t count) {                                         \
    for (int64_t first = 0; first < count; first += kTogether) {                      \
      const int64_t last = std::min(first + kTogether, count);                        \
      auto extreme = exp_is_extreme(x[first]);                                        \
      for (int64_t i = first; i < last; ++i) extreme |= exp_is_extreme(x[i]);         \
      if (std::countl_zero(extreme) > 0) {                                            \
        for (int64_t i = first; i < last; ++i) out[i] = formula<Range::Normal>(x[i]); \
      } else {                                                                        \
        for (int64_t i = first; i < last; ++i) out[i] = formula<Range::All>(x[i]);    \
      }                                                                               \
    }                                                                                 \
  }
#define MINITORCH_ROW(T)                                                   \
  MINITORCH_TWO_WAYS(T, exp_row, exp_in)                                   \
  MINITORCH_TWO_WAYS(T, sigmoid_row, sigmoid_straight)                     \
  MINITORCH_TWO_WAYS(T, silu_row, silu_straight)                           \
  MINITORCH_BUILDS void log_row(const T* __restrict x, T* __restrict out,  \
                                int64_t count) {                           \
    for (int64_t i = 0; i < count; ++i) out[i] = log_straight(x[i]);       \
  }                                                                        \
  MINITORCH_BUILDS void tanh_row(const T* __restrict x, T* __restrict out, \
                                 int64_t count) {                          \
    for (int64_t i = 0; i < count; ++i) out[i] = tanh_straight(x[i]);      \
  }                                                                        \
  MINITORCH_BUILDS void max_row(const T* __restrict x, T* __restrict out,  \
                                int64_t count) {                           \
    for (int64_t i = 0; i < count; ++i) {                                  \
      const bool keep = (out[i] > x[i]) | (out[i] != out[i]);              \
      out[i] = keep ? out[i] : x[i];                                       \
    }                                                                      \
  }                                                                        \
  MINITORCH_BUILDS T max_of_row(const T* x, int64_t count) {               \
    T lanes[kMaxima];                                                      \
    for (T & lane : lanes) lane = x[0];                                    \
    int64_t i = 0;                                                         \
    for (; i + kMaxima <= count; i += kMaxima) {                           \
      for (int64_t j = 0; j < kMaxima; ++j) {                              \
        const bool keep = (lanes[j] > x[i + j]) | (lanes[j] != lanes[j]);  \
        lanes[j] = keep ? lanes[j] : x[i + j];                             \
      }                                                                    \
    }                                                                      \
    for (int64_t j = 0; i < count; ++i, ++j) {                             \
      const bool keep = (lanes[j] > x[i]) | (lanes[j] != lanes[j]);        \
      lanes[j] = keep ? lanes[j] : x[i];                                   \
    }                                                                      \
    T largest = lanes[0];                                                  \
    for (const T lane : lanes) {                                           \
      largest = (largest > lane) | (largest != largest) ? largest : lane;  \
    }                                                                      \
    return largest;                                                        \
  }                                                                        \
  MINITORCH_BUILDS T sum_of_row(const T* x, int64_t count) {               \
    T lanes[kSums] = {};                                                   \
    int64_t i = 0;                                                         \
    for (; i + kSums <= count; i += kSums) {                               \
      for (int64_t j = 0; j < kSums; ++j) lanes[j] += x[i + j];            \
    }                                                                      \
    for (int64_t j = 0; i < count; ++i, ++j) lanes[j] += x[i];             \
    for (int64_t half = kSums / 2; half > 0; half /= 2) {                  \
      for (int64_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];      \
    }                                                                      \
    return lanes[0];                                                       \
  }                                                                        \
  MINITORCH_BUILDS void add_row(const T* __restrict x, T* __restrict out,  \
                                int64_t count) {                           \
    for (int64_t i = 0; i < count; ++i) out[i] += x[i];                    \
  }                                                                        \
  MINITORCH_BUILDS void add_8_rows(const T* __restrict x, int64_t step,    \
                                   T* __restrict out, int64_t count) {     \
    for (int64_t i = 0; i < count; ++i) {                                  \
      T sum = out[i];                                                      \
      for (int64_t r = 0; r < 8; ++r) sum += x[r * step + i];              \
      out[i] = sum;                                                        \
    }                                                                      \
  }
MINITORCH_ROW(float)
MINITORCH_ROW(double)
#undef MINITORCH_ROW
#undef MINITORCH_TWO_WAYS

namespace {

/// Sines of up to kTogether near angles. Two loops: one is in double, half as many at a
/// time.
MINITORCH_BUILDS void near_sines(const float* x, float* out, int64_t count,
                                 uint32_t ahead) {
  float rests[kTogether];
  uint32_t quadrants[kTogether];
  for (int64_t i = 0; i < count; ++i) {
    const Angle angle = near_angle(x[i]);
    rests[i] = angle.rest;
    quadrants[i] = angle.quadrant;
  }
  for (int64_t i = 0; i < count; ++i) out[i] = sine_of({rests[i], quadrants[i]}, ahead);
}

MINITORCH_BUILDS bool any_is_far(const float* x, int64_t count) {
  uint32_t far = 0;
  for (int64_t i = 0; i < count; ++i) far |= is_far_angle(x[i]);
  return far >> 31 != 0;
}

void sine_row(const float* x, float* out, int64_t count, uint32_t ahead) {
  for (int64_t first = 0; first < count; first += kTogether) {
    const int64_t part = std::min(kTogether, count - first);
    if (!any_is_far(x + first, part)) {
      near_sines(x + first, out + first, part, ahead);
    } else {
      for (int64_t i = first; i < first + part; ++i)
        out[i] = sine_of(angle_of(x[i]), ahead);
    }
  }
}

}  // namespace

void sin_row(const float* x, float* out, int64_t count) { sine_row(x, out, count, 0); }
void cos_row(const float* x, float* out, int64_t count) { sine_row(x, out, count, 1); }

void sin_row(const double* x, double* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = sin_straight(x[i]);
}
void cos_row(const double* x, double* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = cos_straight(x[i]);
}

}  // namespace minitorch::cpu
