#include "nvrtc/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::nvrtc {
namespace {

// NVRTC opens its built-in functions by bare name. Loaded from beside it first, they
// are found whatever the loader's paths are (a link elsewhere, a sanitizer's dlopen).
void load_builtins(const std::string& library, int major, int minor) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(library, error);
  if (error) return;
  const std::string name = base::text("libnvrtc-builtins.so.", major, ".", minor);
  dlopen((real.parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Library::Library(const std::string& path) : path_(path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    throw base::StateError(
        "nvrtc",
        base::text("cannot load ", path, ": ", reason ? reason : "no reason given",
                   ". Install NVRTC anew: pip install \"minitorch-cuda"
                   "[nvrtc13]\"."));
  }
  std::string missing;
#define NVRTC_FUNCTION(member, symbol, parameters)                     \
  member = reinterpret_cast<decltype(member)>(dlsym(handle, #symbol)); \
  if (!member) missing += std::string(" ") + #symbol;
#include "nvrtc/nvrtc_functions.inc"
#undef NVRTC_FUNCTION
  int major = 0, minor = 0;
  if (version) version(&major, &minor);
  if (!missing.empty())
    throw base::StateError(
        "nvrtc",
        base::text(path, " is version ", major, ".", minor, " and lacks", missing,
                   "; need NVRTC 12 or 13. Install it: pip install "
                   "\"minitorch-cuda[nvrtc13]\"."));
  version_number_ = major * 1000 + minor;
  load_builtins(path, major, minor);
  int count = 0;
  architecture_count(&count);
  supported_.resize(static_cast<size_t>(std::max(count, 0)));
  if (count > 0) architectures(supported_.data());
  std::sort(supported_.begin(), supported_.end());
}

}  // namespace minitorch::nvrtc
