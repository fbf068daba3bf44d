// Comparisons of f16, f16x2, bf16 and bf16x2 in lanes: setp and set.
#include "simt/lanes/comparisons.h"
#include "simt/lanes/halves.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

template <class F>
struct Widened {
  template <class H>
  static bool of(H a, H b) {
    return F::of(to_float(a), to_float(b));
  }
};
template <class F>
struct WidenedFlushed {
  static bool of(Half a, Half b) {
    return F::of(to_float(flush_half<true>(a)), to_float(flush_half<true>(b)));
  }
};

// The comparison of the low (high) halves of 32-bit lanes.
template <class H, class F, int kShift>
struct OnePart {
  static bool of(uint32_t a, uint32_t b) {
    return F::of(H(a >> kShift), H(b >> kShift));
  }
};

// p = low halves compared, q = high halves compared; each .BOOL c.
template <class H, class F, Combine kCombine>
const Step* setp_both(LaneState& state, const Step* step) {
  const uint32_t low = compare<uint32_t, OnePart<H, F, 0>>(state, step);
  const uint32_t high = compare<uint32_t, OnePart<H, F, 16>>(state, step);
  const uint32_t with = kCombine == Combine::None ? 0 : mask_row(state, step->c);
  set_predicate(state, step->d, combine<kCombine>(low, with));
  set_predicate(state, step->d2, combine<kCombine>(high, with));
  return step + 1;
}

template <class H, class F, uint32_t kTrue>
struct SetBoth {
  static uint32_t of(uint32_t a, uint32_t b) {
    return (OnePart<H, F, 0>::of(a, b) ? kTrue : 0u) |
           (OnePart<H, F, 16>::of(a, b) ? kTrue << 16 : 0u);
  }
};

template <class H, class F>
Handler find_both(const Opcode& opcode) {
  using U = uint32_t;
  if (opcode.op == Op::Setp) {
    switch (opcode.combine) {
      case Combine::None:
        return &setp_both<H, F, Combine::None>;
      case Combine::And:
        return &setp_both<H, F, Combine::And>;
      case Combine::Or:
        return &setp_both<H, F, Combine::Or>;
      case Combine::Xor:
        return &setp_both<H, F, Combine::Xor>;
    }
  }
  if (opcode.combine != Combine::None) return nullptr;
  if (ptx::is_float(opcode.type))
    return &Lanewise<SetBoth<H, F, H::kOne>, U, U, U>::each;
  return &Lanewise<SetBoth<H, F, 0xffff>, U, U, U>::each;
}

template <class H, template <class> class W>
Handler of_pairs(const Opcode& opcode) {
  switch (opcode.comparison) {
    case Comparison::Eq:
      return find_both<H, W<Eq>>(opcode);
    case Comparison::Ne:
      return find_both<H, W<OrderedNe>>(opcode);
    case Comparison::Lt:
      return find_both<H, W<Lt>>(opcode);
    case Comparison::Le:
      return find_both<H, W<Le>>(opcode);
    case Comparison::Gt:
      return find_both<H, W<Swapped<Lt>>>(opcode);
    case Comparison::Ge:
      return find_both<H, W<Swapped<Le>>>(opcode);
    case Comparison::Equ:
      return find_both<H, W<Negated<OrderedNe>>>(opcode);
    case Comparison::Neu:
      return find_both<H, W<Negated<Eq>>>(opcode);
    case Comparison::Ltu:
      return find_both<H, W<Negated<Swapped<Le>>>>(opcode);
    case Comparison::Leu:
      return find_both<H, W<Negated<Swapped<Lt>>>>(opcode);
    case Comparison::Gtu:
      return find_both<H, W<Negated<Le>>>(opcode);
    case Comparison::Geu:
      return find_both<H, W<Negated<Lt>>>(opcode);
    case Comparison::Num:
      return find_both<H, W<Ordered>>(opcode);
    case Comparison::Nan:
      return find_both<H, W<Negated<Ordered>>>(opcode);
    default:
      return nullptr;
  }
}

Handler find_relation(const Opcode& opcode, Type type) {
  switch (type) {
    case Type::F16:
      return opcode.ftz ? of_floats<Half, WidenedFlushed>(opcode)
                        : of_floats<Half, Widened>(opcode);
    case Type::BF16:
      return of_floats<Brain, Widened>(opcode);
    case Type::F16x2:
      return opcode.ftz ? of_pairs<Half, WidenedFlushed>(opcode)
                        : of_pairs<Half, Widened>(opcode);
    case Type::BF16x2:
      return of_pairs<Brain, Widened>(opcode);
    default:
      return nullptr;
  }
}

}  // namespace

HandlerPair find_compare_half(const Opcode& opcode) {
  if (opcode.op != Op::Setp && opcode.op != Op::Set) return {};
  const bool set = opcode.op == Op::Set;
  const Handler handler = find_relation(opcode, set ? opcode.source_type : opcode.type);
  return {handler, handler};
}

}  // namespace minitorch::simt::MINITORCH_ISA
