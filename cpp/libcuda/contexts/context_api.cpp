// The functions about contexts: primary, created, the stack of each thread.
#include <cstring>
#include <limits>

#include "libcuda/contexts/context_end.h"
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"

namespace minitorch::libcuda::api {
namespace {

/// Clients older than CUDA 13 look for names with _v2 first and call what they find
/// with the parameters they know: the context is then whatever was in the register.
/// What never was a handle means the current context, as null does.
bool is_no_handle(CUcontext handle) {
  return !was_handle_value(reinterpret_cast<uintptr_t>(handle));
}

std::shared_ptr<Context> context_of(CUcontext handle) {
  auto context = process().contexts.find(handle);
  require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT,
          "got a handle that is no live context.");
  return context;
}

CUcontext new_context(CUcontext handle, unsigned int flags) {
  auto context = std::make_shared<Context>(process().device, handle, flags);
  process().contexts.insert_as(handle, std::move(context));
  return handle;
}

void end_primary() {
  const auto context = process().contexts.find(process().primary_handle);
  if (context != nullptr) destroy_context(context);
}

}  // namespace

CUresult primary_ctx_retain(CUcontext* context, CUdevice device) {
  check_device(device);
  required(context, "pctx");
  Process& all = process();
  std::lock_guard lock(all.primary_mutex);
  if (all.contexts.find(all.primary_handle) == nullptr) {
    new_context(all.primary_handle, all.primary_flags);
  }
  ++all.primary_references;
  *context = all.primary_handle;
  return CUDA_SUCCESS;
}

CUresult primary_ctx_release(CUdevice device) {
  check_device(device);
  Process& all = process();
  std::lock_guard lock(all.primary_mutex);
  require(all.primary_references > 0, CUDA_ERROR_INVALID_CONTEXT,
          "the primary context is not retained.");
  if (--all.primary_references == 0) end_primary();
  return CUDA_SUCCESS;
}

CUresult primary_ctx_reset(CUdevice device) {
  check_device(device);
  Process& all = process();
  std::lock_guard lock(all.primary_mutex);
  const auto before = all.contexts.find(all.primary_handle);
  end_primary();
  if (all.primary_references == 0) return CUDA_SUCCESS;
  // Who holds it keeps a usable handle, and the records of what was launched;
  // everything else that was in it is gone.
  new_context(all.primary_handle, all.primary_flags);
  if (before == nullptr) return CUDA_SUCCESS;
  LaunchRecords& records = all.contexts.find(all.primary_handle)->records();
  while (auto record = before->records().take())
    records.add(std::move(record), std::numeric_limits<uint32_t>::max());
  return CUDA_SUCCESS;
}

CUresult primary_ctx_set_flags(CUdevice device, unsigned int flags) {
  check_device(device);
  require((flags & ~kContextFlags) == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CUctx_flags.");
  std::lock_guard lock(process().primary_mutex);
  process().primary_flags = flags;
  return CUDA_SUCCESS;
}

CUresult primary_ctx_get_state(CUdevice device, unsigned int* flags, int* active) {
  check_device(device);
  std::lock_guard lock(process().primary_mutex);
  required(flags, "flags") = process().primary_flags;
  required(active, "active") = process().primary_references > 0;
  return CUDA_SUCCESS;
}

CUresult ctx_create(CUcontext* context, unsigned int flags, CUdevice device) {
  check_device(device);
  required(context, "pctx");
  require((flags & ~kContextFlags) == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CUctx_flags.");
  *context = new_context(reinterpret_cast<CUcontext>(new_handle_value()), flags);
  thread_state().contexts.push_back(*context);
  return CUDA_SUCCESS;
}

CUresult ctx_create_v3(CUcontext* context, void* affinity, int count,
                       unsigned int flags, CUdevice device) {
  require(affinity == nullptr && count == 0, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
          "execution affinity is not supported.");
  return ctx_create(context, flags, device);
}

CUresult ctx_create_v4(CUcontext* context, void*, unsigned int flags, CUdevice device) {
  return ctx_create(context, flags, device);
}

CUresult ctx_destroy(CUcontext handle) {
  require(handle != process().primary_handle, CUDA_ERROR_INVALID_CONTEXT,
          "got the primary context; need cuDevicePrimaryCtxRelease for it.");
  destroy_context(context_of(handle));
  auto& stack = thread_state().contexts;
  if (!stack.empty() && stack.back() == handle) stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult ctx_push_current(CUcontext handle) {
  context_of(handle);
  thread_state().contexts.push_back(handle);
  return CUDA_SUCCESS;
}

CUresult ctx_pop_current(CUcontext* handle) {
  auto& stack = thread_state().contexts;
  require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT, "no context has been pushed.");
  if (handle != nullptr) *handle = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult ctx_set_current(CUcontext handle) {
  auto& stack = thread_state().contexts;
  if (handle != nullptr) context_of(handle);
  if (!stack.empty()) stack.pop_back();
  if (handle != nullptr) stack.push_back(handle);
  return CUDA_SUCCESS;
}

CUresult ctx_get_current(CUcontext* handle) {
  const auto& stack = thread_state().contexts;
  required(handle, "pctx") = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

CUresult ctx_get_device(CUdevice* device) {
  required(device, "device");
  current_context_even_faulted();
  *device = 0;
  return CUDA_SUCCESS;
}

/// As the older function, of any context.
CUresult ctx_get_device_v2(CUdevice* device, CUcontext handle) {
  required(device, "device");
  if (is_no_handle(handle)) return ctx_get_device(device);
  context_of(handle);
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult ctx_attach(CUcontext* handle, unsigned int flags) {
  required(handle, "pctx");
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  const auto context = current_context_even_faulted();
  ++context->uses;
  *handle = context->handle;
  return CUDA_SUCCESS;
}

/// The last use ends a context that cuCtxCreate made.
CUresult ctx_detach(CUcontext handle) {
  const auto context = context_of(handle);
  require(handle != process().primary_handle || context->uses > 1,
          CUDA_ERROR_INVALID_CONTEXT,
          "got the primary context; need cuDevicePrimaryCtxRelease for it.");
  return --context->uses > 0 ? CUDA_SUCCESS : ctx_destroy(handle);
}

CUresult ctx_get_id(CUcontext handle, unsigned long long* id) {
  const auto context =
      handle == nullptr ? current_context_even_faulted() : context_of(handle);
  required(id, "ctxId") = reinterpret_cast<uintptr_t>(context->handle);
  return CUDA_SUCCESS;
}

CUresult ctx_get_api_version(CUcontext handle, unsigned int* version) {
  if (handle == nullptr) {
    current_context_even_faulted();
  } else {
    context_of(handle);
  }
  required(version, "version") = 3020;  // of the context interface, the same since 3.2
  return CUDA_SUCCESS;
}

CUresult ctx_synchronize() {
  const auto context = current_context_even_faulted();
  require_no_capture_anywhere("waiting for the device");
  context->queues().wait_all();
  return context->sync_result();
}

CUresult ctx_synchronize_v2(CUcontext handle) {
  if (is_no_handle(handle)) return ctx_synchronize();
  const auto context = context_of(handle);
  require_no_capture_anywhere("waiting for the device");
  context->queues().wait_all();
  return context->sync_result();
}

}  // namespace minitorch::libcuda::api
