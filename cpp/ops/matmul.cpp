#include "ops/matmul.h"

#include <algorithm>

#include "cpu/matmul.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

Shape batch_of(const Shape& shape) {
  return Shape(std::span<const int64_t>(shape).first(shape.size() - 2));
}

Shape with_matrix(const Shape& batch, int64_t rows, int64_t columns) {
  Shape out = batch;
  out.push_back(rows);
  out.push_back(columns);
  return out;
}

void require_matching(const Array& a, const Array& b) {
  using base::text;
  using base::tuple_text;
  if (a.dims() < 2 || b.dims() < 2) {
    throw base::ValueError(
        "matmul", text("a is ", tuple_text(a.shape()), ", b is ", tuple_text(b.shape()),
                       "; need at least 2 dimensions each."));
  }
  const int64_t inner = a.shape().back(), other = b.shape()[b.dims() - 2];
  if (inner != other) {
    const char* hint =
        inner == b.shape().back() && b.dims() == 2 ? " Try b.permute(1, 0)." : "";
    throw base::ValueError(
        "matmul", text("a is ", tuple_text(a.shape()), ", b is ", tuple_text(b.shape()),
                       ": inner sizes differ (", inner, " vs ", other, ").", hint));
  }
  require_one_device("matmul", a, b);
}

/// A matrix that BLAS cannot read in place (both steps above 1) is copied once.
Array readable(const Array& a) {
  const size_t d = a.dims();
  const bool direct = cpu::blas_can_read(a.shape()[d - 2], a.shape()[d - 1],
                                         a.strides()[d - 2], a.strides()[d - 1]);
  return direct ? a : copy(a);
}

template <class T>
void multiply_on_host(const Array& a, const Array& b, const Array& out) {
  const size_t d = out.dims();
  const int64_t m = out.shape()[d - 2], n = out.shape()[d - 1], k = a.shape()[d - 1];
  const Shape batch = batch_of(out.shape());
  const int64_t count = element_count(batch, "matmul");
  auto steps = [&](const Array& x) {
    return std::span<const int64_t>(x.strides()).first(d - 2);
  };
  auto nest = cpu::make_nest<2>(batch, {steps(a), steps(b)});
  T* target = out.data<T>();
  cpu::for_rows(nest, 0, count, [&](const auto& at, int64_t run) {
    for (int64_t i = 0; i < run; ++i, target += m * n) {
      const T* left = a.data<T>() + at[0] + i * nest.row_stride(0);
      const T* right = b.data<T>() + at[1] + i * nest.row_stride(1);
      cpu::matmul<T>(m, n, k, {left, a.strides()[d - 2], a.strides()[d - 1]},
                     {right, b.strides()[d - 2], b.strides()[d - 1]}, target);
    }
  });
}

// A larger tile reads each cell less often, a smaller one wastes less at the edges and
// gives small products enough blocks.
uint32_t tile_edge(int64_t m, int64_t n, int64_t k) {
  return std::min({m, n, k}) >= 128 ? 32 : 16;
}

void multiply_on_device(const Array& a, const Array& b, const Array& out) {
  constexpr int64_t kMaxGrid = 65535;  // blocks along y and z; x has no such bound
  const size_t d = out.dims();
  const int64_t m = out.shape()[d - 2], n = out.shape()[d - 1], k = a.shape()[d - 1];
  const uint32_t tile = tile_edge(m, n, k);
  auto tiles = [&](int64_t size) { return (size + tile - 1) / tile; };
  const int64_t batches = out.size() / (m * n);
  if (batches > kMaxGrid || tiles(m) > kMaxGrid) {
    // Two launches over half of the batches each, or of the rows of the only batch.
    size_t split = 0;
    while (out.shape()[split] == 1) ++split;
    const bool rows = split == d - 2;
    const int64_t size = out.shape()[split], half = size / 2;
    for (auto [from, to] : {std::pair{int64_t{0}, half}, std::pair{half, size}}) {
      multiply_on_device(a.slice(split, from, to, 1),
                         rows ? b : b.slice(split, from, to, 1),
                         out.slice(split, from, to, 1));
    }
    return;
  }
  KernelLaunch launch("matmul_tiled", out.dtype());
  launch.line(base::text("constexpr int TILE = ", tile, ";"));
  Array a_batch = a, b_batch = b;
  for (int i = 0; i < 2; ++i) {
    a_batch = a_batch.select(a_batch.dims() - 1, 0);
    b_batch = b_batch.select(b_batch.dims() - 1, 0);
  }
  launch.walk(a_batch.shape(), {&a_batch, &b_batch});
  for (const Array* view : {&a, &b, &out}) launch.reach(*view);
  for (const Array* view : {&out, &a, &b}) launch.add(*view);
  for (int64_t size : {m, n, k}) launch.add_index(size);
  for (const Array* view : {&a, &b}) {
    launch.add_index(view->strides()[d - 2]);
    launch.add_index(view->strides()[d - 1]);
  }
  launch.add_shape();
  launch.add_strides(0);
  launch.add_strides(1);
  launch.run({static_cast<uint32_t>(tiles(n)), static_cast<uint32_t>(tiles(m)),
              static_cast<uint32_t>(batches)},
             {tile, tile});
}

}  // namespace

Array matmul(const Array& a, const Array& b) {
  const runtime::OpScope scope("matmul", {&a, &b});
  require_matching(a, b);
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const Dtype real = result_dtype(dtype);
  if (a.dtype() != real || b.dtype() != real) {
    return matmul(cast(a, real), cast(b, real));
  }
  if (is_half(real)) {
    return cast(matmul(cast(a, Dtype::Float32), cast(b, Dtype::Float32)), real);
  }
  const int64_t m = a.shape()[a.dims() - 2], k = a.shape().back(), n = b.shape().back();
  const bool stacked = a.dims() > 2 && b.dims() == 2 && a.is_contiguous();
  if (stacked && k > 0) {  // (…, m, k) @ (k, n) as (… m, k) @ (k, n) -> (… m, n)
    const Array rows = matmul(reshape(a, Shape{a.size() / k, k}), b);
    return reshape(rows, with_matrix(batch_of(a.shape()), m, n));
  }
  const Shape batch =
      broadcast_shapes(batch_of(a.shape()), batch_of(b.shape()), "matmul");
  Array out = empty(with_matrix(batch, m, n), real, a.device());
  if (out.size() == 0) return out;
  if (k == 0) return full(out.shape(), Number{0}, real, a.device());
  const bool host = a.device() == Device::Cpu;
  const Array left = (host ? readable(a) : a).expand(with_matrix(batch, m, k));
  const Array right = (host ? readable(b) : b).expand(with_matrix(batch, k, n));
  if (!host) {
    multiply_on_device(left, right, out);
    return out;
  }
  visit_real(real, "matmul", [&](auto type) {
    using T = typename decltype(type)::type;
    multiply_on_host<T>(left, right, out);
  });
  return out;
}

}  // namespace minitorch::ops
