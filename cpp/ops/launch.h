// What every kernel launch of an op shares: the spec text, index width, grid, and
// arguments.
#pragma once

#include <string>
#include <vector>

#include "array/array.h"
#include "kernels/layout.h"
#include "ops/number.h"
#include "runtime/kernel_store.h"
#include "runtime/launch.h"

namespace minitorch::ops {

constexpr uint32_t kThreads = 256;  // threads of a block for elementwise kernels

/// Uninitialised memory of the current device.
std::shared_ptr<array::Storage> device_storage(size_t bytes);

/// The C++ type of `dtype` in a kernel; half.cuh declares the 16-bit floats.
const char* kernel_type(array::Dtype dtype);

/// CUDA C++ of `struct Fn` with these parameters and body, in which Scalar is `working`
/// where that is not "".
std::string functor(const char* parameters, const char* body, const char* working = "");

/// Collects the lines of one specialisation (spec.cuh) and of its launch.
class KernelLaunch {
 public:
  /// The file is "<entry>.cu"; `scalar` the kernel's Scalar.
  KernelLaunch(const char* entry, array::Dtype scalar);

  /// Chooses the merged walk of `shape` that visits `views`, each of that shape, and
  /// the width of Index. A kernel's row-major output need not be among them.
  void walk(const array::Shape& shape,
            std::initializer_list<const array::Array*> views);
  /// Widens Index if an offset reaches beyond 32 bits.
  void reach(const array::Array& a);

  /// `using name = …;` for another element type.
  void type(const char* name, array::Dtype dtype);
  void line(const std::string& text) { spec_ += text + "\n"; }
  /// `constexpr bool name = …;`
  void flag(const char* name, bool on);
  /// `struct Fn` with one parameter (x) or two (a, b).
  void function(const char* parameters, const char* body, const char* working = "") {
    line(functor(parameters, body, working));
  }
  /// For the compiler, e.g. "--fmad=false".
  void option(const std::string& text) { options_.push_back(text); }

  void add(const array::Array& a);           // its address
  void add_optional(const array::Array& a);  // or null
  void add_index(int64_t value);             // as Index
  void add_scalar(Number value);             // as Scalar
  void add_number(Number value, array::Dtype dtype);
  void add_shape();               // of the walk
  void add_strides(size_t view);  // of the walk
  template <class T>
  void add_value(const T& value) {
    arguments_.add(value);
  }

  const kernels::Walk& merged() const { return walk_; }
  void run(base::Dim3 grid, base::Dim3 block);
  /// One thread per element of the walk.
  void run_elementwise();

 private:
  void add_extra();  // what a text in the file's place has beyond its parameters

  const char* entry_;
  array::Dtype scalar_;
  bool wide_ = false;
  kernels::Walk walk_;
  std::string spec_;
  std::vector<std::string> options_;
  runtime::Arguments arguments_;
};

}  // namespace minitorch::ops
