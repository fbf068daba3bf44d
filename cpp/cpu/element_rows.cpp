#include "cpu/element_rows.h"

#include "cpu/builds.h"
#include "cpu/element_formulas.h"

namespace minitorch::cpu {
namespace {

/// The loops of a formula, of each type under the same name.
template <Unary op>
struct MapLoops;
template <Binary op>
struct ZipLoops;

#define MINITORCH_MAP_LOOP(Op, T)                                             \
  static MINITORCH_BUILDS void loop(const T* __restrict x, T* __restrict out, \
                                    int64_t count) {                          \
    using Formula = UnaryFormula<Unary::Op>;                                  \
    for (int64_t i = 0; i < count; ++i) out[i] = Formula::of(x[i]);           \
  }
#define MINITORCH_UNARY(Op, ...)   \
  template <>                      \
  struct MapLoops<Unary::Op> {     \
    MINITORCH_MAP_LOOP(Op, float)  \
    MINITORCH_MAP_LOOP(Op, double) \
  };
#include "cpu/elementwise.inc"
#undef MINITORCH_MAP_LOOP

// `out` may be one of the operands, cell for cell: no step reads what another wrote.
#define MINITORCH_ZIP_LOOP(Op, T, side, prepared, first, second)                     \
  static MINITORCH_BUILDS void side(const T* x, const T* y, T* out, int64_t count) { \
    using Formula = BinaryFormula<Binary::Op>;                                       \
    prepared;                                                                        \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] =                \
        Formula::of(first, second);                                                  \
  }
#define MINITORCH_ZIP_LOOPS(Op, T)                                   \
  MINITORCH_ZIP_LOOP(Op, T, both, , x[i], y[i])                      \
  MINITORCH_ZIP_LOOP(Op, T, left, const T number = *y, x[i], number) \
  MINITORCH_ZIP_LOOP(Op, T, right, const T number = *x, number, y[i])
// Floats have no bits to join.
#define MINITORCH_LOOPS_Integer(Op)
#define MINITORCH_LOOPS_Any(Op)     \
  template <>                       \
  struct ZipLoops<Binary::Op> {     \
    MINITORCH_ZIP_LOOPS(Op, float)  \
    MINITORCH_ZIP_LOOPS(Op, double) \
  };
#define MINITORCH_LOOPS_Number(Op) MINITORCH_LOOPS_Any(Op)
#define MINITORCH_LOOPS_Real(Op) MINITORCH_LOOPS_Any(Op)
#define MINITORCH_BINARY(Op, function, name, domain, ...) MINITORCH_LOOPS_##domain(Op)
#include "cpu/elementwise.inc"
#undef MINITORCH_LOOPS_Integer
#undef MINITORCH_LOOPS_Any
#undef MINITORCH_LOOPS_Number
#undef MINITORCH_LOOPS_Real
#undef MINITORCH_ZIP_LOOPS
#undef MINITORCH_ZIP_LOOP

template <class T, Unary op>
MapRow<T> map_row_of() {
  using Formula = UnaryFormula<op>;
  if constexpr (requires(const T* x, T* out) { Formula::row(x, out, 1); }) {
    return Formula::template row<T>;
  } else {
    return MapLoops<op>::loop;
  }
}

template <class T, Binary op>
ZipRows<T> zip_rows_of() {
  using Formula = BinaryFormula<op>;
  if constexpr (Formula::domain == Domain::Integer) {
    return {};
  } else if constexpr (requires { Formula::template rows<T>(); }) {
    return Formula::template rows<T>();
  } else {
    using Loops = ZipLoops<op>;
    return {Loops::both, Loops::left, Loops::right};
  }
}

}  // namespace

template <class T>
MapRow<T> map_row(Unary op) {
  switch (op) {
#define MINITORCH_UNARY(Op, ...) \
  case Unary::Op:                \
    return map_row_of<T, Unary::Op>();
#include "cpu/elementwise.inc"
  }
  return nullptr;
}

template <class T>
ZipRows<T> zip_rows(Binary op) {
  switch (op) {
#define MINITORCH_BINARY(Op, ...) \
  case Binary::Op:                \
    return zip_rows_of<T, Binary::Op>();
#include "cpu/elementwise.inc"
  }
  return {};
}

template MapRow<float> map_row<float>(Unary);
template MapRow<double> map_row<double>(Unary);
template ZipRows<float> zip_rows<float>(Binary);
template ZipRows<double> zip_rows<double>(Binary);

}  // namespace minitorch::cpu
