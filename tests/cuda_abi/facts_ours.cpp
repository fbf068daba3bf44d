// The facts as our own declarations have them.
#include <cstddef>

#include "cuda_abi/driver_types.h"
#include "cuda_abi/memory_types.h"
#include "cuda_abi/module_types.h"
#include "cuda_abi/work_types.h"
#include "facts.h"
#include "shape.h"

namespace cuda_abi {

Facts our_facts() {
  Facts facts;
#include "facts.inc"
#define CU_EXPORT(base, symbol, since, implementation, ...) \
  facts.functions[#symbol] = Shape<CUresult(__VA_ARGS__)>::text();
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, ...) CU_EXPORT(__VA_ARGS__)
#define CU_ALIAS(...)
#define MT_EXPORT(...)
#define MT_EXPORT_EARLY(...)
#include "libcuda/exports/exports.inc"
  return facts;
}

}  // namespace cuda_abi
