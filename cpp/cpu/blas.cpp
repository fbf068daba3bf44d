#include "cpu/blas.h"

#include <dlfcn.h>

#include <atomic>
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
std::atomic<int> alone{0};  // living OneThreadEach
int threads_before = 0;     // what the last of them restores

bool load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  for (const std::string prefix : {"scipy_", ""}) {
    auto find = [&](const char* name) {
      return dlsym(handle, (prefix + name).c_str());
    };
    void* single = find("cblas_sgemm");
    void* twice = find("cblas_dgemm");
    if (!single || !twice) continue;
    void* set = find("openblas_set_num_threads");
    void* get = find("openblas_get_num_threads");
    if (set && get) {
      loaded.set_threads = reinterpret_cast<void (*)(int)>(set);
      loaded.get_threads = reinterpret_cast<int (*)()>(get);
    }
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

OneThreadEach::OneThreadEach(const Blas& library) : library_(library) {
  std::lock_guard lock(mutex);
  if (alone++ > 0 || !library.set_threads) return;
  threads_before = library.get_threads();
  library.set_threads(1);
}

OneThreadEach::~OneThreadEach() {
  std::lock_guard lock(mutex);
  if (--alone == 0 && library_.set_threads) library_.set_threads(threads_before);
}

bool OneThreadEach::active() { return alone.load(std::memory_order_relaxed) > 0; }

}  // namespace minitorch::cpu
