// The functions that are not offered: each tells so once on stderr, counts in the
// process's report and answers CUDA_ERROR_NOT_SUPPORTED.
#include <atomic>
#include <cstdio>

#include "libcuda/contexts/process.h"
#include "libcuda/inspect/report_file.h"

namespace minitorch::libcuda {
namespace {

CUresult answer_absent(const char* symbol, std::atomic<bool>& told) {
  report_absent(symbol);
  return guarded(true, [&]() -> CUresult {
    if (!told.exchange(true)) {
      std::fprintf(stderr,
                   "[emulator] %s was called, which the emulator does not offer; it "
                   "answers CUDA_ERROR_NOT_SUPPORTED.\n",
                   symbol);
    }
    fail(CUDA_ERROR_NOT_SUPPORTED, symbol, " is not offered by the emulator.");
  });
}

}  // namespace
}  // namespace minitorch::libcuda

// Without parameters: what a caller passes is never looked at.
#define EXPORTED extern "C" __attribute__((visibility("default")))
#define ABSENT(symbol)                                       \
  EXPORTED CUresult symbol() {                               \
    static std::atomic<bool> told{false};                    \
    return minitorch::libcuda::answer_absent(#symbol, told); \
  }
#define CU_ABSENT(base, symbol, since) ABSENT(symbol)
#define CU_ABSENT_STREAM(suffix, base, symbol, since) \
  ABSENT(symbol) ABSENT(symbol##suffix)
#include "libcuda/exports/absent.inc"
#undef CU_ABSENT
#undef CU_ABSENT_STREAM
