// Owns the memory of a launch's marks, and their way into a footprint.
#include "emulator/observers/footprint_writer.h"

#include <sys/mman.h>

#include <algorithm>

namespace minitorch::emulator {
namespace {

constexpr uint64_t kChunkWords = 1024;  // looked at together when marks are collected
constexpr uint64_t kPage = 4096;

uint64_t used_end(const Memory& memory, const LaunchState& launch) {
  // A kernel's own malloc may go beyond what is allocated now.
  if (launch.entry().function->uses_calls) {
    return memory.arena_base() + memory.arena_size();
  }
  const auto& all = launch.table->all();
  return all.empty() ? memory.arena_base() : all.back().end();
}

}  // namespace

FootprintWriter::FootprintWriter(const LaunchState& launch) : launch_(launch) {
  const Memory& memory = *launch.launch->memory;
  origin_ = memory.arena_base();
  const uint64_t words = (used_end(memory, launch) - origin_ + 63) / 64;
  const uint64_t each = (words + kPage - 1) / kPage * kPage;
  mapped_ = kUses * each * (sizeof(uint64_t) + sizeof(uint32_t));
  void* const range = mapped_ == 0
                          ? MAP_FAILED
                          : mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return;
  memory_ = range;
  bytes_ = words * 64;
  auto* at = static_cast<uint8_t*>(range);
  for (Marks& marks : marks_) {
    marks.words = reinterpret_cast<uint64_t*>(at);
    at += each * sizeof(uint64_t);
    marks.access = reinterpret_cast<uint32_t*>(at);
    at += each * sizeof(uint32_t);
    marks.chunk_used.resize(words / kChunkWords + 1);
  }
  places_.resize(launch.program->access_count);
}

FootprintWriter::~FootprintWriter() {
  if (memory_ != nullptr) munmap(memory_, mapped_);
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

void FootprintWriter::collect(Marks& marks, Use use, uint64_t hidden,
                              Footprint& to) const {
  const auto table = launch_.launch->memory->table();
  std::sort(marks.chunks.begin(), marks.chunks.end());
  const uint64_t end = bytes_ / 64;
  const Allocation* in = nullptr;
  for (const uint32_t chunk : marks.chunks) {
    const uint64_t first = chunk * kChunkWords;
    for (uint64_t i = first; i < std::min(first + kChunkWords, end); ++i) {
      if (marks.words[i] == 0) continue;
      const uint64_t address = origin_ + i * 64;
      if (in == nullptr || address < in->base || address >= in->end()) {
        in = table->find(address);
      }
      const bool counts =
          in != nullptr && in->kind != Allocation::Kind::Heap && in->base != hidden;
      if (!counts) continue;
      if (!to.add_words(use, {address / 64, marks.words[i], 1, marks.access[i]}))
        return;
    }
  }
}

std::unique_ptr<Footprint> FootprintWriter::take(uint64_t hidden) {
  auto made = std::make_unique<Footprint>();
  made->module = launch_.launch->module->module;
  made->places = std::move(places_);
  for (size_t use = 0; use < kUses && bytes_ != 0; ++use) {
    collect(marks_[use], static_cast<Use>(use), hidden, *made);
  }
  return made;
}

}  // namespace minitorch::emulator
