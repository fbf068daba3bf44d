// Libcuda.so.1 as programs that are linked against it find it on the emulator: the
// driver's functions, each of which calls the emulator's.
//
// The emulator lies in the folder above this library. A process may have loaded it
// already, by that path: then it is the same one.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string>

#include "cuda_abi/driver_types.h"
#include "cuda_abi/memory_types.h"
#include "cuda_abi/module_types.h"
#include "cuda_abi/parameter_lists.h"
#include "cuda_abi/work_types.h"

namespace {

/// Asked when this library is loaded: later its path may be relative to another folder.
std::string path_of_emulator() {
  Dl_info info{};
  std::error_code unknown;
  dladdr(reinterpret_cast<void*>(&path_of_emulator), &info);
  const auto own = std::filesystem::canonical(info.dli_fname, unknown);
  return own.parent_path().parent_path() / "libminitorch_emulator.so";
}

const std::string kEmulator = path_of_emulator();

void* emulator() {
  static void* const handle = [] {
    void* const opened = dlopen(kEmulator.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      std::fprintf(stderr,
                   "[emulate] libcuda.so.1 could not load the emulator: %s. Need it in "
                   "the folder above the library; reinstall minitorch-cuda.\n",
                   dlerror());
    }
    return opened;
  }();
  return handle;
}

CUresult answer_without_emulator() { return CUDA_ERROR_STUB_LIBRARY; }

/// The emulator's function of this name, looked up once; two threads find the same.
void* function_of(std::atomic<void*>& known, const char* name) noexcept {
  if (void* const found = known.load(std::memory_order_acquire)) return found;
  void* found = emulator() == nullptr ? nullptr : dlsym(emulator(), name);
  if (found == nullptr) found = reinterpret_cast<void*>(&answer_without_emulator);
  known.store(found, std::memory_order_release);
  return found;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define FORWARD(symbol, ...)                                                      \
  EXPORTED CUresult symbol(PARAMETERS(__VA_ARGS__)) {                             \
    static std::atomic<void*> known{nullptr};                                     \
    void* const function = function_of(known, #symbol);                           \
    return reinterpret_cast<decltype(&symbol)>(function)(ARGUMENTS(__VA_ARGS__)); \
  }
#define CU_EXPORT(base, symbol, since, implementation, ...) \
  FORWARD(symbol __VA_OPT__(, ) __VA_ARGS__)
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, base, symbol, since, implementation, ...) \
  FORWARD(symbol, __VA_ARGS__) FORWARD(symbol##suffix, __VA_ARGS__)
#define CU_ALIAS(...)
#define MT_EXPORT(...)
#define MT_EXPORT_EARLY(...)
#include "libcuda/exports/exports.inc"

// Those that are not offered never look at their parameters.
#define CU_ABSENT(base, symbol, since) FORWARD(symbol)
#define CU_ABSENT_STREAM(suffix, base, symbol, since) \
  FORWARD(symbol) FORWARD(symbol##suffix)
#include "libcuda/exports/absent.inc"
