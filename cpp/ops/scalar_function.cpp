#include "ops/scalar_function.h"

#include "cpu/scalar_fold.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/fold.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

// The CPU rounds after each multiplication and addition, so the kernel has to.
constexpr const char* kNoFusing = "--fmad=false";

cpu::ScalarType scalar_type(Dtype dtype) {
  return cpu::parse_scalar_type(dtype_name(dtype));
}

cpu::ScalarProgram program_of(const ScalarFunction& f, Dtype output) {
  return {f.arguments, f.instructions, f.result, scalar_type(output)};
}

void require_arguments(const char* where, const ScalarFunction& f,
                       std::initializer_list<const Array*> arrays) {
  bool fits = arrays.size() == f.arguments.size();
  for (size_t i = 0; fits && i < arrays.size(); ++i) {
    fits = f.arguments[i] == scalar_type(arrays.begin()[i]->dtype());
  }
  if (fits) return;
  std::vector<std::string> got, needed;
  for (const Array* a : arrays) got.push_back(dtype_name(a->dtype()));
  for (cpu::ScalarType type : f.arguments) needed.push_back(scalar_type_name(type));
  throw base::TypeError(
      where, base::text("got elements of ", base::tuple_text(got), " for '", f.name,
                        "'; need ", base::tuple_text(needed), "."));
}

void launch_elementwise(const char* entry, const ScalarFunction& f, const Array& out,
                        std::initializer_list<const Array*> inputs) {
  KernelLaunch launch(entry, out.dtype());
  launch.type("Source", out.dtype());
  launch.option(kNoFusing);
  launch.line(f.cuda);
  launch.walk(out.shape(), inputs);
  launch.add(out);
  for (const Array* input : inputs) launch.add(*input);
  launch.add_shape();
  for (size_t i = 0; i < inputs.size(); ++i) launch.add_strides(i);
  launch.add_index(out.size());
  launch.run_elementwise();
}

}  // namespace

Array map(const ScalarFunction& f, const Array& a) {
  const runtime::OpScope scope("map", {&a});
  require_arguments("map", f, {&a});
  Array out = empty(a.shape(), a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    launch_elementwise("map", f, out, {&a});
    return out;
  }
  const Array dense = contiguous(a);
  const void* inputs[] = {dense.raw_data()};
  program_of(f, out.dtype()).run(inputs, out.raw_data(), out.size());
  return out;
}

Array zip(const ScalarFunction& f, const Array& a, const Array& b) {
  const runtime::OpScope scope("zip", {&a, &b});
  require_arguments("zip", f, {&a, &b});
  if (a.device() != b.device() || a.dtype() != b.dtype()) {
    throw base::ValueError(
        "zip", base::text("got tensors of ", dtype_name(a.dtype()), " on ",
                          device_name(a.device()), " and of ", dtype_name(b.dtype()),
                          " on ", device_name(b.device()),
                          "; need one dtype and one device. Try .to(...)."));
  }
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), "zip");
  const Array left = a.expand(shape, "zip"), right = b.expand(shape, "zip");
  Array out = empty(shape, a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    launch_elementwise("zip", f, out, {&left, &right});
    return out;
  }
  const Array dense_left = contiguous(left), dense_right = contiguous(right);
  const void* inputs[] = {dense_left.raw_data(), dense_right.raw_data()};
  program_of(f, out.dtype()).run(inputs, out.raw_data(), out.size());
  return out;
}

Array reduce(const ScalarFunction& f, const Array& a, int64_t dim, double start) {
  const runtime::OpScope scope("reduce", {&a});
  require_arguments("reduce", f, {&a, &a});
  const size_t d = array::normalise_dim(dim, a.dims(), "reduce");
  Shape shape = a.shape();
  shape[d] = 1;  // (…, n, …) -> (…, 1, …)
  Array out = empty(shape, a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.shape()[d] == 0) return full(shape, Number{start}, a.dtype(), a.device());
  if (a.device() == Device::Cuda) {
    fold_on_device({f.cuda, Number{start}, {kNoFusing}}, a, d, out);
    return out;
  }
  const Array dense = contiguous(a);
  cpu::FoldShape fold{1, static_cast<size_t>(a.shape()[d]), 1};
  for (size_t i = 0; i < d; ++i) fold.outer *= static_cast<size_t>(a.shape()[i]);
  for (size_t i = d + 1; i < a.dims(); ++i) {
    fold.inner *= static_cast<size_t>(a.shape()[i]);
  }
  const Array first = full(Shape{1}, Number{start}, a.dtype(), a.device());
  cpu::fold(program_of(f, a.dtype()), dense.raw_data(), out.raw_data(), fold,
            first.raw_data());
  return out;
}

}  // namespace minitorch::ops
