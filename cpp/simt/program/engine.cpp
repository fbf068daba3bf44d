#include "simt/program/engine.h"

namespace minitorch::simt {

namespace portable {
extern const Engine kEngine;
}
#ifdef MINITORCH_X86_BUILDS
namespace avx2 {
extern const Engine kEngine;
}
namespace avx512 {
extern const Engine kEngine;
}
#endif

const Engine& find_engine(Isa isa) {
#ifdef MINITORCH_X86_BUILDS
  if (isa == Isa::Avx512) return avx512::kEngine;
  if (isa == Isa::Avx2) return avx2::kEngine;
#endif
  static_cast<void>(isa);
  return portable::kEngine;
}

}  // namespace minitorch::simt
