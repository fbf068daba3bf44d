// Which files the compiler's messages may quote.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nvrtc/compiler.h"

namespace minitorch::nvrtc {

/// The files of one request that its author has a right to see: texts given in memory,
/// what lies in the folder of the source, in those that its options name, or among the
/// toolkit's headers. A name that no file has stands for a text in memory. Links are
/// followed: one in a folder of the user to a file elsewhere is that other file.
class QuotableFiles {
 public:
  QuotableFiles(const Request& request, const std::vector<std::string>& toolkit);
  bool hold(const std::string& file) const;

 private:
  std::vector<std::string> texts_;
  std::vector<std::filesystem::path> folders_, toolkit_;
};

}  // namespace minitorch::nvrtc
