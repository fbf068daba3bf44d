// Finding and loading a BLAS library at the first product; bundles none, and knows no
// tensor.
#pragma once

#include <string>

namespace minitorch::cpu {

/// The two products of one loaded library, in CBLAS's calling convention (row-major
/// 101, no transposition 111, transposition 112; 32-bit sizes).
struct Blas {
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int,
                         const float*, int, float, float*, int);
  using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int,
                         const double*, int, double, double*, int);
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
  // How many threads a product may use; null where the library does not say.
  void (*set_threads)(int) = nullptr;
  int (*get_threads)() = nullptr;
  std::string library;
};

/// A library to try before the system's ones; Python sets it to the one of the wheel
/// scipy-openblas32. Without effect once a library is loaded.
void suggest_blas(const std::string& path);

/// The first that loads of MINITORCH_BLAS, the suggested path, libopenblas.so.0 and
/// libcblas.so.3. StateError names what to install if there is none; the next call
/// tries again.
const Blas& blas();

/// While one exists, a product uses no thread but its caller's, so that several threads
/// can multiply side by side.
class OneThreadEach {
 public:
  explicit OneThreadEach(const Blas& library);
  ~OneThreadEach();
  OneThreadEach(const OneThreadEach&) = delete;
  OneThreadEach& operator=(const OneThreadEach&) = delete;

  /// Does one exist? Then the threads have work already.
  static bool active();

 private:
  const Blas& library_;
};

}  // namespace minitorch::cpu
