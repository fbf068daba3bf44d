#include "nvrtc/location.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/text.h"
#include "nvrtc/loaded_library.h"
#include "nvrtc/location_index.h"

namespace minitorch::nvrtc {
namespace {

constexpr const char* kVariable = "MINITORCH_NVRTC";

struct State {
  std::recursive_mutex mutex;
  std::function<Location()> locator;
  std::string environment = "default";
  std::unique_ptr<Location> location;
  int version = 0;
  std::shared_ptr<Library> library;
};

State& state() {
  static State* const made = new State;  // alive for exit handlers
  return *made;
}

// Header folders of a library that was named without them: beside it as in a toolkit
// and the wheels of CUDA 13, or beside its wheel as in those of CUDA 12.
std::vector<std::string> neighbouring_headers(const std::string& library) {
  const std::filesystem::path folder = std::filesystem::path(library).parent_path();
  std::vector<std::string> found;
  for (const char* relative :
       {"../include", "../include/cccl", "../../cuda_runtime/include",
        "../../cuda_crt/include", "../../cuda_cccl/include"}) {
    std::error_code error;
    const std::filesystem::path path = (folder / relative).lexically_normal();
    if (std::filesystem::is_directory(path, error)) found.push_back(path.string());
  }
  return found;
}

[[noreturn]] void throw_absent(const std::string& tried) {
  throw base::StateError(
      "nvrtc",
      base::text("got no NVRTC", tried,
                 "; need it to compile kernels for device cuda. Install it: pip "
                 "install \"minitorch-cuda[nvrtc13]\"."));
}

Location search(State& s) {
  if (const char* path = std::getenv(kVariable); path && *path) {
    if (!file_stamp(path)) throw_absent(base::text(" at ", kVariable, "=", path));
    return {path, neighbouring_headers(path)};
  }
  if (std::optional<IndexRow> row = remembered_location(s.environment)) {
    s.version = row->version;
    return row->location;
  }
  Location found = s.locator ? s.locator() : Location{};
  if (found.library.empty()) throw_absent("");
  return found;
}

}  // namespace

void set_locator(std::function<Location()> locator) {
  const std::lock_guard lock(state().mutex);
  state().locator = std::move(locator);
}

void set_environment(std::string name) {
  const std::lock_guard lock(state().mutex);
  state().environment = std::move(name);
}

Location location() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.location) s.location = std::make_unique<Location>(search(s));
  return *s.location;
}

int version() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Location where = location();
  if (s.version > 0) return s.version;
  const std::optional<FileStamp> stamp = file_stamp(where.library);
  if (stamp) s.version = remembered_version(where.library, *stamp);
  if (s.version > 0) return s.version;
  s.version = loaded_library()->version_number();
  if (!stamp) return s.version;  // a soname: found by the loader, nothing to compare
  const char* named = std::getenv(kVariable);
  const std::string environment = named && *named ? kVariable : s.environment;
  const IndexRow row{environment, where, *stamp, s.version};
  remember(row);
  return s.version;
}

bool loaded() {
  const std::lock_guard lock(state().mutex);
  return state().library != nullptr;
}

std::shared_ptr<Library> loaded_library() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.library) s.library = std::make_shared<Library>(location().library);
  return s.library;
}

void forget_location() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.location.reset();
  s.library.reset();
  s.version = 0;
}

}  // namespace minitorch::nvrtc
