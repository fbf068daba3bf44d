// Owns the table of source positions behind .loc; knows no instruction.
#include "ptx/positions.h"

namespace minitorch::ptx {

uint32_t PositionTable::add(const syntax::Location& location, uint32_t previous) {
  if (location.line == 0) return previous;
  uint32_t inlined_at = kNone;
  if (location.is_inlined) {
    const Spot call{location.inlined[0], location.inlined[1], location.inlined[2]};
    const auto known = latest_.find(call);
    inlined_at = known != latest_.end() ? known->second : intern(call, kNone);
  }
  return intern({location.file, location.line, location.column}, inlined_at);
}

uint32_t PositionTable::intern(const Spot& spot, uint32_t inlined_at) {
  const auto [entry, fresh] =
      known_.try_emplace({spot, inlined_at}, static_cast<uint32_t>(positions_.size()));
  if (fresh) {
    const auto [file, line, column] = spot;
    positions_.push_back({file, line, column, inlined_at});
  }
  return latest_[spot] = entry->second;
}

void PositionTable::finish(
    const std::vector<std::pair<uint32_t, std::string_view>>& files, Module& module) {
  std::map<uint32_t, uint32_t> index_of;
  for (const auto& [number, name] : files) {
    index_of[number] = static_cast<uint32_t>(module.files.size());
    module.files.emplace_back(name);
  }
  for (Position& position : positions_) {
    const auto found = index_of.find(position.file);
    position.file = found != index_of.end() ? found->second : kNone;
  }
  module.positions = std::move(positions_);
}

}  // namespace minitorch::ptx
