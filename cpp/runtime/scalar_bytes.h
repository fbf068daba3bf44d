// Turning a plain number into the bytes of an element type.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/signature.h"

namespace minitorch::runtime {

/// A plain number as Python has it.
struct PlainNumber {
  enum Kind : uint8_t { Integer, Real, Boolean } kind = Integer;
  bool negative = false;
  uint64_t magnitude = 0;  // of an integer or a boolean
  double real = 0;         // of a real
};
PlainNumber plain_number(int64_t value);
PlainNumber plain_number(uint64_t value);
PlainNumber plain_number(double value);
PlainNumber plain_number(bool value);
std::string number_text(const PlainNumber& number);

/// Writes the number as `type` into `bytes` and returns "", or says why it does not
/// fit: integers must fit exactly; a real into an integer must be whole; into a
/// narrower float a real is rounded but must not become infinite.
std::string encode(const PlainNumber& number, ElementType type,
                   std::vector<std::byte>* bytes);

}  // namespace minitorch::runtime
