#include "libcuda/modules/linker.h"

#include <cstring>
#include <string_view>

#include "libcuda/contexts/failure.h"
#include "libcuda/modules/device_library.h"
#include "libcuda/modules/image_source.h"
#include "ptx/decode.h"
#include "simt/warp/device_call.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract
namespace {

bool is_device_runtime(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1) == "libcudadevrt.a";
}

}  // namespace

LinkSession::LinkSession(const Device& device, const JitOptions& options)
    : device_(device), options_(options), linker_(is_device_function) {
  options_.write_error("");
  options_.write_info("");
}

void LinkSession::add(CUjitInputType type, const char* name, const char* data,
                      size_t bytes) {
  std::lock_guard lock(mutex_);
  require(!complete_, CUDA_ERROR_INVALID_VALUE,
          "got an input after cuLinkComplete; need a new linker.");
  inputs_ += base::text(inputs_.empty() ? "" : ", ", name);
  if (type == CU_JIT_INPUT_LIBRARY && is_device_runtime(name)) {
    device_runtime_ = true;  // what it offers is written in PTX here
    return;
  }
  std::string text;
  try {
    text = ptx_of(device_, data, bytes);
    ptx::decode(text);  // mistakes are told with the lines of this input
    linker_.add(name, std::move(text));
  } catch (const Failure& failure) {
    fail(failure.result, name, ": ", failure.message);
  } catch (const ptx::PtxError& error) {
    fail(CUDA_ERROR_INVALID_PTX, name, ": ptx line ", error.line, ", column ",
         error.column, ": ", error.what());
  }
}

const std::string& LinkSession::complete() {
  std::lock_guard lock(mutex_);
  if (complete_) return linked_;
  require(!linker_.empty(), CUDA_ERROR_INVALID_VALUE,
          "got no input; need at least one PTX module.");
  try {
    if (device_runtime_) linker_.add("libcudadevrt.a", kDeviceLibrary);
    linked_ = linker_.finish(options_.max_registers());
  } catch (const ptx::LinkError& error) {
    fail(CUDA_ERROR_INVALID_PTX, error.what());
  }
  complete_ = true;
  options_.write_info("linked " + inputs_ + "\n");
  return linked_;
}

}  // namespace minitorch::libcuda
