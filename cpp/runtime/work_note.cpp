#include "runtime/work_note.h"

#include <cstring>
#include <utility>

#include "runtime/capture.h"
#include "runtime/signature.h"

namespace minitorch::runtime {
namespace {

std::atomic<uint64_t> works_made{0};

const char* default_name(WorkKind kind) {
  switch (kind) {
    case WorkKind::Copy:
      return "copy";
    case WorkKind::Fill:
      return "fill";
    case WorkKind::EventWait:
      return "event_wait";
    case WorkKind::Graph:
      return "graph";
    default:
      return "kernel";
  }
}

/// What is known of an array of which only the address was given.
ArrayNote by_address(Device& device, const PackedArguments& arguments,
                     const ArrayPlace& place) {
  ArrayNote note;
  while (note.parameter + 1 < arguments.offsets.size() &&
         arguments.offsets[note.parameter + 1] <= place.offset)
    ++note.parameter;
  if (*place.parameter != '\0') note.name = interned(place.parameter);
  CUdeviceptr pointer = 0, base = 0;
  std::memcpy(&pointer, arguments.bytes.data() + place.offset, sizeof pointer);
  note.address = pointer;
  size_t bytes = 0;
  if (device.allocator()->find(pointer, &base, &bytes))
    note.bytes = bytes - (pointer - base);
  return note;
}

}  // namespace

struct WorkNote::State {
  State(Device& device, CUstream stream, uint64_t number)
      : device(device), timed(device, stream, number) {
    record.number = number;
  }
  Device& device;
  WorkRecord record;
  std::vector<ArrayNote> arrays;
  TimedWork timed;
};

WorkNote::~WorkNote() = default;

WorkNote::WorkNote(Device& device, CUstream stream, WorkKind kind, uint64_t number) {
  if (!is_recording() || capturing()) return;  // what is captured does not run
  state_ = std::make_unique<State>(device, stream, number);
  WorkRecord& record = state_->record;
  record.kind = kind;
  record.name = default_name(kind);
  record.stream = reinterpret_cast<uintptr_t>(stream);
  if (kind != WorkKind::Kernel) record.place = present_place();
  if (device.emulated()) device.api().inspect_set_correlation(number);
  record.host_begin = now_ns();
}

void WorkNote::launches(const Kernel& kernel, const LaunchConfig& config,
                        const PackedArguments& arguments, uint64_t tag) {
  if (!state_) return;
  WorkRecord& record = state_->record;
  record.facts = kernel.facts;
  record.grid = config.grid;
  record.block = config.block;
  record.dynamic_shared = config.dynamic_shared;
  record.library = !kernel.user;
  record.tag = tag;
  state_->arrays.assign(arguments.notes.begin(), arguments.notes.end());
  if (!state_->arrays.empty()) return;
  for (const ArrayPlace& place : arguments.arrays)
    state_->arrays.push_back(by_address(state_->device, arguments, place));
}

void WorkNote::moves(uint64_t bytes, Direction direction, bool pinned) {
  if (!state_) return;
  state_->record.bytes = bytes;
  state_->record.direction = direction;
  state_->record.pinned = pinned;
}

void WorkNote::call_it(const char* name) {
  if (state_) state_->record.name = name;
}

void WorkNote::queued() {
  if (!state_) return;
  WorkRecord& record = state_->record;
  record.host_end = now_ns();
  state_->timed.queued();
  const LogPlace at = log_place();
  if (!at.log) return;
  record.scope = at.scope;
  record.first_array = at.log->arrays.size();
  for (ArrayNote& note : state_->arrays)
    if (at.log->arrays.push(std::move(note))) ++record.array_count;
  at.log->works.push(std::move(record));
}

uint64_t next_work() { return works_made.fetch_add(1, std::memory_order_relaxed) + 1; }

void hold_stream(Device& device, CUstream stream, const cuda_client::Event& event) {
  WorkNote note(device, stream, WorkKind::EventWait);
  event.hold(stream);
  note.queued();
}

std::vector<std::string> parameter_names(const KernelFacts& kernel) {
  std::vector<std::string> names;
  if (kernel.source.empty()) return names;
  for (ParameterInfo& each : parse_signature(kernel.source, kernel.entry).parameters)
    names.push_back(std::move(each.name));
  return names;
}

}  // namespace minitorch::runtime
