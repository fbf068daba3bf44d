#include "ops/launch.h"

#include <cstdlib>
#include <limits>
#include <vector>

#include "ops/dispatch.h"
#include "runtime/inspection.h"
#include "runtime/kernel_texts.h"
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

namespace {

/// The type of a parameter without const, * and &: "Scalar" of "const Scalar*".
std::string plain_type(std::string type) {
  for (const std::string_view word : {"const", "__restrict__", "*", "&"}) {
    for (size_t at = 0; (at = type.find(word)) != std::string::npos;)
      type.erase(at, word.size());
  }
  while (type.starts_with(' ')) type.erase(0, 1);
  while (type.ends_with(' ')) type.pop_back();
  return type;
}

/// The dtype of a type in a kernel, which may be one that the spec declares.
Dtype dtype_of(const runtime::KernelText& text, const std::string& parameter,
               std::string type, const std::string& spec) {
  const std::string alias = base::text("using ", type, " = ");
  if (const size_t at = spec.find(alias); at != std::string::npos) {
    const size_t begin = at + alias.size();
    type = spec.substr(begin, spec.find(';', begin) - begin);
  }
  for (const Dtype dtype :
       {Dtype::Float32, Dtype::Float64, Dtype::Int32, Dtype::Int64, Dtype::UInt8,
        Dtype::Bool, Dtype::Float16, Dtype::BFloat16}) {
    if (type == kernel_type(dtype)) return dtype;
  }
  throw base::TypeError(
      "override", base::text("got the extra parameter '", parameter, "' of type ", type,
                             " in ", text.file,
                             "; need a type of elements, as float or Scalar, "
                             "or an array of them."));
}

void require_array(const runtime::KernelText& text, const std::string& parameter,
                   const Array& value, Dtype dtype) {
  if (value.device() == Device::Cuda && value.is_contiguous() && value.dtype() == dtype)
    return;
  throw base::ValueError(
      "override",
      base::text("got for '", parameter, "' of ", text.file, " a tensor of ",
                 dtype_name(value.dtype()), " on ", device_name(value.device()),
                 value.is_contiguous() ? "" : ", not contiguous", "; need one of ",
                 dtype_name(dtype), " on cuda, contiguous."));
}

}  // namespace

void KernelLaunch::add_extra() {
  if (!runtime::has_kernel_texts()) [[likely]]
    return;
  const runtime::Replacement own = runtime::replacement_of(std::string(entry_) + ".cu");
  if (!own.text) return;
  for (const runtime::ParameterInfo& each : own.text->extra) {
    const Dtype dtype = dtype_of(*own.text, each.name, plain_type(each.type), spec_);
    const runtime::ExtraValue& value = own.set->values.at(each.name);
    const bool wants_array = each.type.find('*') != std::string::npos;
    const auto* array = std::get_if<Array>(&value);
    if (wants_array != (array != nullptr)) {
      throw base::TypeError(
          "override",
          base::text("got ", array ? "a tensor" : "a number", " for '", each.name,
                     "' of ", own.text->file, ", declared ", each.type, "; need ",
                     wants_array ? "a tensor" : "a number", "."));
    }
    if (array) {
      require_array(*own.text, each.name, *array, dtype);
      add(*array);
    } else if (const auto* whole = std::get_if<int64_t>(&value)) {
      add_number(Number{*whole}, dtype);
    } else if (is_floating(dtype)) {
      add_number(Number{std::get<double>(value)}, dtype);
    } else {
      throw base::TypeError(
          "override", base::text("got ", std::get<double>(value), " for '", each.name,
                                 "' of ", own.text->file, ", declared ", each.type,
                                 "; need a whole number."));
    }
  }
}

void KernelLaunch::run(base::Dim3 grid, base::Dim3 block) {
  line(base::text("using Index = ", wide_ ? "long long;" : "int;"));
  line(base::text("constexpr int NDIM = ", walk_.dims, ";"));
  add_extra();
  runtime::KernelSpec spec{std::string(entry_) + ".cu", entry_, spec_, options_};
  const auto kernel = runtime::get_kernel(spec);  // kept through a reset meanwhile
  runtime::launch(*kernel, {grid, block}, arguments_.packed());
}

void KernelLaunch::run_elementwise() {
  const auto size = static_cast<uint64_t>(walk_.size);
  run({static_cast<uint32_t>((size + kThreads - 1) / kThreads)}, {kThreads});
}

}  // namespace minitorch::ops
