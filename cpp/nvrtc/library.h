// NVRTC as a table of functions, filled by dlopen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace minitorch::nvrtc {

/// One loaded libnvrtc; stays loaded until the process ends.
class Library {
 public:
  typedef struct Opaque* Program;
  static constexpr int kSuccess = 0;

  /// Throws StateError when it does not load or is older than 11.2.
  explicit Library(const std::string& path);

#define NVRTC_FUNCTION(member, symbol, parameters) int(*member) parameters = nullptr;
#include "nvrtc/nvrtc_functions.inc"
#undef NVRTC_FUNCTION

  int version_number() const { return version_number_; }  // 13005 for 13.5
  /// Architectures it compiles for, ascending: 75, 80, ...
  const std::vector<int>& supported() const { return supported_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int version_number_ = 0;
  std::vector<int> supported_;
};

}  // namespace minitorch::nvrtc
