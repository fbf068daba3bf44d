// The sentences about a finding: what, where, and what to do.
#pragma once

#include <string>

#include "cuda_abi/inspect.h"
#include "findings/fields.h"

namespace minitorch::findings {

/// "write of 4 bytes, 64 past the end of 'out' (4096 bytes)".
std::string what_text(const MtFinding& finding, const Wording& wording = {});

/// "thread (3,0,0) of block (1,0,0), file.cu:14, called from file.cu:30".
std::string site_text(const MtSite& site);

/// Advice for the case, with values where they help ("index 1040 of 1024"); "" for
/// none.
std::string hint_text(const MtFinding& finding, const Wording& wording = {});

/// `write of 4 bytes, 64 past the end of 'out' (4096 bytes): thread (3,0,0) of block
/// (1,0,0), file.cu:14 in kernel, launched at train.py:12. Hint.`
/// Of a race of two operations `other_site` is where the other one was asked for.
std::string finding_text(const MtFinding& finding, const std::string& launch_site,
                         const std::string& other_site = "");

/// ", launched at train.py:12; the copy at train.py:13"; "" for lines that are not
/// known.
std::string launched_text(const MtFinding& finding, const std::string& launch_site,
                          const std::string& other_site);

/// File names as people know them: the last part of a path.
std::string short_file(const std::string& path);

}  // namespace minitorch::findings
