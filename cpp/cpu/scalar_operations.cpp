#include "cpu/scalar_operations.h"

#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "base/enumerators.h"
#include "base/error.h"
#include "base/text.h"
#include "cpu/scalar_math.h"

namespace minitorch::cpu {
namespace {

template <class T>
constexpr ScalarType kTypeOf = ScalarType::Bool;
template <>
constexpr ScalarType kTypeOf<int32_t> = ScalarType::Int32;
template <>
constexpr ScalarType kTypeOf<int64_t> = ScalarType::Int64;
template <>
constexpr ScalarType kTypeOf<float> = ScalarType::Float32;
template <>
constexpr ScalarType kTypeOf<double> = ScalarType::Float64;

// `out` may be an input, but only element by element, which ivdep allows to vectorise.
template <class F, class R, class A>
void unary_loop(const void* const* inputs, void* out, size_t count) {
  auto a = static_cast<const A*>(inputs[0]);
  auto result = static_cast<R*>(out);
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i) result[i] = F()(a[i]);
}

template <class F, class R, class A>
void binary_loop(const void* const* inputs, void* out, size_t count) {
  auto a = static_cast<const A*>(inputs[0]);
  auto b = static_cast<const A*>(inputs[1]);
  auto result = static_cast<R*>(out);
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i) result[i] = F()(a[i], b[i]);
}

// By masks: a branch on random data costs more than both sides together.
template <class T>
void select_loop(const void* const* inputs, void* out, size_t count) {
  using Bits =
      std::conditional_t<sizeof(T) == 8, uint64_t,
                         std::conditional_t<sizeof(T) == 4, uint32_t, uint8_t>>;
  auto test = static_cast<const bool*>(inputs[0]);
  auto then = static_cast<const T*>(inputs[1]);
  auto otherwise = static_cast<const T*>(inputs[2]);
  auto result = static_cast<T*>(out);
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i) {
    const Bits mask = static_cast<Bits>(0 - static_cast<Bits>(test[i]));
    const Bits bits = (std::bit_cast<Bits>(then[i]) & mask) |
                      (std::bit_cast<Bits>(otherwise[i]) & static_cast<Bits>(~mask));
    result[i] = std::bit_cast<T>(bits);
  }
}

using Key = std::pair<std::string_view, ScalarType>;
using Table = std::map<Key, Operation>;

template <class A, class R = A, class F>
void unary(Table& table, std::string_view name, F) {
  table[{name, kTypeOf<A>}] = {unary_loop<F, R, A>, 1, kTypeOf<R>};
}

template <class A, class R = A, class F>
void binary(Table& table, std::string_view name, F) {
  table[{name, kTypeOf<A>}] = {binary_loop<F, R, A>, 2, kTypeOf<R>};
}

template <class From, class To>
To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return truncate<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void conversion(Table& table, std::string_view name) {
  constexpr auto apply = [](From value) { return convert<From, To>(value); };
  table[{name, kTypeOf<To>}] = {unary_loop<decltype(apply), To, From>, 1, kTypeOf<To>};
}

template <class To>
void add_moves(Table& table) {
  conversion<bool, To>(table, "from_bool");
  conversion<int32_t, To>(table, "from_int32");
  conversion<int64_t, To>(table, "from_int64");
  conversion<float, To>(table, "from_float32");
  conversion<double, To>(table, "from_float64");
  table[{"select", kTypeOf<To>}] = {select_loop<To>, 3, kTypeOf<To>};
}

template <class T>
void add_comparisons(Table& table) {
  binary<T, bool>(table, "lt", [](T a, T b) { return a < b; });
  binary<T, bool>(table, "le", [](T a, T b) { return a <= b; });
  binary<T, bool>(table, "gt", [](T a, T b) { return a > b; });
  binary<T, bool>(table, "ge", [](T a, T b) { return a >= b; });
  binary<T, bool>(table, "eq", [](T a, T b) { return a == b; });
  binary<T, bool>(table, "ne", [](T a, T b) { return a != b; });
}

// Python's order decides about NaN and signed zeros.
template <class T>
void add_extremes(Table& table) {
  binary<T>(table, "min", [](T a, T b) { return b < a ? b : a; });
  binary<T>(table, "max", [](T a, T b) { return b > a ? b : a; });
}

void add_integers(Table& table) {
  // Overflow wraps, so the arithmetic is unsigned.
  using U = uint64_t;
  using I = int64_t;
  unary<I>(table, "neg", [](I a) { return static_cast<I>(0 - static_cast<U>(a)); });
  unary<I>(table, "fabs",
           [](I a) { return a < 0 ? static_cast<I>(0 - static_cast<U>(a)) : a; });
  unary<int32_t>(table, "fabs", [](int32_t a) {
    return a < 0 ? static_cast<int32_t>(0 - static_cast<uint32_t>(a)) : a;
  });
  binary<I>(table, "add", [](I a, I b) { return static_cast<I>(U(a) + U(b)); });
  binary<I>(table, "sub", [](I a, I b) { return static_cast<I>(U(a) - U(b)); });
  binary<I>(table, "mul", [](I a, I b) { return static_cast<I>(U(a) * U(b)); });
  binary<I>(table, "floor_divide", [](I a, I b) { return floor_divide(a, b); });
  binary<I>(table, "floor_modulo", [](I a, I b) { return floor_modulo(a, b); });
  binary<I>(table, "power", [](I a, I b) { return power(a, b); });
}

void add_logic(Table& table) {
  binary<bool>(table, "and", [](bool a, bool b) { return a && b; });
  binary<bool>(table, "or", [](bool a, bool b) { return a || b; });
  unary<bool>(table, "not", [](bool a) { return !a; });
}

template <class T>
void add_arithmetic(Table& table) {
  unary<T>(table, "neg", [](T a) { return -a; });
  binary<T>(table, "add", [](T a, T b) { return a + b; });
  binary<T>(table, "sub", [](T a, T b) { return a - b; });
  binary<T>(table, "mul", [](T a, T b) { return a * b; });
  binary<T>(table, "div", [](T a, T b) { return a / b; });
  binary<T>(table, "floor_divide", [](T a, T b) { return floor_divide(a, b); });
  binary<T>(table, "floor_modulo", [](T a, T b) { return floor_modulo(a, b); });
}

template <class T>
void add_functions(Table& table) {
#define FUNCTION(name) unary<T>(table, #name, [](T a) { return std::name(a); })
  FUNCTION(acos);
  FUNCTION(acosh);
  FUNCTION(asin);
  FUNCTION(asinh);
  FUNCTION(atan);
  FUNCTION(atanh);
  FUNCTION(cbrt);
  FUNCTION(ceil);
  FUNCTION(cos);
  FUNCTION(cosh);
  FUNCTION(erf);
  FUNCTION(erfc);
  FUNCTION(exp);
  FUNCTION(exp2);
  FUNCTION(expm1);
  FUNCTION(fabs);
  FUNCTION(floor);
  FUNCTION(lgamma);
  FUNCTION(log);
  FUNCTION(log10);
  FUNCTION(log1p);
  FUNCTION(log2);
  FUNCTION(rint);
  FUNCTION(sin);
  FUNCTION(sinh);
  FUNCTION(sqrt);
  FUNCTION(tan);
  FUNCTION(tanh);
  FUNCTION(trunc);
#undef FUNCTION
  unary<T>(table, "gamma", [](T a) { return std::tgamma(a); });
#define FUNCTION(name) binary<T>(table, #name, [](T a, T b) { return std::name(a, b); })
  FUNCTION(atan2);
  FUNCTION(copysign);
  FUNCTION(fmod);
  FUNCTION(hypot);
  FUNCTION(pow);
  FUNCTION(remainder);
#undef FUNCTION
  unary<T, bool>(table, "isfinite", [](T a) { return std::isfinite(a); });
  unary<T, bool>(table, "isinf", [](T a) { return std::isinf(a); });
  unary<T, bool>(table, "isnan", [](T a) { return std::isnan(a); });
}

const Table& operations() {
  static const Table table = [] {
    Table made;
    add_moves<bool>(made), add_moves<int32_t>(made), add_moves<int64_t>(made);
    add_moves<float>(made), add_moves<double>(made);
    add_extremes<bool>(made), add_extremes<int32_t>(made), add_extremes<int64_t>(made);
    add_extremes<float>(made), add_extremes<double>(made);
    add_comparisons<int64_t>(made);
    add_comparisons<float>(made), add_comparisons<double>(made);
    add_integers(made), add_logic(made);
    add_arithmetic<float>(made), add_arithmetic<double>(made);
    add_functions<float>(made), add_functions<double>(made);
    return made;
  }();
  return table;
}

struct ScalarRow {
  ScalarType type;
  const char* name;
  size_t bytes;
};
constexpr ScalarRow kTypes[] = {
    {ScalarType::Bool, "bool", sizeof(bool)}, {ScalarType::Int32, "int32", 4},
    {ScalarType::Int64, "int64", 8},          {ScalarType::Float32, "float32", 4},
    {ScalarType::Float64, "float64", 8},
};
static_assert(base::rows_follow_enumerators<kTypes>([](const ScalarRow& row) {
  return row.type;
}));

}  // namespace

size_t size_of(ScalarType type) { return kTypes[static_cast<size_t>(type)].bytes; }

const char* scalar_type_name(ScalarType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

ScalarType parse_scalar_type(std::string_view name) {
  for (const ScalarRow& row : kTypes) {
    if (name == row.name) return row.type;
  }
  throw base::TypeError("cpu",
                        base::text("got elements of type ", name,
                                   "; need bool, int32, int64, float32 or float64."));
}

Operation find_operation(std::string_view name, ScalarType type) {
  const auto found = operations().find({name, type});
  if (found != operations().end()) return found->second;
  throw base::ValueError(
      "cpu", base::text("got the operation '", name, "' on ", scalar_type_name(type),
                        "; need one of the table of operations."));
}

}  // namespace minitorch::cpu
