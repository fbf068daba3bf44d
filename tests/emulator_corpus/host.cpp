#include "host.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "prepare.h"

namespace corpus {
namespace {

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  const auto* from = reinterpret_cast<const uint8_t*>(values.data());
  return {from, from + values.size() * sizeof(T)};
}

std::vector<uint8_t> map_simple(const Bench& b) {
  auto out = b.contents<float>(0);
  const auto in = b.contents<float>(1);
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::fma(in[i], 2.0f, 1.0f);
  return bytes_of(out);
}

std::vector<uint8_t> grid_stride(const Bench& b) {
  auto y = b.contents<float>(0);
  const auto x = b.contents<float>(1);
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::fma(x[i], 0.3f, y[i]);
  return bytes_of(y);
}

std::vector<uint8_t> collatz(const Bench& b) {
  const auto in = b.contents<unsigned>(0);
  auto out = b.contents<int>(1);
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned x = in[i];
    int count = 0;
    while (x != 1 && count < 1000) {
      x = x & 1 ? 3 * x + 1 : x >> 1;
      ++count;
      if (count == 500 && (x & 3) == 2) break;
    }
    out[i] = count;
  }
  return bytes_of(out);
}

// (n, n) @ (n, n) -> (n, n), every element a chain of fused multiply-adds in order.
template <class T>
std::vector<uint8_t> matmul(const Bench& b) {
  const auto left = b.contents<T>(0), right = b.contents<T>(1);
  auto out = b.contents<T>(2);
  const auto n = static_cast<size_t>(std::lround(std::sqrt(double(out.size()))));
  for (size_t row = 0; row < n; ++row) {
    for (size_t column = 0; column < n; ++column) {
      T sum = 0;
      for (size_t k = 0; k < n; ++k) {
        sum = std::fma(left[row * n + k], right[k * n + column], sum);
      }
      out[row * n + column] = sum;
    }
  }
  return bytes_of(out);
}

std::vector<uint8_t> transpose(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  const size_t n = 32 * static_cast<size_t>(b.size);
  for (size_t y = 0; y < n; ++y) {
    for (size_t x = 0; x < n; ++x) out[x * n + y] = in[y * n + x];
  }
  return bytes_of(out);
}

// A block's threads, phase after phase between the barriers.
std::vector<uint8_t> reduce_shared(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  for (size_t block = 0; block < out.size(); ++block) {
    float shared[256];
    for (size_t t = 0; t < 256; ++t) {
      const size_t i = block * 256 + t;
      shared[t] = i < in.size() ? in[i] : 0.0f;
    }
    for (size_t d = 128; d > 0; d /= 2) {
      for (size_t t = 0; t < d; ++t) shared[t] += shared[t + d];
    }
    out[block] = shared[0];
  }
  return bytes_of(out);
}

std::vector<uint8_t> scan_block(const Bench& b) {
  const auto in = b.contents<int>(0);
  auto out = b.contents<int>(1);
  const size_t n = b.block.x;
  int shared[2][256] = {}, p = 0;
  for (size_t t = 0; t < n; ++t) shared[0][t] = t ? in[t - 1] : 0;
  for (size_t d = 1; d < n; d *= 2) {
    p ^= 1;
    for (size_t t = 0; t < n; ++t) {
      shared[p][t] = shared[p ^ 1][t] + (t >= d ? shared[p ^ 1][t - d] : 0);
    }
  }
  std::copy_n(shared[p], n, out.begin());
  return bytes_of(out);
}

std::vector<uint8_t> scan_warp(const Bench& b) {
  const auto in = b.contents<int>(0);
  auto out = b.contents<int>(1);
  int sum = 0;
  for (size_t i = 0; i < out.size(); ++i) out[i] = sum += in[i];
  return bytes_of(out);
}

std::vector<uint8_t> histogram(const Bench& b) {
  auto out = b.contents<unsigned>(1);
  for (uint8_t value : b.contents<uint8_t>(0)) ++out[value];
  return bytes_of(out);
}

std::vector<uint8_t> conv2d(const Bench& b) {
  const auto in = b.contents<float>(0), weights = b.contents<float>(1);
  auto out = b.contents<float>(2);
  const int h = 4 + 3 * b.size, w = 5 + 2 * b.size, kernels = b.size;
  const int rows = h - 2, columns = w - 2;
  for (int i = 0; i < static_cast<int>(out.size()); ++i) {
    const int q = i % columns, p = i / columns % rows;
    const int k = i / (columns * rows) % kernels, n = i / (columns * rows * kernels);
    float sum = 0;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        for (int t = 0; t < 3; ++t) {
          sum = std::fma(in[cells(((n * 3 + c) * h + p + r) * w + q + t)],
                         weights[cells(((k * 3 + c) * 3 + r) * 3 + t)], sum);
        }
      }
    }
    out[cells(i)] = sum;
  }
  return bytes_of(out);
}

std::vector<uint8_t> im2col(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  const int h = 3 + 2 * b.size, w = 4 + b.size;
  for (int i = 0; i < 2 * h * w; ++i) {
    const int q = i % w, p = i / w % h, c = i / (w * h);
    for (int r = 0; r < 3; ++r) {
      for (int s = 0; s < 3; ++s) {
        const int y = p + r - 1, x = q + s - 1;
        const bool inside = y >= 0 && x >= 0 && y < h && x < w;
        out[cells(((c * 3 + r) * 3 + s) * h * w + p * w + q)] =
            inside ? in[cells((c * h + y) * w + x)] : 0.0f;
      }
    }
  }
  return bytes_of(out);
}

std::vector<uint8_t> maxpool(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  const int h = 3 + 4 * b.size, w = 5 + 3 * b.size;
  const int rows = (h + 1) / 2, columns = (w + 1) / 2;
  for (int i = 0; i < static_cast<int>(out.size()); ++i) {
    const int q = i % columns, p = i / columns % rows, c = i / (columns * rows);
    float most = -std::numeric_limits<float>::infinity();
    for (int y = 2 * p; y < std::min(2 * p + 2, h); ++y) {
      for (int x = 2 * q; x < std::min(2 * q + 2, w); ++x) {
        most = std::max(most, in[cells((c * h + y) * w + x)]);
      }
    }
    out[cells(i)] = most;
  }
  return bytes_of(out);
}

std::vector<uint8_t> ldg_vec(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  const auto index = b.contents<int>(2);
  for (size_t i = 0; i < index.size(); ++i) {
    const auto from = 4 * cells(index[i]);
    out[4 * i] = in[i];  // the first of the four is written again
    out[4 * i + 1] = in[from + 1] + 1;
    out[4 * i + 2] = -in[from + 2];
    out[4 * i + 3] = in[from + 3];
  }
  return bytes_of(out);
}

std::vector<uint8_t> local_array(const Bench& b) {
  const auto in = b.contents<int>(0);
  auto out = b.contents<int>(1);
  const int n = 64 + 9 * b.size;
  for (size_t t = 0; t < 32; ++t) {
    int local[64] = {};
    for (int i = 0; i < n; ++i) local[i & 63] = in[cells(i) * 32 + t];
    for (int i = 0; i < n; ++i) {
      std::swap(local[local[i & 63] & 63], local[(i * 7) & 63]);
    }
    out[t] = 0;
    for (int value : local) out[t] += value;
  }
  return bytes_of(out);
}

std::vector<uint8_t> dyn_smem(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  for (size_t t = 0; t < out.size(); ++t) out[t] = in[t * 7 % out.size()];
  return bytes_of(out);
}

std::vector<uint8_t> cp_async(const Bench& b) {
  const auto in = b.contents<float>(0);
  auto out = b.contents<float>(1);
  for (size_t t = 0; t < 128; ++t) {
    float sum = 0;
    for (size_t i = 0; i < cells(b.size); ++i) sum += in[4 * (i * 128 + 127 - t)];
    out[t] = sum;
  }
  return bytes_of(out);
}

std::vector<uint8_t> struct_arg(const Bench& b) {
  const auto left = b.contents<float>(0), right = b.contents<float>(1);
  auto out = b.contents<float>(2);
  const size_t rows = 3 * cells(b.size), columns = 7;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      out[r * columns + c] = left[r * columns + c] + right[c * rows + r];
    }
  }
  return bytes_of(out);
}

std::vector<uint8_t> zip_strided(const Bench& b) {
  auto out = b.contents<float>(0);
  const auto left = b.contents<float>(3), right = b.contents<float>(6);
  const size_t rows = 3 * cells(b.size), columns = 5 + cells(b.size);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      out[c * rows + r] = left[r * columns + c] * right[c];
    }
  }
  return bytes_of(out);
}

}  // namespace

const std::vector<HostKernel>& host_kernels() {
  static const std::vector<HostKernel> all = {
      {"map_simple", 0, map_simple},
      {"grid_stride", 0, grid_stride},
      {"collatz_branch", 1, collatz},
      {"matmul_naive", 2, matmul<float>},
      {"matmul_tiled16", 2, matmul<float>},
      {"matmul_tiled32", 2, matmul<float>},
      {"matmul_regblock", 2, matmul<float>},
      {"matmul_float4", 2, matmul<float>},
      {"matmul_double", 2, matmul<double>},
      {"transpose_nopad", 1, transpose},
      {"transpose_pad", 1, transpose},
      {"reduce_shared", 1, reduce_shared},
      {"scan_block", 1, scan_block},
      {"scan_warp", 1, scan_warp},
      {"histogram", 1, histogram},
      {"conv2d_direct", 2, conv2d},
      {"im2col", 1, im2col},
      {"maxpool", 1, maxpool},
      {"ldg_vec", 1, ldg_vec},
      {"local_array", 1, local_array},
      {"dyn_smem", 1, dyn_smem},
      {"cp_async", 1, cp_async},
      {"struct_arg", 2, struct_arg},
      {"zip_strided", 0, zip_strided},
  };
  return all;
}

}  // namespace corpus
