// Finding out which files a source takes from disk, for the cache key.
#pragma once

#include <vector>

#include "nvrtc/compiler.h"

namespace minitorch::nvrtc {

/// What a request includes beside its headers in memory. Files in the user's own
/// folders (-I) come with their text; the rest is the toolkit's.
struct OutsideIncludes {
  bool any = false;
  std::vector<SourceFile> user_files;
};
OutsideIncludes outside_includes(const Request& request);

/// The folders that options of NVRTC name for headers (-I), in their order.
std::vector<std::string> include_folders(const std::vector<std::string>& options);

}  // namespace minitorch::nvrtc
