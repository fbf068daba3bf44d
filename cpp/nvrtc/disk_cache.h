// Compiled results on disk: one readable source beside one PTX (and cubin) per key.
#pragma once

#include <optional>
#include <string>

#include "nvrtc/compiler.h"

namespace minitorch::nvrtc {

/// The text of a `.ptx` entry: comment lines that carry a checksum, lowered names,
/// warnings and the cubin's checksum, then the PTX. Any PTX tool reads it.
std::string entry_text(const Result& result);

/// The reverse; nothing for a text that is damaged or of another version. The cubin, if
/// the entry has one, is given apart.
std::optional<Result> parse_entry(const std::string& text,
                                  const std::optional<std::string>& cubin);

/// A whole, undamaged result, or nothing.
std::optional<Result> load_entry(const std::string& key);

/// Writes `result` with `source` beside it. A folder that cannot be written is said
/// once on stderr; nothing else happens.
void store_entry(const std::string& key, const std::string& source,
                 const Result& result);

/// Says once per process that `directory` cannot be written.
void warn_unwritable(const std::string& directory);

}  // namespace minitorch::nvrtc
