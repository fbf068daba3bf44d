#include "libcuda/contexts/process.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/launch_limits.h"
#include "findings/kinds.h"
#include "libcuda/inspect/report.h"
#include "libcuda/inspect/report_file.h"

namespace minitorch::libcuda {
namespace {

using namespace std::chrono_literals;

enum class Phase { New, Running, Ended, Forked };

std::atomic<Phase> phase{Phase::New};
std::atomic<Process*> the_process{nullptr};

void after_fork_in_child() {
  // The child has none of the threads, and any lock may be held for ever.
  if (phase.load() != Phase::New) phase.store(Phase::Forked);
}

/// At exit: a moment for work in flight, so that its faults are told; then it is
/// cancelled.
void end_process() {
  Phase running = Phase::Running;
  if (!phase.compare_exchange_strong(running, Phase::Ended)) return;
  const auto now = std::chrono::steady_clock::now();
  const auto contexts = process().contexts.all();
  if (!QueueGroup::wait_idle_everywhere(now + 1s)) {
    for (const auto& context : contexts) context->queues().cancel();
    QueueGroup::wait_idle_everywhere(now + 2s);
  }
  if (reports()) return;  // who started this process tells them
  for (const auto& context : contexts) print_findings(context->take_findings());
}

uint32_t default_checks() {
  const char* text = std::getenv("MINITORCH_CHECKS");
  const std::string_view wanted = text == nullptr ? "" : text;
  if (wanted == "memory") return 0;
  return wanted == "full" ? uint32_t{MtCheck_All} : uint32_t{MtCheck_UninitGlobal};
}

/// MINITORCH_TOLERATE: names of kinds, which are then only listed.
uint64_t default_tolerated() {
  const char* text = std::getenv("MINITORCH_TOLERATE");
  const std::string given = "," + std::string(text == nullptr ? "" : text) + ",";
  uint64_t kinds = 0;
  for (const MtFindingKind kind : {MtFinding_BarrierDivergence, MtFinding_WarpSync}) {
    const std::string name = "," + std::string(findings::kind_name(kind)) + ",";
    if (given.find(name) != std::string::npos) kinds |= uint64_t{1} << kind;
  }
  return kinds;
}

uint64_t next_thread_serial() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1);
}

}  // namespace

Process::Process(const base::CardProfile& profile) : device(profile) {
  for (size_t kind = 0; kind < kPoolKinds; ++kind) {
    const auto handle = reinterpret_cast<CUmemoryPool>(new_handle_value());
    default_pools[kind] =
        std::make_shared<Pool>(handle, static_cast<PoolKind>(kind), 0);
    pools.insert_as(handle, default_pools[kind]);
  }
  current_pools = default_pools;
}

ThreadState::ThreadState() : serial(next_thread_serial()) {
  options.checks = default_checks();
  options.tolerated = default_tolerated();
  options.budget = base::starting_budget();
  options.time_limit = base::starting_time_limit();
  if ((options.checks & MtCheck_Race) != 0) begin_order();
}

ThreadState::~ThreadState() {
  if (phase.load() != Phase::Running) return;
  for (const auto& context : process().contexts.all()) context->thread_gone(serial);
}

namespace {

thread_local ThreadState* state_of_thread = nullptr;

/// Ends a thread's state with the thread; the main thread's stays for calls at exit,
/// which come after its thread_local objects are gone.
struct ThreadEnd {
  ~ThreadEnd() {
    if (gettid() == getpid()) return;
    delete std::exchange(state_of_thread, nullptr);
  }
};

}  // namespace

ThreadState& thread_state() {
  if (state_of_thread == nullptr) {
    state_of_thread = new ThreadState;
    thread_local const ThreadEnd end;
    (void)end;
  }
  return *state_of_thread;
}

CUresult initialise() {
  static std::mutex mutex;
  if (phase.load() == Phase::Forked) return CUDA_ERROR_NOT_INITIALIZED;
  if (phase.load() == Phase::Ended) return CUDA_ERROR_DEINITIALIZED;
  std::lock_guard lock(mutex);
  if (phase.load() == Phase::Running) return CUDA_SUCCESS;
  const base::CardProfile* profile = chosen_profile();
  if (profile == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  the_process.store(new Process(*profile));
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  std::atexit(end_process);
  phase.store(Phase::Running);
  return CUDA_SUCCESS;
}

CUresult gate(bool needs_initialised) {
  switch (phase.load()) {
    case Phase::Running:
      break;
    case Phase::Forked:
      return CUDA_ERROR_NOT_INITIALIZED;
    case Phase::Ended:
      return CUDA_ERROR_DEINITIALIZED;
    case Phase::New:
      if (needs_initialised) return CUDA_ERROR_NOT_INITIALIZED;
      break;
  }
  return CUDA_SUCCESS;
}

Process& process() { return *the_process.load(); }

CUresult guarded_call(bool needs_initialised, CUresult (*body)(void*),
                      void* arguments) {
  const CUresult closed = gate(needs_initialised);
  if (closed != CUDA_SUCCESS) return closed;
  ThreadState& thread = thread_state();
  if (thread.in_callback) return CUDA_ERROR_NOT_PERMITTED;
  CUresult result = CUDA_SUCCESS;
  std::string message;
  try {
    result = body(arguments);
  } catch (Failure& failure) {
    result = failure.result;
    message = std::move(failure.message);
  } catch (const std::bad_alloc&) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::system_error& error) {
    result = CUDA_ERROR_OPERATING_SYSTEM;
    message = error.what();
  } catch (const std::exception& error) {
    result = CUDA_ERROR_UNKNOWN;
    message = error.what();
  }
  if (result != CUDA_SUCCESS) thread.message = std::move(message);
  return result;
}

void check_device(CUdevice device) {
  require(device == 0, CUDA_ERROR_INVALID_DEVICE, "got device ", device,
          "; need 0: one card is emulated.");
}

std::shared_ptr<Context> current_context_even_faulted() {
  const auto& stack = thread_state().contexts;
  require(!stack.empty() && stack.back() != nullptr, CUDA_ERROR_INVALID_CONTEXT,
          "got no current context; need cuCtxCreate or cuCtxSetCurrent first.");
  auto context = process().contexts.find(stack.back());
  require(context != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED,
          "the current context has been destroyed.");
  return context;
}

std::shared_ptr<Context> current_context() {
  auto context = current_context_even_faulted();
  require(context->call_result() == CUDA_SUCCESS, context->call_result(),
          "an earlier kernel failed in this context.");
  return context;
}

std::shared_ptr<Stream> stream_of(CUstream handle) {
  const auto special = reinterpret_cast<uintptr_t>(handle);
  if (special > 2) {
    auto stream = process().streams.find(handle);
    require(stream != nullptr, CUDA_ERROR_INVALID_HANDLE,
            "got a handle that is no "
            "live stream.");
    return stream;
  }
  const auto context = current_context_even_faulted();
  const bool own = handle == CU_STREAM_PER_THREAD ||
                   (handle == nullptr && thread_state().per_thread_default);
  return own ? context->thread_stream(thread_state().serial) : context->legacy_stream();
}

std::shared_ptr<Stream> usable_stream(CUstream handle) {
  auto stream = stream_of(handle);
  const CUresult told = stream->context->call_result();
  require(told == CUDA_SUCCESS, told, "an earlier kernel failed in this context.");
  return stream;
}

std::shared_ptr<Event> event_of(CUevent handle) {
  auto event = process().events.find(handle);
  require(event != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no live "
          "event.");
  return event;
}

std::shared_ptr<Function> function_of(CUfunction handle) {
  auto function = process().functions.find(handle);
  require(function != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no "
          "function of a loaded module.");
  return function;
}

std::shared_ptr<LoadedImage> module_of(CUmodule handle) {
  auto module = process().modules.find(handle);
  require(module != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no loaded "
          "module.");
  return module;
}

}  // namespace minitorch::libcuda
