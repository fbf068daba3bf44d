// The functions about a context's settings: limits, preferences, flags, peers.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"

namespace minitorch::libcuda::api {
namespace {

constexpr int kLastCacheConfig = 3, kLastBankConfig = 2;
constexpr size_t kMostStack = 512 * 1024;  // bytes of local memory a thread may have

using Limits = Context::Limits;

/// The setting that a CUlimit names; null for those of no meaning here.
std::atomic<size_t>* limit_of(Limits& limits, int limit) {
  switch (limit) {
    case 0:
      return &limits.stack;
    case 1:
      return &limits.printf_buffer;
    case 2:
      return &limits.heap;
    default:
      require(limit > 0 && limit <= 10, CUDA_ERROR_INVALID_VALUE, "got limit ", limit,
              "; need one of CUlimit.");
      return nullptr;
  }
}

std::atomic<size_t>& supported_limit(Limits& limits, int limit) {
  std::atomic<size_t>* found = limit_of(limits, limit);
  require(found != nullptr, CUDA_ERROR_UNSUPPORTED_LIMIT, "got limit ", limit,
          "; need the stack size, the printf buffer or the heap (0, 1 or 2).");
  return *found;
}

CUcontext check_peer(CUcontext peer) {
  const auto context = current_context_even_faulted();
  require(process().contexts.find(peer) != nullptr && peer != context->handle,
          CUDA_ERROR_INVALID_CONTEXT, "got no other live context.");
  return peer;
}

}  // namespace

CUresult ctx_get_flags(unsigned int* flags) {
  required(flags, "flags") = current_context_even_faulted()->flags;
  return CUDA_SUCCESS;
}

CUresult ctx_set_flags(unsigned int flags) {
  require((flags & ~kContextFlags) == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need a combination of CUctx_flags.");
  current_context_even_faulted()->flags = flags;
  return CUDA_SUCCESS;
}

CUresult ctx_get_stream_priority_range(int* least, int* greatest) {
  current_context_even_faulted();
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return CUDA_SUCCESS;
}

CUresult ctx_get_limit(size_t* value, int limit) {
  required(value, "pvalue");
  *value = supported_limit(current_context_even_faulted()->limits, limit);
  return CUDA_SUCCESS;
}

/// Numbers that clients read back; kernels get what they need up to the most.
CUresult ctx_set_limit(int limit, size_t value) {
  const auto context = current_context_even_faulted();
  std::atomic<size_t>& kept = supported_limit(context->limits, limit);
  const bool stack = &kept == &context->limits.stack;
  require(!stack || value <= kMostStack, CUDA_ERROR_INVALID_VALUE, "got ", value,
          " bytes of stack; need at most ", kMostStack, ".");
  kept = value;
  return CUDA_SUCCESS;
}

CUresult ctx_get_cache_config(int* config) {
  required(config, "pconfig") = current_context_even_faulted()->cache_config;
  return CUDA_SUCCESS;
}

CUresult ctx_set_cache_config(int config) {
  require(config >= 0 && config <= kLastCacheConfig, CUDA_ERROR_INVALID_VALUE,
          "got cache config ", config, "; need 0 to 3.");
  current_context_even_faulted()->cache_config = config;
  return CUDA_SUCCESS;
}

CUresult ctx_get_shared_mem_config(int* config) {
  current_context_even_faulted();
  required(config, "pConfig") = 1;  // banks of four bytes, the only ones
  return CUDA_SUCCESS;
}

CUresult ctx_set_shared_mem_config(int config) {
  current_context_even_faulted();
  require(config >= 0 && config <= kLastBankConfig, CUDA_ERROR_INVALID_VALUE,
          "got shared memory config ", config, "; need 0, 1 or 2.");
  return CUDA_SUCCESS;
}

CUresult func_set_shared_mem_config(CUfunction function, int config) {
  function_of(function);
  return ctx_set_shared_mem_config(config);
}

CUresult ctx_reset_persisting_l2_cache() {
  current_context_even_faulted();
  return CUDA_SUCCESS;  // nothing persists there
}

/// All contexts share the one device, so that there is no peer to reach.
CUresult ctx_enable_peer_access(CUcontext peer, unsigned int flags) {
  check_peer(peer);
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  fail(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "one card is emulated; it has no peers.");
}

CUresult ctx_disable_peer_access(CUcontext peer) {
  check_peer(peer);
  fail(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "one card is emulated; it has no peers.");
}

CUresult device_get_p2p_attribute(int* value, int, CUdevice from, CUdevice to) {
  required(value, "value");
  check_device(from);
  check_device(to);
  fail(CUDA_ERROR_INVALID_DEVICE, "got device 0 twice; need two devices.");
}

CUresult device_get_exec_affinity_support(int* supported, int type, CUdevice device) {
  required(supported, "pi");
  check_device(device);
  require(type == 0, CUDA_ERROR_INVALID_VALUE, "got affinity type ", type,
          "; need CU_EXEC_AFFINITY_TYPE_SM_COUNT.");
  *supported = 0;
  return CUDA_SUCCESS;
}

CUresult profiler_start() {
  current_context_even_faulted();
  return CUDA_SUCCESS;  // no profiler can be attached
}

CUresult profiler_stop() { return profiler_start(); }

}  // namespace minitorch::libcuda::api
