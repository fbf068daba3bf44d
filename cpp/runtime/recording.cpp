#include "runtime/recording.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "runtime/work_times.h"

namespace minitorch::runtime {

std::shared_ptr<Recording> Recording::open(const RecordingOptions& options) {
  if (options.most_records == 0)
    throw base::ValueError("recording", "got 0 records to keep; need at least 1.");
  std::shared_ptr<Recording> made(new Recording(options));
  made->opened_ = open_recording(made->options_);
  return made;
}

Recording::~Recording() {
  if (!ended_.exchange(true)) end_recording(options_);
}

bool Recording::closed() const { return closed_ != 0; }

void Recording::close() {
  if (ended_.exchange(true)) return;
  EndedRecording ended = end_recording(options_);
  closed_ = ended.closed;
  dropped_ = ended.dropped;
  logs_ = std::move(ended.logs);
  try {
    wait_for_recorded_work();
  } catch (...) {
    harvest();  // Ctrl-C: what is known is told
    throw;
  }
  harvest();
  if (!is_recording()) end_work_times();
}

namespace {

template <class Record>
int64_t beginning(const Record& record) {
  if constexpr (std::is_same_v<Record, WorkRecord>) {
    return record.host_begin;
  } else if constexpr (std::is_same_v<Record, MemoryRecord>) {
    return record.time;
  } else {
    return record.begin;
  }
}

/// The rows of one kind that began within the recording, by their beginning.
template <class Record>
std::vector<Recording::Row<Record>> rows_of(
    const std::vector<std::shared_ptr<ThreadLog>>& logs,
    ChunkList<Record> ThreadLog::*list, int64_t from, int64_t to) {
  std::vector<Recording::Row<Record>> rows;
  for (const auto& log : logs) {
    const ChunkList<Record>& records = (*log).*list;
    for (size_t i = 0, count = records.size(); i < count; ++i) {
      const Record& record = records.at(i);
      const int64_t begin = beginning(record);
      if (begin >= from && begin <= to) rows.push_back({log.get(), &record, -1});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return beginning(*a.record) < beginning(*b.record);
  });
  return rows;
}

}  // namespace

void Recording::harvest() {
  scopes_ = rows_of(logs_, &ThreadLog::scopes, opened_, closed_);
  if (!options_.loops) {
    std::erase_if(scopes_, [](const Row<ScopeRecord>& row) {
      return row.record->kind == ScopeKind::Loop;
    });
  }
  works_ = rows_of(logs_, &ThreadLog::works, opened_, closed_);
  waits_ = rows_of(logs_, &ThreadLog::waits, opened_, closed_);
  if (options_.memory) memory_ = rows_of(logs_, &ThreadLog::memory, opened_, closed_);
  cut_to_room();
  // From a scope's index in its thread to its id in this recording.
  std::unordered_map<const ScopeRecord*, int64_t> ids;
  for (size_t i = 0; i < scopes_.size(); ++i)
    ids.emplace(scopes_[i].record, static_cast<int64_t>(i));
  const auto id_of = [&](const ThreadLog& log, int64_t index) {
    if (index < 0) return int64_t{-1};
    const auto found = ids.find(&log.scopes.at(static_cast<size_t>(index)));
    return found == ids.end() ? int64_t{-1} : found->second;
  };
  for (auto& row : scopes_) row.scope = id_of(*row.log, row.record->parent);
  for (auto& row : works_) row.scope = id_of(*row.log, row.record->scope);
  for (auto& row : waits_) row.scope = id_of(*row.log, row.record->scope);
  for (auto& row : memory_) row.scope = id_of(*row.log, row.record->scope);
  find_times();
}

// Keeps the first `most_records` of all kinds, by their beginning.
void Recording::cut_to_room() {
  const size_t total = scopes_.size() + works_.size() + waits_.size() + memory_.size();
  if (total <= options_.most_records) return;
  std::vector<int64_t> begins;
  begins.reserve(total);
  const auto note = [&](const auto& rows) {
    for (const auto& row : rows) begins.push_back(beginning(*row.record));
  };
  note(scopes_), note(works_), note(waits_), note(memory_);
  const auto last =
      begins.begin() + static_cast<std::ptrdiff_t>(options_.most_records) - 1;
  std::nth_element(begins.begin(), last, begins.end());
  uint64_t room = options_.most_records;
  const int64_t latest = *last;
  const auto cut = [&](auto& rows) {
    std::erase_if(rows, [&](const auto& row) {
      if (beginning(*row.record) > latest || room == 0) return true;
      --room;
      return false;
    });
  };
  cut(scopes_), cut(works_), cut(waits_), cut(memory_);
  dropped_ += total - options_.most_records + room;
}

void Recording::find_times() {
  device_times_.assign(works_.size(), {});
  if (!options_.device) return;
  const std::unordered_map<uint64_t, WorkTime> known = work_times();
  std::unordered_map<uint64_t, std::vector<int64_t>> ends;  // by stream
  for (size_t i = 0; i < works_.size(); ++i) {
    const WorkRecord& work = *works_[i].record;
    const auto found = known.find(work.number);
    if (found == known.end()) continue;
    DeviceTime& time = device_times_[i];
    time.begin = found->second.begin;
    time.end = found->second.end;
    std::vector<int64_t>& earlier = ends[work.stream];
    time.depth = earlier.end() -
                 std::upper_bound(earlier.begin(), earlier.end(), work.host_begin);
    // A stream's work ends in order.
    earlier.push_back(earlier.empty() ? time.end : std::max(time.end, earlier.back()));
  }
}

}  // namespace minitorch::runtime
