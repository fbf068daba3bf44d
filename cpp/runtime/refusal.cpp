#include "runtime/refusal.h"

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "cuda_client/host_memory.h"

namespace minitorch::runtime {
namespace {

using cuda_client::HostMemory;

constexpr uint32_t kWhole = 2;  // the state of a note that is written to its end

struct Rule {
  std::string where;
  RefusalWords words;
};

/// The note of a device, in the context of one generation.
struct Note {
  std::unique_ptr<HostMemory> memory;
  unsigned generation = 0;
};

struct State {
  std::mutex mutex;
  std::vector<std::unique_ptr<Rule>> rules;
  std::map<Device*, Note> notes;
};

State& state() {
  static State* const made = new State;  // the end of the process clears its memory
  return *made;
}

/// The note of a device that has one in its present context, else null.
Refusal* known_note(State& s, Device& device) {
  const auto found = s.notes.find(&device);
  if (found == s.notes.end() || found->second.generation != device.generation())
    return nullptr;
  return static_cast<Refusal*>(found->second.memory->data());
}

/// Takes a whole note; false where there is none.
bool take(Device& device, Refusal& out) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  Refusal* note = known_note(s, device);
  if (!note) return false;
  std::atomic_ref<uint32_t> written(note->state);
  if (written.load(std::memory_order_acquire) != kWhole) return false;
  out = *note;
  written.store(0, std::memory_order_release);
  return true;
}

}  // namespace

uint32_t refusal_rule(const char* where, RefusalWords words) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  for (size_t i = 0; i < s.rules.size(); ++i) {
    if (s.rules[i]->words == words && s.rules[i]->where == where)
      return static_cast<uint32_t>(i);
  }
  s.rules.push_back(std::make_unique<Rule>(Rule{where, words}));
  return static_cast<uint32_t>(s.rules.size() - 1);
}

CUdeviceptr refusal_note(Device& device) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!known_note(s, device)) {
    Note note{std::make_unique<HostMemory>(device.shared_api(), sizeof(Refusal),
                                           HostMemory::Kind::PageLocked),
              device.generation()};
    new (note.memory->data()) Refusal{};
    s.notes[&device] = std::move(note);
  }
  return s.notes[&device].memory->pointer();
}

void raise_refusal(Device& device) {
  Refusal refusal{};
  if (!take(device, refusal)) return;
  const Rule* rule = nullptr;
  {
    const std::lock_guard lock(state().mutex);
    if (refusal.rule < state().rules.size()) rule = state().rules[refusal.rule].get();
  }
  if (rule) rule->words(rule->where.c_str(), refusal);
}

void forget_refusal(Device& device) {
  Refusal refusal{};
  take(device, refusal);
}

}  // namespace minitorch::runtime
