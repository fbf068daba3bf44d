#include "simt/lanes/arithmetic.h"

#define LANE_FAMILY(name) HandlerPair find_##name(const ptx::Opcode& opcode);
namespace minitorch::simt::portable {
#include "simt/lanes/families.inc"
}
#ifdef MINITORCH_X86_BUILDS
namespace minitorch::simt::avx2 {
#include "simt/lanes/families.inc"
}
namespace minitorch::simt::avx512 {
#include "simt/lanes/families.inc"
}
#endif
#undef LANE_FAMILY

namespace minitorch::simt {

#define LANE_FAMILY(name) \
  if (const HandlerPair pair = find_##name(opcode); pair.full) return pair;
namespace portable {
static HandlerPair find(const ptx::Opcode& opcode) {
#include "simt/lanes/families.inc"
  return {};
}
}  // namespace portable
#ifdef MINITORCH_X86_BUILDS
namespace avx2 {
static HandlerPair find(const ptx::Opcode& opcode) {
#include "simt/lanes/families.inc"
  return {};
}
}  // namespace avx2
namespace avx512 {
static HandlerPair find(const ptx::Opcode& opcode) {
#include "simt/lanes/families.inc"
  return {};
}
}  // namespace avx512
#endif
#undef LANE_FAMILY

HandlerPair find_arithmetic(const ptx::Opcode& opcode, Isa isa) {
#ifdef MINITORCH_X86_BUILDS
  if (isa == Isa::Avx512) return avx512::find(opcode);
  if (isa == Isa::Avx2) return avx2::find(opcode);
#endif
  static_cast<void>(isa);
  return portable::find(opcode);
}

uint32_t row_bytes(ptx::Type type) {
  if (type == ptx::Type::Pred || type == ptx::Type::None) return 0;
  return ptx::size_of(type) > 4 ? 8 : 4;
}

}  // namespace minitorch::simt
