#include "simt/lanes/isa.h"

#include <cstdlib>
#include <string_view>

namespace minitorch::simt {
namespace {

Isa best_supported() {
#ifdef MINITORCH_X86_BUILDS
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 =
      v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl");
  if (v4) return Isa::Avx512;
  if (v3) return Isa::Avx2;
#endif
  return Isa::Portable;
}

Isa choose() {
  const Isa best = best_supported();
  const char* asked = std::getenv("MINITORCH_ISA");
  if (!asked) return best;
  for (Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
    if (std::string_view(asked) == isa_name(isa) && isa < best) return isa;
  }
  return best;
}

}  // namespace

Isa active_isa() {
  static const Isa isa = choose();
  return isa;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::Avx2:
      return "avx2";
    case Isa::Avx512:
      return "avx512";
    default:
      return "portable";
  }
}

}  // namespace minitorch::simt
