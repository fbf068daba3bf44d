// The host twins of the structs of windows.cuh: how windows slide over an image.
#pragma once

#include <cstdint>

namespace minitorch::kernels {

/// Windows along one dimension: window o (0 … count - 1) has `kernel` taps; tap k reads
/// position o * stride - before + k * dilation, and what lies outside [0, size) is
/// padding.
struct SlidingAxis {
  int64_t size, count, kernel, stride, before, dilation;
};

/// A convolution of (batch, channels, rows.size, columns.size) with weights (outputs,
/// channels / groups, rows.kernel, columns.kernel).
struct ConvShape {
  int64_t batch, channels, outputs, groups;
  SlidingAxis rows, columns;

  int64_t image() const { return rows.size * columns.size; }
  int64_t windows() const { return rows.count * columns.count; }
  int64_t group_channels() const { return channels / groups; }
  int64_t group_outputs() const { return outputs / groups; }
  /// Weights of one output channel, and inputs that one window reads.
  int64_t taps() const { return group_channels() * rows.kernel * columns.kernel; }
};

/// Windows over each of `planes` images by itself.
struct PoolShape {
  int64_t planes;
  SlidingAxis rows, columns;

  int64_t image() const { return rows.size * columns.size; }
  int64_t windows() const { return rows.count * columns.count; }
};

static_assert(sizeof(SlidingAxis) == 48 && sizeof(ConvShape) == 128 &&
                  sizeof(PoolShape) == 104,
              "windows.cuh declares the same structs");

}  // namespace minitorch::kernels
