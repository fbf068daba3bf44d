// The 16-bit floating types of a kernel: their bits and their rounding, to nearest with
// ties to even, in plain integer code that every card has. The host twin is
// cpu/half.h. Arithmetic is done in float.
#pragma once

// Rounds to float so that a second rounding gives what one rounding of `value` would:
// towards zero, with the last bit set if anything was lost.
__device__ inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  const unsigned bits = __float_as_uint(nearest);
  return __uint_as_float((bits - (fabs(back) > fabs(value) ? 1 : 0)) | 1);
}

struct Float16 {
  unsigned short bits;

  Float16() = default;
  template <class T>
  __device__ explicit Float16(T value)
      : Float16(sizeof(T) == 8 ? round_to_odd(value) : static_cast<float>(value)) {}
  __device__ explicit Float16(float value) {
    const unsigned all = __float_as_uint(value), magnitude = all & 0x7fffffffu;
    unsigned out;
    if (magnitude >= 0x47800000u) {  // 2^16 and above, infinity, NaN
      out = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    } else if (magnitude < 0x38800000u) {  // adding ½ rounds at a subnormal's last bit
      out = __float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u;
    } else {
      out = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    }
    bits = static_cast<unsigned short>(out | (all >> 16 & 0x8000u));
  }
  __device__ operator float() const {
    const unsigned magnitude = (bits & 0x7fffu) << 13;
    // Multiplying by 2^112 moves the exponent's bias and makes subnormals normal.
    const float moved = __uint_as_float(magnitude) * __uint_as_float(0x77800000u);
    const bool special = magnitude >= 0x0f800000u;  // infinity and NaN
    const unsigned widened = special ? magnitude | 0x7f800000u : __float_as_uint(moved);
    return __uint_as_float(widened | (bits & 0x8000u) << 16);
  }
};

struct BFloat16 {
  unsigned short bits;  // the upper half of a float

  BFloat16() = default;
  template <class T>
  __device__ explicit BFloat16(T value)
      : BFloat16(sizeof(T) == 8 ? round_to_odd(value) : static_cast<float>(value)) {}
  __device__ explicit BFloat16(float value) {
    const unsigned all = __float_as_uint(value);
    const bool nan = (all & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<unsigned short>(nan ? all >> 16 | 0x40u
                                           : (all + 0x7fffu + (all >> 16 & 1u)) >> 16);
  }
  __device__ operator float() const {
    return __uint_as_float(static_cast<unsigned>(bits) << 16);
  }
};
