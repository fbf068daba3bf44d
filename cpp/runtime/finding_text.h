// Owns the sentences about a finding: what, where, and what to do. Must not know how it
// was found.
#pragma once

#include <string>

#include "cuda_abi/inspect.h"

namespace minitorch::runtime {

/// "write of 4 bytes, 64 past the end of 'out' (4096 bytes)".
std::string what_text(const MtFinding& finding);

/// "thread (3,0,0) of block (1,0,0), file.cu:14, called from file.cu:30".
std::string site_text(const MtSite& site);

/// Advice for the kind, with values where they help ("Index 1040 of 1024.").
std::string hint_text(const MtFinding& finding);

/// File names as people know them: the last part of a path.
std::string short_file(const std::string& path);

}  // namespace minitorch::runtime
