// What is remembered on disk of NVRTC libraries: where one was found for which
// environment, and its version.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nvrtc/files.h"
#include "nvrtc/location.h"

namespace minitorch::nvrtc {

struct IndexRow {
  std::string environment;
  Location location;
  FileStamp stamp;  // of the library
  int version = 0;
};

/// The row of `environment` whose library is unchanged since it was written.
std::optional<IndexRow> remembered_location(const std::string& environment);

/// Version of the library at `path` with that stamp, 0 if no row knows it.
int remembered_version(const std::string& path, const FileStamp& stamp);

/// Adds or replaces the row of its environment; a cache that cannot be written is said
/// once. Two processes at once: one row may be lost, and is found again next time.
void remember(const IndexRow& row);

}  // namespace minitorch::nvrtc
