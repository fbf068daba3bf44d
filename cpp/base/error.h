// Owns the exception types every room may throw; must not know who catches them.
#pragma once

#include <stdexcept>
#include <string>

namespace minitorch::base {

/// Root of all errors of this library. The text has the house form
/// `[where] got X; need Y. Hint.`; build it with `base::text` (text.h).
class Error : public std::runtime_error {
 public:
  Error(const std::string& where, const std::string& what)
      : std::runtime_error("[" + where + "] " + what) {}
};

/// A value (shape, size, option) that does not fit. Python: ValueError.
class ValueError : public Error {
  using Error::Error;
};

/// A dtype or kind of argument that does not fit. Python: TypeError.
class TypeError : public Error {
  using Error::Error;
};

/// An index outside its range. Python: IndexError.
class IndexError : public Error {
  using Error::Error;
};

/// A correct request in the wrong state (freed graph, missing library). Python:
/// RuntimeError.
class StateError : public Error {
  using Error::Error;
};

}  // namespace minitorch::base
