// The steps that compute shadows of registers and that report the use of a poisoned
// value.
#pragma once

#include <cstdint>

#include "simt/lanes/arithmetic.h"

namespace minitorch::simt {

struct Context;

/// Shadows are rows like their registers: 4 or 8 bytes a lane, a mask for a predicate.
enum class PoisonStep : uint8_t {
  Any,      // d: all ones where a bit of a, b, c or e is set
  Upward,   // d: ones from the lowest bit of a, b, c on: what a carry reaches
  Merge,    // d: a | b
  And,      // d: a, b shadows of an and; c, e its values
  Or,       // the same of an or
  Select,   // d: a or b by predicate c; all ones where e, the shadow of c, is set
  Pass,     // holds the rows of a shuffle's shadows (collective_ops.h)
  Divided,  // d: all ones in the lanes that have just divided by zero
  Use,      // a value in a, b, c, e is used: reported when all of it is poisoned
  Forget,   // the bytes just stored from b, c, d, d2 have no value where poisoned
};

/// Packed in Step::immediate of the first six, of Divided and of Use.
struct PoisonForm {
  uint8_t width[4] = {};  // of a, b, c, e: bytes a lane, 0 a predicate, 255 not there
  uint8_t to = 0;         // of d
  uint8_t negated = 0;    // Select: bit 0; And, Or: bit 0 the value c, bit 1 e
  uint8_t use = 0;        // Use: PoisonUse
  uint8_t origins = 0;    // Use: PoisonOrigin bits

  static PoisonForm of(int64_t immediate) {
    return __builtin_bit_cast(PoisonForm, immediate);
  }
  int64_t packed() const { return __builtin_bit_cast(int64_t, *this); }
};
inline constexpr uint8_t kNotThere = 255;

/// How a value is used. Of values that are stored or passed on, bytes that nobody wrote
/// (padding of a struct) may be part; they count when nothing else is there.
/// Division: given away in any way, where it counts if it is computed from a division
/// by zero.
enum class PoisonUse : uint8_t {
  Address,
  Branch,
  Store,
  Argument,
  Exchange,
  Print,
  Division
};

/// Whether all `size` bytes at a generic address are the lane's own and unwritten.
bool is_unwritten(const Context& context, uint32_t lane, uint64_t address,
                  uint32_t size);
/// The lane prints a value that nobody gave.
void report_printed(Context& context, const Step* step, uint32_t lane);

/// `divided`: only in frames in which a thread has divided by zero.
HandlerPair find_poison_step(PoisonStep step, bool divided);

}  // namespace minitorch::simt
