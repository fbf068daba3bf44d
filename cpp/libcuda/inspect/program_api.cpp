// The inspection function that shows what the emulator makes of PTX, without a device.
#include <string>

#include "base/error.h"
#include "libcuda/contexts/failure.h"
#include "libcuda/exports/exports.h"
#include "ptx/decode.h"
#include "simt/program/print.h"

namespace minitorch::libcuda::api {
namespace {

/// Addresses that look like those of a device: nothing is allocated.
simt::LoadedModule place_nowhere(const std::string& text) {
  simt::LoadedModule loaded;
  ptx::DecodeOptions options;
  options.index_checks = true;
  loaded.module = ptx::decode(text, options);
  uint64_t next = uint64_t{1} << 32;
  for (const ptx::Variable& variable : loaded.module->variables) {
    loaded.variable_address.push_back(next);
    next += (variable.size + 255) / 256 * 256;
  }
  return loaded;
}

}  // namespace

CUresult program_text(const char* ptx, const char* kernel, uint32_t checks,
                      const char* pass, const char** text) {
  static thread_local std::string made;
  try {
    const simt::LoadedModule loaded = place_nowhere(&required(ptx, "ptx"));
    made = simt::program_text(loaded, kernel == nullptr ? "" : kernel, checks,
                              &required(pass, "pass"));
  } catch (const base::Error& error) {
    fail(CUDA_ERROR_INVALID_VALUE, error.what());
  }
  required(text, "text") = made.c_str();
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
