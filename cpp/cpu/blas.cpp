// Owns finding and loading a BLAS library at the first product.
#include "cpu/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::cpu {
namespace {

std::mutex mutex;
std::string suggested;
Blas loaded;

bool load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  for (const char* prefix : {"scipy_cblas_", "cblas_"}) {
    void* single = dlsym(handle, (std::string(prefix) + "sgemm").c_str());
    void* twice = dlsym(handle, (std::string(prefix) + "dgemm").c_str());
    if (!single || !twice) continue;
    loaded.sgemm = reinterpret_cast<Blas::Sgemm>(single);
    loaded.dgemm = reinterpret_cast<Blas::Dgemm>(twice);
    loaded.library = path;
    return true;
  }
  dlclose(handle);
  return false;
}

}  // namespace

void suggest_blas(const std::string& path) {
  std::lock_guard lock(mutex);
  suggested = path;
}

const Blas& blas() {
  std::lock_guard lock(mutex);
  if (loaded.sgemm) return loaded;
  const char* chosen = std::getenv("MINITORCH_BLAS");
  if (chosen && *chosen) {
    if (load(chosen)) return loaded;
    throw base::StateError(
        "matmul", base::text("got MINITORCH_BLAS=", chosen,
                             "; need a library with cblas_sgemm and cblas_dgemm."));
  }
  for (const std::string& path :
       {suggested, std::string("libopenblas.so.0"), std::string("libcblas.so.3")}) {
    if (!path.empty() && load(path)) return loaded;
  }
  throw base::StateError("matmul",
                         "got no BLAS library; need OpenBLAS for products on the CPU. "
                         "Try: pip install scipy-openblas32");
}

}  // namespace minitorch::cpu
