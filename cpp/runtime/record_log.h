// What a recording keeps of one thread: rows in chunks, which that thread appends and
// any other may read meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "array/array.h"
#include "base/dim3.h"
#include "runtime/wait_reason.h"

namespace minitorch::runtime {

/// Rows of one writer. A row stays where it is; readers see those that were pushed.
template <class Row>
class ChunkList {
 public:
  ChunkList() = default;
  ~ChunkList() {
    for (size_t i = 0; i < count_.load(std::memory_order_relaxed); ++i) at(i).~Row();
    for (std::atomic<Block*>& block : blocks_) delete block.load();
  }
  ChunkList(const ChunkList&) = delete;
  ChunkList& operator=(const ChunkList&) = delete;

  /// The row, or null where there is no room for more.
  template <class... Values>
  Row* push(Values&&... values) {
    const size_t at = count_.load(std::memory_order_relaxed);
    if (at / kChunk / kChunks >= kBlocks) return nullptr;
    std::atomic<Block*>& block = blocks_[at / kChunk / kChunks];
    if (!block.load(std::memory_order_relaxed)) block.store(new Block);
    std::unique_ptr<Chunk>& chunk = block.load()->chunks[at / kChunk % kChunks];
    if (!chunk) chunk = std::make_unique_for_overwrite<Chunk>();
    Row* row = new (chunk->place(at % kChunk)) Row{std::forward<Values>(values)...};
    count_.store(at + 1, std::memory_order_release);
    return row;
  }
  size_t size() const { return count_.load(std::memory_order_acquire); }
  Row& at(size_t i) const {
    return *std::launder(reinterpret_cast<Row*>(
        blocks_[i / kChunk / kChunks].load()->chunks[i / kChunk % kChunks]->place(
            i % kChunk)));
  }

 private:
  static constexpr size_t kChunk = 256, kChunks = 256, kBlocks = 256;
  struct Chunk {
    alignas(Row) std::byte bytes[kChunk * sizeof(Row)];
    void* place(size_t i) { return bytes + i * sizeof(Row); }
  };
  struct Block {
    std::unique_ptr<Chunk> chunks[kChunks];
  };
  std::atomic<size_t> count_{0};
  std::atomic<Block*> blocks_[kBlocks] = {};
};

/// Op: a function of cpp/ops or cpp/autograd. Inner: one that stands directly within an
/// op of the same name, and is the same call one room further down. Backward: a node
/// of a graph on the way back. Loop: a function of cpp/cpu that an op calls. Compile: a
/// kernel that is compiled or loaded.
enum class ScopeKind : uint8_t {
  Op,
  Inner,
  Backward,
  Module,
  User,
  Step,
  Loop,
  Compile
};
enum class WorkKind : uint8_t { Kernel, Copy, Fill, EventWait, Graph };
enum class Direction : uint8_t { None, HostToDevice, DeviceToHost, OnDevice, OnHost };

/// A tensor that an op was given.
struct InputRecord {
  array::Dtype dtype;
  array::Shape shape;
};

/// Texts are literals or interned. Times are nanoseconds of std::chrono::steady_clock.
struct ScopeRecord {
  const char *name = "", *detail = "";
  const char* file = "";  // of the C++ function; "" for what began in Python
  uint32_t line = 0;
  ScopeKind kind = ScopeKind::Op;
  int64_t parent = -1;  // index in this thread's scopes, or -1
  uint32_t place = 0;   // the Python line, or 0
  uint32_t input_count = 0;
  size_t first_input = 0;  // in this thread's inputs
  int64_t begin = 0;
  std::atomic<int64_t> end{0};  // 0: has not ended
  std::atomic<int64_t> sequence{
      -1};                        // of the node that was recorded or is gone through
  std::atomic<size_t> output{0};  // in this thread's inputs, from 1; 0: not told
};

/// What a kernel is called, and how it was made.
struct KernelFacts {
  std::string name, file, entry;
  std::string spec, source;  // "" for a kernel of the user
  std::vector<std::string> options;
  uint32_t static_shared = 0, registers = 0;
};

/// An array among a launch's arguments.
struct ArrayNote {
  uint32_t parameter = 0;  // which one
  const char* name = "";   // "" where only the kernel's signature knows it
  uint64_t address = 0;
  bool known = false;  // are shape, strides and dtype?
  array::Dtype dtype = array::Dtype::Float32;
  array::Shape shape;
  array::Strides strides;  // in elements
  uint64_t bytes = 0;
};

struct WorkRecord {
  uint64_t number = 0;
  WorkKind kind = WorkKind::Kernel;
  const char* name = "";
  std::shared_ptr<const KernelFacts> facts;  // of a kernel
  base::Dim3 grid, block;
  uint32_t dynamic_shared = 0;
  bool library = false;
  uint64_t stream = 0;
  uint64_t bytes = 0;
  Direction direction = Direction::None;
  bool pinned = false;
  uint64_t tag = 0;    // of a launch's Python line
  uint32_t place = 0;  // of any other work's
  int64_t scope = -1;
  int64_t host_begin = 0, host_end = 0;
  size_t first_array = 0;
  uint32_t array_count = 0;
};

struct WaitRecord {
  WaitReason reason;
  uint32_t place;
  int64_t scope;
  int64_t begin, end;
};

struct MemoryRecord {
  uint64_t address;
  int64_t bytes;
  bool on_device;
  uint64_t allocated, reserved;
  int64_t time, scope;
};

/// How many records there may be, and were.
struct RecordBudget {
  std::atomic<uint64_t> used{0}, limit{0}, dropped{0};
  /// Counts one more record; false where there is no room for it.
  bool take() {
    if (used.fetch_add(1, std::memory_order_relaxed) <
        limit.load(std::memory_order_relaxed))
      return true;
    used.fetch_sub(1, std::memory_order_relaxed);
    dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
};

/// All of one thread, while recordings are open.
struct ThreadLog {
  int64_t thread = 0;  // the system's number of it
  std::shared_ptr<RecordBudget> budget;
  ChunkList<ScopeRecord> scopes;
  ChunkList<InputRecord> inputs;
  ChunkList<WorkRecord> works;
  ChunkList<ArrayNote> arrays;
  ChunkList<WaitRecord> waits;
  ChunkList<MemoryRecord> memory;
};

}  // namespace minitorch::runtime
