// Owns the look-up of engines by instruction set and checks; instantiates none.
#include "emulator/engine.h"

#include "cuda_abi/inspect.h"

namespace minitorch::emulator {

namespace portable {
extern const Engine kEngines[2];
}
#ifdef MINITORCH_X86_BUILDS
namespace avx2 {
extern const Engine kEngines[2];
}
namespace avx512 {
extern const Engine kEngines[2];
}
#endif

const Engine& find_engine(Isa isa, uint32_t checks) {
  const size_t which = (checks & MtCheck_UninitGlobal) != 0 ? 1 : 0;
#ifdef MINITORCH_X86_BUILDS
  if (isa == Isa::Avx512) return avx512::kEngines[which];
  if (isa == Isa::Avx2) return avx2::kEngines[which];
#endif
  static_cast<void>(isa);
  return portable::kEngines[which];
}

}  // namespace minitorch::emulator
