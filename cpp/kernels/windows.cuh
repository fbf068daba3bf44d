// How windows slide over an image: which cell a tap reads, and which window reads
// a cell. The host twins are in windows.h.
#pragma once

#include "spec.cuh"

struct SlidingAxis {
  long long size, count, kernel, stride, before, dilation;
};

struct ConvShape {
  long long batch, channels, outputs, groups;
  SlidingAxis rows, columns;
};

struct PoolShape {
  long long planes;
  SlidingAxis rows, columns;
};

// A number in three digits, (high * middles + middle) * lows + low, to which steps are
// added without a division: in a loop that would cost more than what is computed.
struct Digits {
  Index high, middle, low;

  __device__ Digits(Index number, Index middles, Index lows)
      : high(number / (middles * lows)),
        middle(number / lows % middles),
        low(number % lows) {}

  __device__ void add(const Digits& step, Index middles, Index lows) {
    high += step.high;
    middle += step.middle;
    low += step.low;
    if (low >= lows) low -= lows, ++middle;
    if (middle >= middles) middle -= middles, ++high;
  }
};

// The position that tap `k` of window `o` reads; outside [0, axis.size) it is padding.
__device__ inline Index position_of(const SlidingAxis& axis, Index o, Index k) {
  return o * static_cast<Index>(axis.stride) - static_cast<Index>(axis.before) +
         k * static_cast<Index>(axis.dilation);
}

__device__ inline bool inside(const SlidingAxis& axis, Index position) {
  return position >= 0 && position < static_cast<Index>(axis.size);
}

// The window whose tap `k` reads `position`, or -1 if there is none.
__device__ inline Index window_of(const SlidingAxis& axis, Index position, Index k) {
  const Index start = position + static_cast<Index>(axis.before) -
                      k * static_cast<Index>(axis.dilation);
  const Index stride = static_cast<Index>(axis.stride);
  if (start < 0) return -1;
  if (stride == 1) return start < static_cast<Index>(axis.count) ? start : -1;
  if (start % stride != 0) return -1;
  const Index window = start / stride;
  return window < static_cast<Index>(axis.count) ? window : -1;
}

// How many taps of window `o` read no padding; for dilation 1.
__device__ inline Index taps_inside(const SlidingAxis& axis, Index o) {
  const Index start = position_of(axis, o, 0);
  const Index end = start + static_cast<Index>(axis.kernel);
  const Index size = static_cast<Index>(axis.size);
  return (end < size ? end : size) - (start > 0 ? start : 0);
}
