#include "runtime/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/loop_watch.h"
#include "base/memory_watch.h"
#include "base/text.h"
#include "findings/sentences.h"
#include "nvrtc/compiler.h"

namespace minitorch::runtime {

namespace {

/// The time in which some recording is open.
struct RecordSession {
  uint64_t number = 0;
  std::shared_ptr<RecordBudget> budget = std::make_shared<RecordBudget>();
  std::vector<std::shared_ptr<ThreadLog>> logs;
};

struct OpenRecording {
  const RecordingOptions* options;
  uint64_t dropped;  // before it
};

struct Recorder {
  std::mutex mutex;
  std::shared_ptr<RecordSession> session;  // null: nothing is recorded
  std::vector<OpenRecording> open;
  uint64_t last_session = 0;

  static Recorder& all();
  void tell_switches();
};

std::atomic<uint64_t> session_number{0};  // of the present one; 0: none
std::atomic<int64_t> sequences{0};
std::atomic<uint32_t (*)(bool)> take_place{nullptr};

struct ThreadState {
  uint64_t session = 0;
  std::shared_ptr<ThreadLog> log;
  int64_t current = -1;
  ScopeRecord* loop = nullptr;  // of the host, if one runs
  // Of `begin_scope`, with the index of the scope around each.
  std::vector<std::pair<ScopeRecord*, int64_t>> begun;
};

/// Its destructor runs before those of other objects of the thread may tell of memory:
/// `ended` outlives it.
thread_local bool t_ended = false;
struct ThreadHolder {
  ThreadState state;
  ~ThreadHolder() { t_ended = true; }
};
thread_local ThreadHolder t_holder;

/// This thread's state in the present session; its log is null where there is none.
ThreadState* thread_state() {
  if (t_ended) return nullptr;
  ThreadState& state = t_holder.state;
  const uint64_t number = session_number.load(std::memory_order_acquire);
  if (state.session == number) return state.log ? &state : nullptr;
  Recorder& recorder = Recorder::all();
  const std::lock_guard lock(recorder.mutex);
  for (auto& begun : state.begun) begun.first = nullptr;
  state.current = -1;
  state.loop = nullptr;
  state.log = nullptr;
  state.session = recorder.session ? recorder.session->number : 0;
  if (!recorder.session) return nullptr;
  state.log = std::make_shared<ThreadLog>();
  state.log->thread = syscall(SYS_gettid);
  state.log->budget = recorder.session->budget;
  recorder.session->logs.push_back(state.log);
  return &state;
}

bool wants(uint32_t which) {
  return record_switches.load(std::memory_order_relaxed) & which;
}

bool is_op(ScopeKind kind) { return kind == ScopeKind::Op || kind == ScopeKind::Inner; }

/// What is known of a scope from the one around it.
struct Around {
  bool within_op = false, same = false;
  uint32_t place = 0;
};

Around around_of(const ThreadState& state, const char* name) {
  if (state.current < 0) return {};
  const ScopeRecord& parent = state.log->scopes.at(static_cast<size_t>(state.current));
  const bool op = is_op(parent.kind);
  // An op that Python began has no file: what it calls has Python lines of its own.
  const bool within = op && *parent.file != '\0';
  return {within, op && std::strcmp(parent.name, name) == 0, within ? parent.place : 0};
}

/// The Python line of an outermost op; ops within it stand at the same one. Python may
/// run meanwhile, and open and close recordings.
uint32_t place_of(const Around& around) {
  if (!wants(kRecordShapes | kRecordStack)) return 0;
  if (around.within_op) return around.place;
  const auto take = take_place.load();
  return take ? take(wants(kRecordStack)) : 0;
}

ScopeRecord* push_scope(ThreadState& state, const ScopeRecord& wanted) {
  ThreadLog& log = *state.log;
  if (!log.budget->take()) return nullptr;
  ScopeRecord* const made = log.scopes.push(
      wanted.name, wanted.detail, wanted.file, wanted.line, wanted.kind, state.current,
      wanted.place, wanted.input_count, wanted.first_input, now_ns());
  if (!made) return nullptr;
  if (wanted.kind == ScopeKind::Backward) made->sequence = wanted.sequence.load();
  state.current = static_cast<int64_t>(log.scopes.size()) - 1;
  return made;
}

void record_memory(const base::MemoryChange& change) noexcept {
  try {
    const LogPlace at = log_place();
    if (!at.log) return;
    at.log->memory.push(change.address, change.bytes, change.on_device,
                        change.allocated, change.reserved, now_ns(), at.scope);
  } catch (const std::bad_alloc&) {
    // What cannot be kept is not recorded.
  }
}

/// A loop that an op of this thread begins. Loops within it, and those of the pool's
/// workers, are part of it.
bool begin_loop(const char* name, std::source_location place) noexcept {
  try {
    ThreadState* const state = thread_state();
    if (!state || state->current < 0) return false;
    const size_t around = static_cast<size_t>(state->current);
    const ScopeRecord& op = state->log->scopes.at(around);
    if (!is_op(op.kind)) return false;
    ScopeRecord wanted;
    wanted.name = name;
    wanted.file = place.file_name();
    wanted.line = place.line();
    wanted.kind = ScopeKind::Loop;
    wanted.place = op.place;
    state->loop = push_scope(*state, wanted);
    return state->loop != nullptr;
  } catch (const std::bad_alloc&) {
    return false;  // what cannot be kept is not recorded
  }
}

void end_loop() noexcept {
  if (t_ended || !t_holder.state.loop) return;
  ThreadState& state = t_holder.state;
  state.loop->end.store(now_ns(), std::memory_order_relaxed);
  state.current = state.loop->parent;
  state.loop = nullptr;
}

constexpr base::LoopWatch kLoopWatch{&begin_loop, &end_loop};

void begin_build(const char* what, const std::string& file) {
  const bool wanted = is_recording();
  const std::string name =
      wanted ? base::text(what, " (", findings::short_file(file), ")") : "";
  begin_scope(wanted ? interned(name) : "", ScopeKind::Compile, "");
}

constexpr nvrtc::CompileWatch kCompileWatch{
    [](const std::string& file) { begin_build("compile", file); },
    &end_scope,
};

}  // namespace

Recorder& Recorder::all() {
  static Recorder* const made = [] {
    // A child of fork() finds no lock held by a thread that it lacks, and no recording.
    pthread_atfork([] { all().mutex.lock(); }, [] { all().mutex.unlock(); },
                   [] {
                     Recorder& recorder = all();
                     recorder.session = nullptr;
                     recorder.open.clear();
                     recorder.tell_switches();
                     recorder.mutex.unlock();
                   });
    return new Recorder;
  }();
  return *made;
}

void Recorder::tell_switches() {
  uint32_t wanted = 0;
  bool loops = false;
  for (const auto& [options, _] : open) {
    loops |= options->loops;
    wanted |= kRecordAny | (options->shapes ? kRecordShapes : 0u) |
              (options->stack ? kRecordStack : 0u) |
              (options->memory ? kRecordMemory : 0u) |
              (options->device ? kRecordDevice : 0u);
  }
  session_number = session ? session->number : 0;
  record_switches = wanted;
  base::memory_watch = wanted & kRecordMemory ? &record_memory : nullptr;
  nvrtc::compile_watch = wanted ? &kCompileWatch : nullptr;
  base::loop_watch = loops ? &kLoopWatch : nullptr;
}

int64_t open_recording(const RecordingOptions& options) {
  Recorder& recorder = Recorder::all();
  const std::lock_guard lock(recorder.mutex);
  std::shared_ptr<RecordSession>& session = recorder.session;
  if (!session) {
    session = std::make_shared<RecordSession>();
    session->number = ++recorder.last_session;
  }
  RecordBudget& budget = *session->budget;
  const uint64_t limit =
      budget.used + std::min(options.most_records, uint64_t{UINT64_MAX / 2});
  budget.limit = std::max(budget.limit.load(), limit);
  recorder.open.push_back({&options, budget.dropped});
  const int64_t opened = now_ns();
  recorder.tell_switches();
  return opened;
}

EndedRecording end_recording(const RecordingOptions& options) {
  EndedRecording ended;
  ended.closed = now_ns();
  Recorder& recorder = Recorder::all();
  {
    const std::lock_guard lock(recorder.mutex);
    std::vector<OpenRecording>& open = recorder.open;
    const auto found = std::find_if(open.begin(), open.end(), [&](const auto& each) {
      return each.options == &options;
    });
    if (found == open.end()) return ended;
    ended.dropped = recorder.session->budget->dropped - found->dropped;
    ended.logs = recorder.session->logs;
    open.erase(found);
    if (open.empty()) recorder.session = nullptr;
    recorder.tell_switches();
  }
  // The thread that ends the last recording lets go of what it wrote.
  if (!is_recording()) thread_state();
  return ended;
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void set_place_provider(PlaceProvider provider) { take_place = provider.take; }

uint32_t present_place() {
  const auto take = take_place.load();
  return take && is_recording() ? take(wants(kRecordStack)) : 0;
}

const char* interned(const std::string& text) {
  static auto* const mutex = new std::mutex;
  static auto* const texts = new std::unordered_set<std::string>;
  const std::lock_guard lock(*mutex);
  return texts->insert(text).first->c_str();  // nodes of the set stay where they are
}

LogPlace log_place() {
  if (!is_recording()) return {};
  ThreadState* const state = thread_state();
  if (!state || !state->log->budget->take()) return {};
  return {state->log.get(), state->current};
}

void OpScope::begin(ScopeKind kind, const char* name,
                    std::span<const array::Array* const> inputs, int64_t sequence,
                    const std::source_location& place) {
  ThreadState* state = thread_state();
  if (!state) return;
  const Around around = around_of(*state, name);
  ScopeRecord wanted;
  wanted.name = name;
  wanted.file = place.file_name();
  wanted.line = place.line();
  wanted.kind = kind == ScopeKind::Op && around.same ? ScopeKind::Inner : kind;
  wanted.sequence = sequence;
  if (is_op(kind)) wanted.place = place_of(around);
  state = thread_state();
  if (!state) return;
  ThreadLog& log = *state->log;
  wanted.first_input = log.inputs.size();
  if (wants(kRecordShapes)) {
    for (const array::Array* input : inputs)
      if (input && input->defined() && log.inputs.push(input->dtype(), input->shape()))
        ++wanted.input_count;
  }
  session_ = state->session;
  record_ = push_scope(*state, wanted);
}

void OpScope::begin_many(const char* name, const std::vector<array::Array>& inputs,
                         const std::source_location& place) {
  std::vector<const array::Array*> each;
  for (const array::Array& input : inputs) each.push_back(&input);
  begin(ScopeKind::Op, name, each, -1, place);
}

void OpScope::add_result(const array::Array& made) {
  if (t_ended || !wants(kRecordShapes)) return;
  const ThreadState& state = t_holder.state;
  if (state.session != session_) return;  // its log may be gone
  ThreadLog& log = *state.log;
  if (!log.inputs.push(made.dtype(), made.shape())) return;
  const size_t place = log.inputs.size();
  record_->output = place;
  // An op of the same name around it is the same call.
  if (record_->kind == ScopeKind::Inner) {
    log.scopes.at(static_cast<size_t>(record_->parent)).output = place;
  }
}

void OpScope::end() noexcept {
  if (t_ended) return;
  ThreadState& state = t_holder.state;
  if (state.session != session_) return;  // its log may be gone
  record_->end.store(now_ns(), std::memory_order_relaxed);
  state.current = record_->parent;
}

void record_wait(WaitReason reason, uint32_t place, int64_t begin) noexcept {
  try {
    const LogPlace at = log_place();
    if (at.log) at.log->waits.push(reason, place, at.scope, begin, now_ns());
  } catch (const std::bad_alloc&) {
    // What cannot be kept is not recorded.
  }
}

void begin_scope(const char* name, ScopeKind kind, const char* detail) {
  if (t_ended) return;
  ScopeRecord* made = nullptr;
  int64_t around = -1;
  if (is_recording()) {
    ScopeRecord wanted;
    wanted.name = name;
    wanted.detail = detail;
    wanted.kind = kind;
    if (kind == ScopeKind::User || kind == ScopeKind::Op) wanted.place = place_of({});
    if (ThreadState* const state = thread_state()) {
      around = state->current;
      made = push_scope(*state, wanted);
    }
  }
  t_holder.state.begun.emplace_back(made, around);
}

void end_scope() noexcept {
  if (t_ended) return;
  ThreadState& state = t_holder.state;
  if (state.begun.empty()) return;
  const auto [record, around] = state.begun.back();
  state.begun.pop_back();
  if (!record) return;
  record->end.store(now_ns(), std::memory_order_relaxed);
  state.current = around;
}

LoadScope::LoadScope(const std::string& file) { begin_build("load", file); }

int64_t next_sequence() {
  if (!is_recording()) return -1;
  ThreadState* const state = thread_state();
  if (!state) return -1;
  const int64_t number = sequences.fetch_add(1, std::memory_order_relaxed);
  if (state->current >= 0)
    state->log->scopes.at(static_cast<size_t>(state->current)).sequence = number;
  return number;
}

}  // namespace minitorch::runtime
