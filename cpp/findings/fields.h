// The fields that rows of kinds.inc and remedies.inc leave open, as text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cuda_abi/inspect.h"
#include "findings/kinds.h"

namespace minitorch::findings {

/// How a finding is worded, and what the reader knows by other names than the emulator.
struct Wording {
  Language language = Language::Cpp;
  std::function<uint32_t(uint32_t)> line;  // of the kernel's file; empty: as it is
  std::string element;                     // "tile[3, 7]"; empty: by its number
  std::optional<std::string> detail;
};

/// `text` with its fields in braces filled:
///   {access}   "read of 4 bytes"
///   {address}  "global address 0x1000", {number} that address alone, {size} its bytes
///   {bounds}   access and where it lies against its array: "read of 4 bytes, 64 past
///              the end of 'a' (4096 bytes)"
///   {inside}   "offset 8 of 'a' (4096 bytes)"
///   {accessed} "read of x[2]", or "read of 4 bytes at offset 8 of 'a' (4096 bytes)"
///   {element}  "element 2 (of 4 bytes) of 'a' (4096 bytes)"
///   {index}    "Counted in 4-byte elements that is index 1040 of 1024. ", or ""
///   {detail}   `detail_text`
///   {syncthreads} {syncwarp}  the barriers' names
std::string filled(std::string_view text, const MtFinding& finding,
                   const Wording& wording);

/// "read", "write", "atomic"; "access" for none.
const char* access_name(int32_t access);
/// "reads", "copies to"; "accesses" for none.
const char* access_verb(int32_t access);

/// "64 past the end of", "just past the end of", "8 before the start of": where the
/// address lies against its allocation; "" inside of it.
std::string distance_text(const MtFinding& finding);

}  // namespace minitorch::findings
