// The error of shapes that do not broadcast, with its parts.
#pragma once

#include <string>

#include "base/error.h"

namespace minitorch::array {

/// Callers add a hint, or raise another kind of error, from `where` and `reason`.
class BroadcastError : public base::ValueError {
 public:
  BroadcastError(const std::string& where, const std::string& reason)
      : base::ValueError(where, reason), where(where), reason(reason) {}
  std::string where, reason;
};

}  // namespace minitorch::array
