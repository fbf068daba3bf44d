// The state of the whole process: initialised, forked or ending, all handles, and what
// belongs to each thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libcuda/contexts/context.h"
#include "libcuda/contexts/failure.h"
#include "libcuda/contexts/handles.h"
#include "libcuda/memory/managed_advice.h"
#include "libcuda/memory/mapped_host.h"
#include "libcuda/memory/virtual_memory.h"
#include "libcuda/modules/image.h"
#include "libcuda/modules/linker.h"

namespace minitorch::libcuda {

struct CapturedPlace;  // capture.h

/// The last record of an event; the time is set as the stream reaches it.
struct EventRecord {
  Ticket ticket;
  std::shared_ptr<CapturedPlace> place;  // in a capture instead: there is no ticket
  std::shared_ptr<Context> context;
  std::atomic<int64_t> nanoseconds{0};
};

struct Event {
  std::shared_ptr<Context> context;
  unsigned int flags = 0;
  std::mutex mutex;
  std::shared_ptr<EventRecord> record;  // null: never recorded

  std::shared_ptr<EventRecord> last_record() {
    std::lock_guard lock(mutex);
    return record;
  }
};

/// What a client's module or library handle names.
struct LoadedImage {
  std::shared_ptr<Context> context;  // null: a library, which outlives contexts
  std::shared_ptr<Image> image;
  CUmodule handle = nullptr;  // a library's module, too
  std::mutex mutex;
  std::vector<CUfunction> functions;  // handle by function index, null: not asked for
};

/// Everything that lives as long as the process; made by cuInit, never destroyed.
struct Process {
  explicit Process(const base::CardProfile& profile);

  Device device;
  Handles<CUcontext, Context> contexts;
  Handles<CUstream, Stream> streams;
  Handles<CUevent, Event> events;
  Handles<CUmodule, LoadedImage> modules;
  Handles<CUlibrary, LoadedImage> libraries;  // each is among the modules, too
  Handles<CUfunction, Function> functions;    // and kernels: the same values
  Handles<CUlinkState, LinkSession> links;

  VirtualMemory virtual_memory{device.memory};
  ManagedAdvice advice;

  Handles<CUmemoryPool, Pool> pools;  // the default ones, too
  using PoolOfKind = std::array<std::shared_ptr<Pool>, kPoolKinds>;
  PoolOfKind default_pools;
  std::mutex pool_mutex;
  PoolOfKind current_pools;

  /// cuMemHostRegister: host memory that stays where it is.
  struct Registered {
    uint64_t base = 0, bytes = 0;
    std::shared_ptr<MappedHost> mapped;  // null: no kernel reaches it
  };
  std::mutex registered_mutex;
  std::map<uint64_t, Registered> registered;  // by base

  std::mutex primary_mutex;
  const CUcontext primary_handle = reinterpret_cast<CUcontext>(new_handle_value());
  int primary_references = 0;
  unsigned int primary_flags = 0;
};

/// What a thread has set; new threads begin with the defaults.
struct ThreadState {
  ThreadState();
  ~ThreadState();

  std::vector<CUcontext> contexts;  // stack; the current one last
  MtLaunchOptions options;
  const uint64_t serial;
  bool per_thread_default = false;  // stream 0 of the running call is the thread's own
  int capture_mode = 0;             // CUstreamCaptureMode of cuThreadExchange...
  bool in_callback = false;         // driver calls are not allowed here
  uint64_t correlation = 0;         // comes back in records of this thread's work
  std::string message;              // why the last call failed
};

ThreadState& thread_state();

/// Marks a place where driver calls are not allowed.
class InCallback {
 public:
  InCallback() { thread_state().in_callback = true; }
  ~InCallback() { thread_state().in_callback = false; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
};

/// cuInit: INVALID_DEVICE for an unknown profile, NOT_INITIALIZED in a forked child.
CUresult initialise();
/// The result that keeps any call from running now, or CUDA_SUCCESS.
CUresult gate(bool needs_initialised);
Process& process();
inline Memory& device_memory() { return process().device.memory; }

/// Runs the body of one exported function: nothing but its result gets out.
CUresult guarded_call(bool needs_initialised, CUresult (*body)(void*), void* arguments);

template <class Body>
CUresult guarded(bool needs_initialised, Body body) {
  return guarded_call(
      needs_initialised, [](void* self) { return (*static_cast<Body*>(self))(); },
      &body);
}

/// Fails unless `device` is 0, the one card.
void check_device(CUdevice device);

/// The calling thread's context; fails without one, after its end, and after a fault
/// that a synchronising call has told.
std::shared_ptr<Context> current_context();
/// The same without the check for a fault.
std::shared_ptr<Context> current_context_even_faulted();
/// The stream `handle` names for the calling thread; special handles included.
std::shared_ptr<Stream> stream_of(CUstream handle);
/// The same, and its context has told no fault.
std::shared_ptr<Stream> usable_stream(CUstream handle);
std::shared_ptr<Event> event_of(CUevent handle);
std::shared_ptr<Function> function_of(CUfunction handle);
std::shared_ptr<LoadedImage> module_of(CUmodule handle);

/// Loads what a client handed over, with what went wrong in the error log.
std::shared_ptr<LoadedImage> load_code(std::shared_ptr<Context> context, Device& device,
                                       const void* code, const JitOptions& jit);
/// The handle of the kernel `name`; of function number `index`.
CUfunction function_named(LoadedImage& module, const char* name);
CUfunction function_handle(LoadedImage& module, uint32_t index);
/// The handles of the first `room` kernels, and how many there are.
unsigned int list_kernels(LoadedImage& module, CUfunction* kernels, unsigned int room);
/// Fails when the module has no such variable; either result may be null.
void find_global(const LoadedImage& module, const char* name, bool managed,
                 CUdeviceptr* pointer, size_t* bytes);

}  // namespace minitorch::libcuda
