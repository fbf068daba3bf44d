// The binding of which BLAS library is used.
#include "cpu/blas.h"

#include "bindings/bindings.h"

namespace minitorch::bindings {

void init_blas(py::module_& module) {
  module.def("suggest_blas", &cpu::suggest_blas, py::arg("path"),
             "Names the library to load at the first product.");
  module.def(
      "blas_library", [] { return cpu::blas().library; },
      "The library in use; loads it.");
}

}  // namespace minitorch::bindings
