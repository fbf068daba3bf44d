// Where NVRTC and its headers are, found late and once.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace minitorch::nvrtc {

/// A library file and the folders of the CUDA headers that belong to it.
struct Location {
  std::string library;
  std::vector<std::string> include_dirs;
};

/// Sets the search for NVRTC; called at most once per process, when a compile misses
/// the cache and no remembered location is valid. It throws, or returns an empty
/// `library`, when there is no NVRTC.
void set_locator(std::function<Location()> locator);

/// Names the environment (interpreter prefix) under which a location is remembered on
/// disk, so that two virtual environments do not share one.
void set_environment(std::string name);

/// The location in use: MINITORCH_NVRTC, else the remembered one if its file is
/// unchanged, else the locator's. Throws StateError that says what to install.
Location location();

/// The version (13005 for 13.5) of the library at `location`, read from the index by
/// its path, size and time; loads the library only when the index does not know it.
int version();

/// Has this process loaded NVRTC?
bool loaded();

/// Forgets everything found so far (tests; after an install in a running notebook).
void forget_location();

}  // namespace minitorch::nvrtc
