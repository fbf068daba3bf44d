#include "cuda_client/api.h"

#include <dlfcn.h>

#include "base/text.h"
#include "cuda_client/error_hints.h"
#include "cuda_client/fork_stamp.h"

namespace minitorch::cuda_client {
namespace {

constexpr int kOldestDriver = 11000;  // CUDA 11.0
constexpr int kInspectMajor = 4;      // versions are major * 1000 + minor
constexpr const char* kWhere = "cuda";

// What a driver may lack: asked for before each use.
bool optional_symbol(const std::string& symbol) {
  return symbol == "cuFuncGetParamInfo" || symbol == "cuGraphInstantiateWithFlags" ||
         symbol == "cuGraphDebugDotPrint";
}

}  // namespace

bool is_capture_error(CUresult result) {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
         result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

bool is_kernel_fault(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

std::shared_ptr<Api> Api::open(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    throw CudaError(kWhere,
                    base::text("cannot load the driver library ", library, ": ",
                               reason ? reason : "no reason given",
                               ". Install the NVIDIA driver, or set "
                               "MINITORCH_CUDA=emulator."),
                    CUDA_ERROR_FILE_NOT_FOUND);
  }
  return from_symbols(library,
                      [handle](const char* symbol) { return dlsym(handle, symbol); });
}

std::shared_ptr<Api> Api::from_symbols(const std::string& library,
                                       const std::function<void*(const char*)>& find) {
  std::shared_ptr<Api> api(new Api);
  api->library_ = library;
  api->fork_stamp_ = fork_stamp();
  api->fill(find);
  api->open_device();
  return api;
}

void Api::fill(const std::function<void*(const char*)>& find) {
  std::string missing;
#define CU_FUNCTION(member, symbol, parameters)               \
  member = reinterpret_cast<decltype(member)>(find(#symbol)); \
  if (!member && !optional_symbol(#symbol)) missing += std::string(" ") + #symbol;
#include "cuda_abi/driver_functions.inc"
#undef CU_FUNCTION
#define INSPECT_FUNCTION(member, symbol, parameters) \
  inspect_##member = reinterpret_cast<decltype(inspect_##member)>(find(#symbol));
#include "cuda_abi/inspect_functions.inc"
#undef INSPECT_FUNCTION
  if (!missing.empty())
    throw CudaError(
        kWhere,
        base::text(library_, " lacks", missing,
                   "; need a driver of CUDA 11.0 or newer. Update the NVIDIA "
                   "driver, or set MINITORCH_CUDA=emulator."),
        CUDA_ERROR_NOT_SUPPORTED);
}

void Api::open_device() {
  check(init(0), kWhere);
  check(driver_get_version(&driver_version_), kWhere);
  if (driver_version_ < kOldestDriver)
    throw CudaError(kWhere,
                    base::text("got a driver for CUDA ", driver_version_ / 1000, ".",
                               driver_version_ % 1000 / 10,
                               "; need 11.0 or newer. Update the NVIDIA driver."),
                    CUDA_ERROR_NOT_SUPPORTED);
  if (inspect_version) {
    int version = 0;
    check(inspect_version(&version), kWhere);
    if (version / 1000 != kInspectMajor)
      throw CudaError(kWhere,
                      base::text("got an emulator with inspection interface ",
                                 version / 1000, "; need ", kInspectMajor,
                                 ". Build library and emulator from one version."),
                      CUDA_ERROR_NOT_SUPPORTED);
  }
  int count = 0;
  check(device_get_count(&count), kWhere);
  if (count == 0) check(CUDA_ERROR_NO_DEVICE, kWhere);
  check(device_get(&device_, 0), kWhere);
  char name[256] = "";
  check(device_get_name(name, sizeof name - 1, device_), kWhere);
  device_name_ = name;
  compute_capability_ = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CUcontext retained = nullptr;
  check(primary_ctx_retain(&retained, device_), kWhere);
  context_ = retained;
}

int Api::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(device_get_attribute(&value, attribute, device_), kWhere);
  return value;
}

std::pair<size_t, size_t> Api::memory() const {
  size_t free = 0, total = 0;
  make_current();
  check(mem_get_info(&free, &total), kWhere);
  return {free, total};
}

bool Api::inherited() const { return fork_stamp_ != fork_stamp(); }

void Api::make_current() const {
  if (inherited())
    throw base::StateError(
        kWhere,
        "got a call in a process forked after cuda was opened; need to "
        "initialise after fork. Use the 'spawn' start method, or first "
        "touch cuda in the child.");
  const CUresult result = ctx_set_current(context_);
  if (!is_kernel_fault(result)) check(result, kWhere);
}

std::string Api::error_name(CUresult result) const {
  const char* name = nullptr;
  if (get_error_name && get_error_name(result, &name) == CUDA_SUCCESS && name)
    return name;
  return fallback_error_name(result);
}

std::string Api::explanation(CUresult result) const {
  // The emulator's own words for the thread's last call come first: they are gone with
  // the next call.
  const char* text = nullptr;
  if (inspect_last_message && inspect_last_message(&text) == CUDA_SUCCESS && text &&
      *text)
    return text;
  if (get_error_string && get_error_string(result, &text) == CUDA_SUCCESS && text)
    return text;
  return "";
}

void Api::check(CUresult result, const char* where) const {
  if (result == CUDA_SUCCESS) return;
  std::string reason = explanation(result);
  while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n'))
    reason.pop_back();
  std::string what = base::text("got ", error_name(result), " (", int{result}, ")");
  if (!reason.empty()) what += base::text(": ", reason);
  what += base::text(". ", error_hint(result));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(where, what, result);
  if (is_capture_error(result)) throw GraphCaptureError(where, what, result);
  throw CudaError(where, what, result);
}

void Api::reset_context() {
  make_current();
  check(primary_ctx_reset(device_), kWhere);
  // Some drivers count the reset as a release, some do not; retaining anew is right for
  // both, since the context is rebuilt by the first retain after the reset.
  CUcontext renewed = nullptr;
  check(primary_ctx_retain(&renewed, device_), kWhere);
  context_ = renewed;
  generation_ += 1;
  make_current();
}

bool Api::reachable(unsigned generation) const {
  return generation == generation_ && !inherited() &&
         ctx_set_current(context_) == CUDA_SUCCESS;
}

Api::~Api() {
  // The library stays loaded: its threads and exit handlers may still run.
  if (context_ && !inherited()) primary_ctx_release(device_);
}

}  // namespace minitorch::cuda_client
