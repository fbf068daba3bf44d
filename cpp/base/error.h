// The exception types every room may throw.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace minitorch::base {

/// Root of all errors of this library. The text is `[where] got X; need Y. Hint.`, or
/// `[where]` and a plain sentence; build it with `base::text` (text.h).
class Error : public std::runtime_error {
 public:
  Error(const std::string& where, const std::string& what)
      : std::runtime_error("[" + where + "] " + what) {}
};

/// A value (shape, size, option) that does not fit. Python: a ValueError that is a
/// RuntimeError, too.
class ValueError : public Error {
  using Error::Error;
};

/// A dtype or kind of argument that does not fit. Python: a TypeError that is a
/// RuntimeError, too.
class TypeError : public Error {
  using Error::Error;
};

/// An index outside its range. Python: an IndexError that is a RuntimeError, too.
class IndexError : public Error {
  using Error::Error;
};

/// A correct request in the wrong state (freed graph, missing library). Python:
/// RuntimeError.
class StateError : public Error {
  using Error::Error;
};

/// The host has no memory left. Python: MemoryError.
class MemoryError : public std::bad_alloc {
 public:
  MemoryError(const std::string& where, const std::string& what)
      : text_(std::make_shared<std::string>("[" + where + "] " + what)) {}
  const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<std::string> text_;  // copies of an exception must not throw
};

}  // namespace minitorch::base
