// Comparisons of integers, f32 and f64 in lanes: setp with .BOOL and a second
// destination, and set (half types: isa_compare_half.cpp).
#include "simt/lanes/comparisons.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

template <class F>
struct Flushed {
  static bool of(float a, float b) { return F::of(flush<true>(a), flush<true>(b)); }
};

template <class T>
Handler of_integers(const Opcode& opcode) {
  using U = std::make_unsigned_t<T>;
  switch (opcode.comparison) {
    case Comparison::Eq:
      return of<U, Eq>(opcode);
    case Comparison::Ne:
      return of<U, Negated<Eq>>(opcode);
    case Comparison::Lt:
      return of<T, Lt>(opcode);
    case Comparison::Le:
      return of<T, Le>(opcode);
    case Comparison::Gt:
      return of<T, Swapped<Lt>>(opcode);
    case Comparison::Ge:
      return of<T, Swapped<Le>>(opcode);
    case Comparison::Lo:
      return of<U, Lt>(opcode);
    case Comparison::Ls:
      return of<U, Le>(opcode);
    case Comparison::Hi:
      return of<U, Swapped<Lt>>(opcode);
    case Comparison::Hs:
      return of<U, Swapped<Le>>(opcode);
    default:
      return nullptr;
  }
}

Handler find(const Opcode& opcode, Type type) {
  switch (type) {
    case Type::B16:
    case Type::U16:
      return of_integers<uint16_t>(opcode);
    case Type::S16:
      return of_integers<int16_t>(opcode);
    case Type::B32:
    case Type::U32:
      return of_integers<uint32_t>(opcode);
    case Type::S32:
      return of_integers<int32_t>(opcode);
    case Type::B64:
    case Type::U64:
      return of_integers<uint64_t>(opcode);
    case Type::S64:
      return of_integers<int64_t>(opcode);
    case Type::F32:
      return opcode.ftz ? of_floats<float, Flushed>(opcode)
                        : of_floats<float, Plain>(opcode);
    case Type::F64:
      return of_floats<double, Plain>(opcode);
    default:
      return nullptr;
  }
}

}  // namespace

HandlerPair find_compare(const Opcode& opcode) {
  if (opcode.op != Op::Setp && opcode.op != Op::Set) return {};
  const bool set = opcode.op == Op::Set;
  const Handler handler = find(opcode, set ? opcode.source_type : opcode.type);
  return {handler, handler};
}

}  // namespace minitorch::simt::MINITORCH_ISA
