// Owns what every kernel launch of an op shares.
#include "ops/launch.h"

#include <cstdlib>
#include <limits>
#include <vector>

#include "ops/dispatch.h"
#include "runtime/inspection.h"
#include "runtime/memory.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

std::shared_ptr<array::Storage> device_storage(size_t bytes) {
  auto buffer = runtime::allocate(bytes);
  cuda_client::Api& api = buffer->api();
  const uint64_t address = buffer->pointer();
  return array::Storage::device(api, address, bytes, std::move(buffer));
}

const char* kernel_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::Float32:
      return "float";
    case Dtype::Float64:
      return "double";
    case Dtype::Int32:
      return "int";
    case Dtype::Int64:
      return "long long";
    case Dtype::UInt8:
      return "unsigned char";
    case Dtype::Bool:
      return "bool";
    case Dtype::Float16:
      return "Float16";
    default:
      return "BFloat16";
  }
}

KernelLaunch::KernelLaunch(const char* entry, Dtype scalar)
    : entry_(entry), scalar_(scalar) {
  line("#pragma once");
  type("Scalar", scalar);
}

void KernelLaunch::type(const char* name, Dtype dtype) {
  if (is_half(dtype)) line("#include \"half.cuh\"");
  line(base::text("using ", name, " = ", kernel_type(dtype), ";"));
}

void KernelLaunch::flag(const char* name, bool on) {
  line(base::text("constexpr bool ", name, " = ", on ? "true;" : "false;"));
}

void KernelLaunch::walk(const Shape& shape, std::initializer_list<const Array*> views) {
  std::vector<std::span<const int64_t>> strides;
  for (const Array* view : views) {
    strides.emplace_back(view->strides());
    reach(*view);
  }
  walk_ = kernels::merge_dims(shape, strides);
  wide_ = wide_ || !kernels::fits_int32(walk_);
}

void KernelLaunch::reach(const Array& a) {
  // A margin of one block, because the last block computes positions past the end.
  constexpr int64_t kLimit = std::numeric_limits<int32_t>::max() - 4096;
  int64_t last = 0;
  for (size_t d = 0; d < a.dims(); ++d)
    last += (a.shape()[d] - 1) * std::abs(a.strides()[d]);
  wide_ = wide_ || last > kLimit || a.size() > kLimit;
}

std::string functor(const char* parameters, const char* body, const char* working) {
  const std::string alias =
      *working == '\0' ? "" : base::text("  using Scalar = ", working, ";\n");
  return base::text("struct Fn {\n", alias, "  __device__ Scalar operator()(",
                    parameters, ") const { ", body, " }\n};");
}

void KernelLaunch::add(const Array& a) {
  runtime::use_on_current_stream(a.device_address());
  arguments_.add(a.device_address());
  if (!runtime::is_recording() && !runtime::inspects_library()) return;
  const auto bytes = static_cast<uint64_t>(a.size()) * size_of(a.dtype());
  arguments_.note_array({.address = a.device_address(),
                         .known = true,
                         .dtype = a.dtype(),
                         .shape = a.shape(),
                         .strides = a.strides(),
                         .bytes = bytes});
}

void KernelLaunch::add_optional(const Array& a) {
  if (a.defined()) {
    add(a);
  } else {
    add_value(uint64_t{0});
  }
}

void KernelLaunch::add_index(int64_t value) {
  if (wide_) {
    arguments_.add(value);
  } else {
    arguments_.add(static_cast<int32_t>(value));
  }
}

void KernelLaunch::add_scalar(Number value) { add_number(value, scalar_); }

void KernelLaunch::add_number(Number value, Dtype dtype) {
  visit_stored(dtype, [&](auto type) {
    arguments_.add(value.as<typename decltype(type)::type>());
  });
}

void KernelLaunch::add_shape() { arguments_.add(walk_.shape); }

void KernelLaunch::add_strides(size_t view) { arguments_.add(walk_.strides[view]); }

void KernelLaunch::run(base::Dim3 grid, base::Dim3 block) {
  line(base::text("using Index = ", wide_ ? "long long;" : "int;"));
  line(base::text("constexpr int NDIM = ", walk_.dims, ";"));
  runtime::KernelSpec spec{std::string(entry_) + ".cu", entry_, spec_, options_};
  const auto kernel = runtime::get_kernel(spec);  // kept through a reset meanwhile
  runtime::launch(*kernel, {grid, block}, arguments_.packed());
}

void KernelLaunch::run_elementwise() {
  const auto size = static_cast<uint64_t>(walk_.size);
  run({static_cast<uint32_t>((size + kThreads - 1) / kThreads)}, {kThreads});
}

}  // namespace minitorch::ops
