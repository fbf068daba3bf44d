// The facts as NVIDIA's cuda.h has them.
#define __CUDA_API_VERSION_INTERNAL 1  // also the older versions of functions
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>

#include "facts.h"
#include "shape.h"

// Of cudaProfilerTypedefs.h, which only toolkits have.
typedef CUresult (*PFN_cuProfilerStart_v4000)(void);
typedef CUresult (*PFN_cuProfilerStop_v4000)(void);

namespace cuda_abi {

Facts nvidia_facts() {
  Facts facts;
#include "facts.inc"
// Its typedefs name each function with the version since which it looks so.
#define CU_EXPORT(base, symbol, since, implementation, ...) \
  facts.functions[#symbol] =                                \
      Shape<std::remove_pointer_t<PFN_##base##_v##since>>::text();
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, ...) CU_EXPORT(__VA_ARGS__)
#define CU_ALIAS(...)
#define MT_EXPORT(...)
#define MT_EXPORT_EARLY(...)
#include "libcuda/exports/exports.inc"
  return facts;
}

}  // namespace cuda_abi
