// The meaning of one PTX opcode with all its modifiers; knows nothing of operands'
// values, memory or threads. The list of opcodes is opcodes.inc.
#pragma once

#include <cstdint>
#include <string>

namespace minitorch::ptx {

/// Every instruction known to the decoder, one row each in opcodes.inc.
enum class Op : uint16_t {
#define PTX_OP(name, ...) name,
#define PTX_LANE(name, ...) name,
#include "ptx/opcodes.inc"
#undef PTX_LANE
#undef PTX_OP
};

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  TF32,  // f32 of which 10 bits of fraction count: cvt and matrices
  B1,    // of matrices only
  U4,
  S4,
  U16x2,
  S16x2,
};
inline constexpr int kTypes = static_cast<int>(Type::S16x2) + 1;

/// Size of one value in bytes; 0 for None, Pred and parts of a byte.
uint32_t size_of(Type type);
bool is_float(Type type);
bool is_signed(Type type);
const char* type_name(Type type);

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

/// Float rounding (rn, rz, rm, rp, rna) and, for cvt, rounding to an integer (rni ...).
enum class Rounding : uint8_t {
  None,
  Nearest,
  Zero,
  Down,
  Up,
  NearestAway,
  NearestInt,
  ZeroInt,
  DownInt,
  UpInt
};

/// eq .. ge (ordered, signedness from the type), lo .. hs (unsigned), the unordered
/// float forms, and num / nan.
enum class Comparison : uint8_t {
  None,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

enum class Combine : uint8_t { None, And, Or, Xor };  // setp.CMP.BOOL
enum class Part : uint8_t { None, Low, High, Wide };  // mul, mad
enum class AtomicOp : uint8_t {
  None,
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor,
  Exch,
  Cas
};
enum class Order : uint8_t {
  Weak,
  Volatile,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  SeqCst
};
enum class Scope : uint8_t { None, Cta, Cluster, Gpu, Sys };
enum class Shuffle : uint8_t { None, Up, Down, Butterfly, Index };
/// vote.all/any/uni/ballot, match.any/all, bar.red.popc/and/or, redux ops.
enum class Collective : uint8_t {
  None,
  All,
  Any,
  Uni,
  Ballot,
  Popc,
  And,
  Or,
  Xor,
  Add,
  Min,
  Max
};
/// testp: the class of floats asked for.
enum class FloatClass : uint8_t {
  None,
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};
/// prmt selection modes.
enum class Permute : uint8_t { None, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// A part of a matrix product d = a * b + c that the lanes of a warp hold together.
enum class Fragment : uint8_t { None, A, B, C, D };

/// What a matrix instruction says besides its space: (m, k) * (k, n) + (m, n). Loads
/// and moves of 8 x 8 matrices give `count` and `transposed` only.
struct MatrixForm {
  uint16_t m = 0, n = 0, k = 0;
  Type a = Type::None, b = Type::None, c = Type::None, d = Type::None;
  bool a_column = false, b_column = false, c_column = false;  // of wmma.load, store too
  Fragment fragment = Fragment::None;                         // wmma.load, wmma.store
  uint8_t count = 1;                                          // ldmatrix .x1 .x2 .x4
  bool transposed = false;
  bool binary_and = false;  // b1: .and.popc instead of .xor.popc
};

/// One opcode with every modifier decoded; fields an opcode does not have keep the
/// default. `text` is the spelling in the source, for messages.
struct Opcode {
  Op op{};
  Type type = Type::None;         // the operation's type; of cvt, set: the destination
  Type source_type = Type::None;  // second type of cvt, set, slct, ...; else == type
  Space space = Space::Generic;
  Rounding rounding = Rounding::None;
  Comparison comparison = Comparison::None;
  Combine combine = Combine::None;
  Part part = Part::None;
  AtomicOp atomic = AtomicOp::None;
  Order order = Order::Weak;
  Scope scope = Scope::None;
  Shuffle shuffle = Shuffle::None;
  Collective collective = Collective::None;
  Permute permute = Permute::None;
  FloatClass float_class = FloatClass::None;
  uint8_t vector = 1;  // .v2, .v4; of a matrix: registers of the fragment
  MatrixForm matrix;
  bool ftz = false, sat = false, approx = false, full = false;
  bool carry_in = false;      // addc, subc, madc
  bool carry_out = false;     // .cc
  bool to = false;            // cvta.to (generic -> space) instead of space -> generic
  bool uniform = false;       // .uni: the author promises a warp-uniform branch or call
  bool wrap = false;          // shf.wrap instead of clamp; bfind.shiftamt sets `full`
  bool left = false;          // shf.l
  bool aligned = false;       // bar / barrier .aligned, wmma
  bool non_coherent = false;  // ld.global.nc
  bool nan = false;           // min, max: a NaN operand gives NaN
  bool sum = false;           // vabsdiff4.add
  bool xor_sign = false;      // min, max: .xorsign.abs
  bool relu = false;          // negative results (and NaN: canonical) become +0
  bool hint = false;          // a caching hint was given; never changes a result
  bool policy = false;        // .L2::cache_hint: a policy follows the operands
  std::string text;
};

}  // namespace minitorch::ptx
