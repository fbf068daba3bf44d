#include "cuda_client/module.h"

#include "base/text.h"
#include "cuda_abi/inspect.h"
#include "cuda_client/error_hints.h"

namespace minitorch::cuda_client {
namespace {

constexpr size_t kLogBytes = 16 * 1024;

std::string trimmed(std::string log) {
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

}  // namespace

int Function::attribute(CUfunction_attribute attribute) const {
  api_->make_current();
  int value = 0;
  api_->check(api_->func_get_attribute(&value, attribute, handle_), "kernel");
  return value;
}

void Function::set_dynamic_shared(uint32_t bytes) const {
  api_->make_current();
  const auto attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  api_->check(api_->func_set_attribute(handle_, attribute, static_cast<int>(bytes)),
              "kernel");
}

int Function::resident_blocks(uint32_t threads, uint32_t dynamic_shared) const {
  api_->make_current();
  int blocks = 0;
  api_->check(api_->occupancy_blocks(&blocks, handle_, static_cast<int>(threads),
                                     dynamic_shared),
              "kernel");
  return blocks;
}

std::vector<ParameterSlot> Function::parameters(bool* known) const {
  std::vector<ParameterSlot> slots;
  *known = false;
  if (!api_->func_get_param_info) return slots;
  api_->make_current();
  for (;;) {
    ParameterSlot slot;
    const CUresult result =
        api_->func_get_param_info(handle_, slots.size(), &slot.offset, &slot.size);
    if (result == CUDA_SUCCESS) {
      slots.push_back(slot);
      continue;
    }
    // The first index beyond the last parameter is an invalid value.
    *known = result == CUDA_ERROR_INVALID_VALUE;
    return slots;
  }
}

Module::Module(std::shared_ptr<Api> api, const std::string& image, bool index_checks)
    : api_(std::move(api)), generation_(api_->generation()) {
  std::string log(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            static_cast<CUjit_option>(kMtJitIndexChecks)};
  void* values[] = {log.data(), reinterpret_cast<void*>(kLogBytes),
                    reinterpret_cast<void*>(uintptr_t{1})};
  // The last one is the emulator's own.
  const unsigned int count = index_checks && api_->emulated() ? 3 : 2;
  api_->make_current();
  const CUresult result =
      api_->module_load_data_ex(&handle_, image.c_str(), count, options, values);
  if (result == CUDA_SUCCESS) return;
  handle_ = nullptr;
  log = trimmed(std::move(log));
  std::string what = base::text("the driver refused a module: got ",
                                api_->error_name(result), " (", int{result}, "). ");
  what += error_hint(result);
  if (!log.empty()) what += base::text("\n", log);
  throw ImageError(what, result, log);
}

Module::~Module() {
  if (handle_ && api_->reachable(generation_)) api_->module_unload(handle_);
}

bool Module::find(const std::string& name, Function* function) const {
  api_->make_current();
  CUfunction handle = nullptr;
  const CUresult result = api_->module_get_function(&handle, handle_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) return false;
  api_->check(result, "module");
  *function = Function(api_.get(), handle);
  return true;
}

std::pair<CUdeviceptr, size_t> Module::global(const std::string& name) const {
  api_->make_current();
  CUdeviceptr pointer = 0;
  size_t bytes = 0;
  const CUresult result =
      api_->module_get_global(&pointer, &bytes, handle_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) return {0, 0};
  api_->check(result, "module");
  return {pointer, bytes};
}

}  // namespace minitorch::cuda_client
