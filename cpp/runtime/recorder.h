// Scopes, work, waits and memory of each thread, noted while a recording is open.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "runtime/record_log.h"

namespace minitorch::runtime {

/// What the open recordings want, all together. 0 where none is open: that is all that
/// a scope looks at then.
enum RecordSwitch : uint32_t {
  kRecordAny = 1u,
  kRecordShapes = 2u,
  kRecordStack = 4u,
  kRecordMemory = 8u,
  kRecordDevice = 16u,
};
inline std::atomic<uint32_t> record_switches{0};
inline bool is_recording() {
  return record_switches.load(std::memory_order_relaxed) != 0;
}

/// Who knows Python's frames. `take` numbers the present ones of this thread, all or
/// only the innermost of the learner; 0: there are none.
struct PlaceProvider {
  uint32_t (*take)(bool whole_stack) = nullptr;
};
void set_place_provider(PlaceProvider provider);
/// The number of the present place, for what is always told with its line; or 0.
uint32_t present_place();

/// A text that lives as long as the process, for names that are no literals.
const char* interned(const std::string& text);

/// A part of a thread's time, from here to the end of the C++ scope, while a recording
/// is open. `name` is a literal or interned.
class OpScope {
 public:
  explicit OpScope(const char* name,
                   std::initializer_list<const array::Array*> inputs = {},
                   std::source_location place = std::source_location::current()) {
    if (is_recording()) [[unlikely]]
      begin(ScopeKind::Op, name, {inputs.begin(), inputs.size()}, -1, place);
  }
  OpScope(const char* name, const std::vector<array::Array>& inputs,
          std::source_location place = std::source_location::current()) {
    if (is_recording()) [[unlikely]]
      begin_many(name, inputs, place);
  }
  /// A node on the way back, with the number that its forward step was given.
  OpScope(const char* name, int64_t sequence,
          std::source_location place = std::source_location::current()) {
    if (is_recording()) [[unlikely]]
      begin(ScopeKind::Backward, name, {}, sequence, place);
  }
  /// Tells what shape comes of it, where the inputs do not say it.
  void result(const array::Array& made) {
    if (record_) [[unlikely]]
      add_result(made);
  }
  ~OpScope() {
    if (record_) [[unlikely]]
      end();
  }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  void begin(ScopeKind kind, const char* name,
             std::span<const array::Array* const> inputs, int64_t sequence,
             const std::source_location& place);
  void begin_many(const char* name, const std::vector<array::Array>& inputs,
                  const std::source_location& place);
  void add_result(const array::Array& made);
  void end() noexcept;

  ScopeRecord* record_ = nullptr;
  uint64_t session_ = 0;
};

/// The same for scopes of Python, which end where `end_scope` is called as often.
void begin_scope(const char* name, ScopeKind kind, const char* detail);
void end_scope() noexcept;

/// A kernel's way onto the device, as a scope "load (map.cu)". Where NVRTC runs for it,
/// a scope "compile (map.cu)" lies within.
class LoadScope {
 public:
  explicit LoadScope(const std::string& file);
  ~LoadScope() { end_scope(); }
  LoadScope(const LoadScope&) = delete;
  LoadScope& operator=(const LoadScope&) = delete;
};

/// Numbers a step of a graph, and gives the number to the innermost scope of this
/// thread; -1 while nothing is recorded.
int64_t next_sequence();

/// Index of this thread's innermost scope, or -1; its log, or null where nothing is
/// recorded or there is no room for one more record.
struct LogPlace {
  ThreadLog* log = nullptr;
  int64_t scope = -1;
};
LogPlace log_place();
int64_t now_ns();

/// Used by `Wait`: one that ends now.
void record_wait(WaitReason reason, uint32_t place, int64_t begin) noexcept;

struct RecordingOptions {
  bool shapes = false, stack = false, memory = false, device = false;
  bool loops = false;  // of the host, as scopes
  uint64_t most_records = 1'000'000;
};

/// Used by Recording, which keeps `options` where they are: from now on they are asked.
/// Returns the time.
int64_t open_recording(const RecordingOptions& options);

/// What a recording finds when it ends.
struct EndedRecording {
  int64_t closed = 0;
  uint64_t dropped = 0;
  std::vector<std::shared_ptr<ThreadLog>> logs;
};
/// Ends one, once. In a child of fork() it has no records.
EndedRecording end_recording(const RecordingOptions& options);

}  // namespace minitorch::runtime
