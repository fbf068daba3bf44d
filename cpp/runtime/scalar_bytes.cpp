#include "runtime/scalar_bytes.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace minitorch::runtime {
namespace {

// A binary format by its sizes: half is {5, 10}, bfloat16 {8, 7}, float {8, 23}.
struct Format {
  int exponent_bits, mantissa_bits;
};

// `value` rounded to nearest, ties to even; overflow gives infinity.
double rounded(double value, Format format) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(value, &exponent);  // value = f * 2^exponent, f in [1/2, 1)
  const int lowest = 1 - bias;   // of a normal number, as 1.m * 2^lowest
  const int step = std::max(exponent - 1, lowest) - format.mantissa_bits;
  const double whole = std::nearbyint(std::ldexp(value, -step));
  const double result = std::ldexp(whole, step);
  const double beyond = std::ldexp(1.0, bias + 1);
  return std::abs(result) < beyond ? result : std::copysign(INFINITY, value);
}

// The bits of a value that `rounded` has made representable.
uint32_t bits_of(double value, Format format) {
  const uint32_t sign = std::signbit(value) ? 1u : 0u;
  const uint32_t top = (1u << format.exponent_bits) - 1;
  uint32_t exponent = 0, mantissa = 0;
  if (std::isnan(value)) {
    exponent = top;
    mantissa = 1u << (format.mantissa_bits - 1);
  } else if (std::isinf(value)) {
    exponent = top;
  } else if (value != 0) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    int scale = 0;
    std::frexp(value, &scale);
    const int power = std::max(scale - 1, 1 - bias);
    const auto digits = static_cast<uint32_t>(
        std::ldexp(std::abs(value), format.mantissa_bits - power));
    const uint32_t hidden = 1u << format.mantissa_bits;
    exponent = digits >= hidden ? static_cast<uint32_t>(power + bias) : 0;
    mantissa = digits & (hidden - 1);
  }
  return sign << (format.exponent_bits + format.mantissa_bits) |
         exponent << format.mantissa_bits | mantissa;
}

void store(const void* value, size_t size, std::vector<std::byte>* bytes) {
  bytes->resize(size);
  std::memcpy(bytes->data(), value, size);
}

std::string store_integer(bool negative, uint64_t magnitude, ElementType type,
                          std::vector<std::byte>* bytes) {
  const unsigned bits = type.size * 8;
  const uint64_t span = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t half = uint64_t{1} << (bits - 1);
  const uint64_t most = type.kind == 'u' ? span : negative ? half : half - 1;
  if ((negative && type.kind == 'u' && magnitude > 0) || magnitude > most)
    return base::text("is outside the range of ", element_name(type));
  // Little endian: the low bytes of the two's complement.
  const uint64_t value = negative ? 0 - magnitude : magnitude;
  store(&value, type.size, bytes);
  return "";
}

std::string store_real(double value, ElementType type, std::vector<std::byte>* bytes) {
  if (type.kind == 'f' && type.size == 8) {
    store(&value, 8, bytes);
    return "";
  }
  const Format format = type.kind == 'E' ? Format{8, 7}
                        : type.size == 2 ? Format{5, 10}
                                         : Format{8, 23};
  const double fitted = rounded(value, format);
  if (std::isinf(fitted) && std::isfinite(value))
    return base::text("is too large for ", element_name(type));
  const uint32_t raw = bits_of(fitted, format);
  store(&raw, type.size, bytes);
  return "";
}

std::string integer_as_real(const PlainNumber& number, ElementType type,
                            std::vector<std::byte>* bytes) {
  const int digits = type.kind == 'E' ? 8
                     : type.size == 2 ? 11
                     : type.size == 4 ? 24
                                      : 53;
  const int used = 64 - std::countl_zero(number.magnitude) -
                   (number.magnitude ? std::countr_zero(number.magnitude) : 0);
  if (used > digits)
    return base::text("is not exact in ", element_name(type),
                      "; write it as a float to have it rounded");
  const double value = static_cast<double>(number.magnitude);
  return store_real(number.negative ? -value : value, type, bytes);
}

}  // namespace

PlainNumber plain_number(int64_t value) {
  const uint64_t bits = static_cast<uint64_t>(value);
  return {PlainNumber::Integer, value < 0, value < 0 ? 0 - bits : bits, 0};
}
PlainNumber plain_number(uint64_t value) {
  return {PlainNumber::Integer, false, value, 0};
}
PlainNumber plain_number(double value) { return {PlainNumber::Real, false, 0, value}; }
PlainNumber plain_number(bool value) {
  return {PlainNumber::Boolean, false, value ? 1u : 0u, 0};
}

std::string number_text(const PlainNumber& number) {
  if (number.kind == PlainNumber::Real) return base::text("float ", number.real);
  if (number.kind == PlainNumber::Boolean)
    return number.magnitude ? "bool True" : "bool False";
  return base::text("int ", number.negative ? "-" : "", number.magnitude);
}

std::string encode(const PlainNumber& number, ElementType type,
                   std::vector<std::byte>* bytes) {
  const bool integer = number.kind != PlainNumber::Real;
  switch (type.kind) {
    case 'b':
      if (!integer || number.magnitude > 1) return "is not a bool";
      return store_integer(false, number.magnitude, {'u', 1}, bytes);
    case 'i':
    case 'u':
      if (integer) return store_integer(number.negative, number.magnitude, type, bytes);
      if (number.real != std::trunc(number.real) || std::abs(number.real) >= 0x1p63)
        return base::text("is not exact in ", element_name(type));
      return store_integer(number.real < 0,
                           static_cast<uint64_t>(std::abs(number.real)), type, bytes);
    case 'f':
    case 'E':
      return integer ? integer_as_real(number, type, bytes)
                     : store_real(number.real, type, bytes);
    default:
      return "is a plain number";
  }
}

}  // namespace minitorch::runtime
