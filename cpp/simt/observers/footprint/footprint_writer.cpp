#include "simt/observers/footprint/footprint_writer.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "simt/memory/lazy_pages.h"
#include "simt/run/replay.h"

namespace minitorch::simt {
namespace {

constexpr uint64_t kChunkWords = 1024;  // looked at together when marks are collected

/// Memory of marks, all zero but for FootprintWriter::Marks::access.
struct Room {
  void* memory = nullptr;
  uint64_t bytes = 0;
};

std::mutex spare_mutex;
Room spare;  // of the launch before: fresh pages would cost more than marking them

Room take_room(uint64_t bytes) {
  {
    const std::lock_guard lock(spare_mutex);
    if (spare.bytes >= bytes) return std::exchange(spare, Room{});
  }
  return Room{map_lazily(bytes, "the search for races with copies"), bytes};
}

void give_room(Room room) {
  {
    const std::lock_guard lock(spare_mutex);
    if (room.bytes > spare.bytes) std::swap(room, spare);
  }
  if (room.memory != nullptr) munmap(room.memory, room.bytes);
}

constexpr uint64_t kWordBytes = kUses * (sizeof(uint64_t) + sizeof(uint32_t));

}  // namespace

const ObserverRow kFootprintRow = {
    kFootprintCheck, true,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<FootprintWriter>(launch);
    },
    nullptr};

FootprintWriter::FootprintWriter(const LaunchState& launch) : launch_(launch) {
  const Memory& memory = *launch.launch->memory;
  origin_ = memory.arena_base();
  const uint64_t words = (launch.used_end(memory) - origin_ + 63) / 64;
  if (words == 0) return;
  const Room room = take_room((words + kPage - 1) / kPage * kPage * kWordBytes);
  memory_ = room.memory;
  mapped_ = room.bytes;
  const uint64_t each = room.bytes / kWordBytes;
  bytes_ = words * 64;
  auto* at = static_cast<uint8_t*>(memory_);
  for (Marks& marks : marks_) {
    marks.words = reinterpret_cast<uint64_t*>(at);
    at += each * sizeof(uint64_t);
    marks.access = reinterpret_cast<uint32_t*>(at);
    at += each * sizeof(uint32_t);
    marks.chunk_used.resize(words / kChunkWords + 1);
  }
  places_.resize(launch.program->access_count);
  whole_.resize(launch.program->access_count);
}

FootprintWriter::~FootprintWriter() {
  for (const Marks& marks : marks_) {
    for (const uint32_t chunk : marks.chunks) {
      uint64_t* const words = marks.words + chunk * kChunkWords;
      std::fill_n(words, kChunkWords, uint64_t{0});
    }
  }
  give_room({memory_, mapped_});
}

void FootprintWriter::open_word(Marks& marks, uint64_t word, uint32_t access,
                                Footprint::Place place) {
  marks.access[word] = access;
  places_[access] = place;
  const uint64_t chunk = word / kChunkWords;
  if (marks.chunk_used[chunk]) return;
  marks.chunk_used[chunk] = true;
  marks.chunks.push_back(static_cast<uint32_t>(chunk));
}

void FootprintWriter::mark_many(Marks& marks, uint64_t at, uint64_t size,
                                uint32_t access, Footprint::Place place) {
  for (const uint64_t end = at + size; at < end;) {
    const uint64_t shift = at % 64, part = std::min(end - at, 64 - shift);
    uint64_t& word = marks.words[at / 64];
    if (word == 0) open_word(marks, at / 64, access, place);
    word |= (~uint64_t{0} >> (64 - part)) << shift;
    at += part;
  }
}

bool FootprintWriter::is_marked(Use use, uint64_t low, uint64_t high) const {
  low -= origin_;
  high -= origin_;
  if (low >= high || high > bytes_ || low % 64 != 0) return false;
  const uint64_t* const words = marks_[static_cast<size_t>(use)].words;
  uint64_t all = ~uint64_t{0};
  for (uint64_t i = low / 64; i < high / 64; ++i) all &= words[i];
  const uint64_t rest = high % 64;
  if (rest != 0) all &= words[high / 64] | ~uint64_t{0} << rest;
  return all == ~uint64_t{0};
}

void FootprintWriter::collect(Marks& marks, Use use, Footprint& to) const {
  const uint64_t hidden = launch_.launch->grid_workspace;
  const auto table = launch_.launch->memory->table();
  std::sort(marks.chunks.begin(), marks.chunks.end());
  const uint64_t end = bytes_ / 64;
  const Allocation* in = nullptr;
  for (const uint32_t chunk : marks.chunks) {
    const uint64_t first = chunk * kChunkWords;
    const uint64_t last = std::min(first + kChunkWords, end);
    for (uint64_t i = first; i < last; ++i) {
      if (marks.words[i] == 0) continue;
      const uint64_t address = origin_ + i * 64;
      if (in == nullptr || address < in->base || address >= in->end()) {
        in = table->find(address);
      }
      const bool counts =
          in != nullptr && in->kind != Allocation::Kind::Heap && in->base != hidden;
      if (!counts) continue;
      WordRun run = {address / 64, marks.words[i], 1, marks.access[i]};
      while (i + 1 < last && marks.words[i + 1] == run.bits &&
             marks.access[i + 1] == run.place && address + 64 * run.count < in->end()) {
        ++run.count;
        ++i;
      }
      if (!to.add_words(use, run)) return;
    }
  }
}

ReplayPolicy FootprintWriter::learn(const Replay& replay) {
  return replay.has_no_gaps() ? ReplayPolicy::Told : ReplayPolicy::Never;
}

/// What the probes would have seen of the whole block.
void FootprintWriter::replay_block(const Replay& replay) {
  const FunctionCode& code = launch_.entry();
  const uint32_t first = launch_.program->access_base[code.index];
  replay.each_touched(
      [&](const ReplayPlan::Access& access, uint64_t address, uint64_t size) {
        mark(access.store ? Use::Write : Use::Read, address, size,
             first + access.number, {code.index, access.instruction});
      });
}

void FootprintWriter::give(Outcome& outcome) {
  auto made = std::make_shared<Footprint>();
  made->module = launch_.launch->module->module;
  made->places = std::move(places_);
  for (size_t use = 0; use < kUses && bytes_ != 0; ++use) {
    collect(marks_[use], static_cast<Use>(use), *made);
  }
  outcome.footprint = std::move(made);
}

}  // namespace minitorch::simt
