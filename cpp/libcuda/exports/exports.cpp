#include "libcuda/exports/exports.h"

#include "cuda_abi/parameter_lists.h"
#include "libcuda/contexts/process.h"

namespace libcuda = minitorch::libcuda;

// What other rooms believe these functions look like must be what they are: a different
// declaration of the same symbol does not compile.
extern "C" {
#define CU_FUNCTION(member, symbol, parameters) CUresult symbol parameters;
#include "cuda_abi/driver_functions.inc"
#undef CU_FUNCTION
#define INSPECT_FUNCTION(member, symbol, parameters) CUresult symbol parameters;
#include "cuda_abi/inspect_functions.inc"
#undef INSPECT_FUNCTION
}

namespace {

/// Stream 0 means the calling thread's own stream while this lives.
class PerThreadDefault {
 public:
  PerThreadDefault() { libcuda::thread_state().per_thread_default = true; }
  ~PerThreadDefault() { libcuda::thread_state().per_thread_default = false; }
};

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define EXPORT_FUNCTION(needs_initialised, symbol, implementation, ...) \
  EXPORTED CUresult symbol(PARAMETERS(__VA_ARGS__)) {                   \
    return libcuda::guarded(needs_initialised, [&] {                    \
      return libcuda::api::implementation(ARGUMENTS(__VA_ARGS__));      \
    });                                                                 \
  }
#define CU_EXPORT(base, symbol, since, implementation, ...) \
  EXPORT_FUNCTION(true, symbol, implementation __VA_OPT__(, ) __VA_ARGS__)
#define CU_EXPORT_EARLY(base, symbol, since, implementation, ...) \
  EXPORT_FUNCTION(false, symbol, implementation __VA_OPT__(, ) __VA_ARGS__)
#define CU_EXPORT_STREAM(suffix, base, symbol, since, implementation, ...) \
  EXPORT_FUNCTION(true, symbol, implementation, __VA_ARGS__)               \
  EXPORTED CUresult symbol##suffix(PARAMETERS(__VA_ARGS__)) {              \
    return libcuda::guarded(true, [&] {                                    \
      const PerThreadDefault own;                                          \
      return libcuda::api::implementation(ARGUMENTS(__VA_ARGS__));         \
    });                                                                    \
  }
#define MT_EXPORT(symbol, implementation, ...) \
  EXPORT_FUNCTION(true, symbol, implementation __VA_OPT__(, ) __VA_ARGS__)
#define MT_EXPORT_EARLY(symbol, implementation, ...) \
  EXPORT_FUNCTION(false, symbol, implementation __VA_OPT__(, ) __VA_ARGS__)
#define CU_ALIAS(base, symbol, since)
#include "libcuda/exports/exports.inc"
#undef CU_EXPORT
#undef CU_EXPORT_EARLY
#undef CU_EXPORT_STREAM
#undef CU_ALIAS
#undef MT_EXPORT
#undef MT_EXPORT_EARLY

// Defined in absent.cpp. A symbol of both tables would be declared twice, differently.
extern "C" {
#define CU_ABSENT(base, symbol, since) CUresult symbol();
#define CU_ABSENT_STREAM(suffix, base, symbol, since) \
  CUresult symbol();                                  \
  CUresult symbol##suffix();
#include "libcuda/exports/absent.inc"
#undef CU_ABSENT
#undef CU_ABSENT_STREAM
}

namespace minitorch::libcuda {

std::span<const Export> exports() {
#define ROW(base, symbol, since, per_thread)                              \
  { #base, #symbol, since, per_thread, reinterpret_cast<void*>(&symbol) } \
  ,
#define CU_EXPORT(base, symbol, since, ...) ROW(base, symbol, since, false)
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, base, symbol, since, ...) \
  ROW(base, symbol, since, false) ROW(base, symbol##suffix, since, true)
#define CU_ALIAS CU_EXPORT
#define CU_ABSENT CU_EXPORT
#define CU_ABSENT_STREAM CU_EXPORT_STREAM
#define MT_EXPORT(...)
#define MT_EXPORT_EARLY(...)
  static const Export kTable[] = {
#include "libcuda/exports/absent.inc"
#include "libcuda/exports/exports.inc"
  };
#undef CU_EXPORT
#undef CU_EXPORT_EARLY
#undef CU_EXPORT_STREAM
#undef CU_ALIAS
#undef CU_ABSENT
#undef CU_ABSENT_STREAM
#undef MT_EXPORT
#undef MT_EXPORT_EARLY
  return kTable;
}

}  // namespace minitorch::libcuda
