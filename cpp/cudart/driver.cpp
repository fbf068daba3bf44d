#include "cudart/driver.h"

#include <dlfcn.h>

#include <string>

#include "cudart/thread_state.h"

namespace minitorch::cudart {
namespace {

// Never linked: a program would have to link the driver as well.
void* library() {
  static void* const handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

CUresult answer_absent() { return CUDA_ERROR_NOT_SUPPORTED; }

Driver load(bool per_thread) {
  Driver table;
#define CU_FUNCTION(member, symbol, parameters) \
  table.member =                                \
      reinterpret_cast<CUresult(*) parameters>(driver_function(#symbol, per_thread));
#include "cuda_abi/driver_functions.inc"
#include "cudart/driver_functions.inc"
#undef CU_FUNCTION
  return table;
}

}  // namespace

void* driver_function(const char* symbol, bool per_thread) {
  void* found = nullptr;
  for (const char* suffix : {"_ptsz", "_ptds"})
    if (per_thread && found == nullptr)
      found = dlsym(library(), (symbol + std::string(suffix)).c_str());
  if (found == nullptr) found = dlsym(library(), symbol);
  return found != nullptr ? found : reinterpret_cast<void*>(&answer_absent);
}

int driver_state() {
  static const int state = [] {
    if (library() == nullptr) return static_cast<int>(cudaErrorInsufficientDriver);
    const auto init =
        reinterpret_cast<CUresult (*)(unsigned int)>(driver_function("cuInit", false));
    return static_cast<int>(init(0));
  }();
  return state;
}

const Driver& driver() {
  static const Driver tables[] = {load(false), load(true)};
  return tables[thread_state().per_thread ? 1 : 0];
}

const Inspection& inspection() {
  static const Inspection found = [] {
    Inspection of;
    // The driver above has loaded it, unless it is NVIDIA's.
    void* const emulator = dlopen("libminitorch_emulator.so", RTLD_NOW | RTLD_NOLOAD);
    if (emulator == nullptr) return of;
    of.last_message =
        reinterpret_cast<decltype(of.last_message)>(dlsym(emulator, "mtLastMessage"));
    of.label_allocation = reinterpret_cast<decltype(of.label_allocation)>(
        dlsym(emulator, "mtLabelAllocation"));
    return of;
  }();
  return found;
}

}  // namespace minitorch::cudart
