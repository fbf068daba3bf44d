#include "libcuda/launches/launch_record.h"

#include <cstring>
#include <map>
#include <utility>

#include "simt/observers/footprint/footprint.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract
namespace {

MtTraceKind kind_of(const ptx::Opcode& opcode) {
  using ptx::Effect;
  const ptx::OpcodeFacts& facts = ptx::facts(opcode.op);
  switch (facts.effect) {
    case Effect::Read:
    case Effect::Write: {
      const bool whole_warp = facts.scope == ptx::OpScope::Warp;
      return whole_warp || opcode.space == ptx::Space::Param ? MtTrace_Other
                                                             : MtTrace_Memory;
    }
    case Effect::Atomic:
      return MtTrace_Memory;
    case Effect::Branch:
      return MtTrace_Branch;
    case Effect::Barrier:
      return MtTrace_Barrier;
    case Effect::Call:
      return MtTrace_Call;
    case Effect::Leave:
      return MtTrace_Exit;
    case Effect::None:
    case Effect::Divide:
    case Effect::CopyStart:
    case Effect::CopyCommit:
    case Effect::CopyWait:
    case Effect::Mbarrier:
    case Effect::MbarrierArrive:
    case Effect::MbarrierTest:
    case Effect::Fence:
    case Effect::Trap:
    case Effect::Meet:
    case Effect::IndexCheck:
    case Effect::Refuse:
      return MtTrace_Other;
  }
  return MtTrace_Other;
}

}  // namespace

LaunchRecord::LaunchRecord(const Launch& launch, const MtLaunch& facts, Outcome outcome)
    : module_(launch.module->module), outcome_(std::move(outcome)), view_(facts) {
  const ptx::Function& kernel = module_->functions[launch.function];
  view_.tag = launch.tag;
  view_.kernel = kernel.display.c_str();
  view_.symbol = kernel.name.c_str();
  const uint32_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t block[] = {launch.block.x, launch.block.y, launch.block.z};
  std::memcpy(view_.grid, grid, sizeof grid);
  std::memcpy(view_.block, block, sizeof block);
  view_.static_shared = kernel.shared_bytes;
  view_.dynamic_shared = launch.dynamic_shared;
  view_.local_bytes = kernel.local_bytes;
  view_.checks = launch.checks & ~kFootprintCheck;
  view_.cancelled = outcome_.cancelled ? 1 : 0;
  view_.blocks = outcome_.blocks;
  view_.warp_instructions = outcome_.warp_instructions;
  for (MtFinding& finding : outcome_.findings) finding.launch_tag = launch.tag;
  view_.finding_count = static_cast<uint32_t>(outcome_.findings.size());
  view_.findings = outcome_.findings.data();
  if (outcome_.observed && outcome_.observed->counted) show_counters();
  if (outcome_.observed && outcome_.observed->trace) show_trace();
  if (outcome_.observed && outcome_.observed->sectors)
    view_.sectors = &*outcome_.observed->sectors;
}

void LaunchRecord::add_finding(const MtFinding& finding) {
  outcome_.findings.push_back(finding);
  view_.finding_count = static_cast<uint32_t>(outcome_.findings.size());
  view_.findings = outcome_.findings.data();
}

LaunchRecord::Line LaunchRecord::line_of(uint32_t position) const {
  const auto line = [&](const ptx::Position& at) {
    const bool known = at.file < module_->files.size();
    return MtLine{known ? module_->files[at.file].c_str() : "",
                  static_cast<int32_t>(at.line)};
  };
  Line made;
  made.at = {"", 0};
  if (position >= module_->positions.size()) return made;
  made.at = line(module_->positions[position]);
  uint32_t caller = module_->positions[position].inlined_at;
  // A chain that is longer than the table of positions would go in circles.
  for (size_t i = 0; i < module_->positions.size(); ++i) {
    if (caller >= module_->positions.size()) break;
    made.callers.push_back(line(module_->positions[caller]));
    caller = module_->positions[caller].inlined_at;
  }
  return made;
}

void LaunchRecord::show_counters() {
  // Positions that differ only in columns are one line.
  std::map<std::vector<std::pair<std::string, int32_t>>, Line> lines;
  for (const auto& [position, counts] : outcome_.observed->by_position) {
    Line line = line_of(position);
    std::vector<std::pair<std::string, int32_t>> key{{line.at.file, line.at.line}};
    for (const MtLine& caller : line.callers)
      key.emplace_back(caller.file, caller.line);
    Line& sum = lines.try_emplace(key, std::move(line)).first->second;
    for (size_t i = 0; i < counts.size(); ++i) {
      sum.counts[i] += counts[i];
      totals_[i] += counts[i];
    }
  }
  lines_.reserve(lines.size());
  for (auto& [key, line] : lines) lines_.push_back(std::move(line));
  for (const Line& line : lines_) {
    shown_lines_.push_back({line.at, static_cast<uint32_t>(line.callers.size()),
                            line.callers.data(), line.counts.data()});
  }
  view_.counters = totals_.data();
  view_.line_count = static_cast<uint32_t>(shown_lines_.size());
  view_.lines = shown_lines_.data();
}

void LaunchRecord::add_function(const ptx::Function& function) {
  const char* name = function.display.c_str();
  for (const ptx::Instruction& instruction : function.instructions) {
    places_.push_back(std::make_unique<Line>(line_of(instruction.position)));
    const Line& place = *places_.back();
    const ptx::Opcode& opcode = instruction.opcode;
    instructions_.push_back({opcode.text.c_str(), name, place.at,
                             static_cast<uint32_t>(place.callers.size()),
                             place.callers.data(), instruction.ptx_line,
                             kind_of(opcode)});
  }
  for (const ptx::Register& item : function.registers) {
    registers_.push_back({item.name.c_str(), ptx::type_name(item.type), name});
  }
}

void LaunchRecord::show_trace() {
  const TraceColumns& from = *outcome_.observed->trace;
  for (const ptx::Function& function : module_->functions) add_function(function);
  trace_.truncated = from.truncated ? 1 : 0;
  trace_.step_count = from.block.size();
  trace_.access_count = from.access_step.size();
  trace_.result_count = from.result_step.size();
#define COLUMN(name) trace_.name = from.name.data()
  COLUMN(block);
  COLUMN(warp);
  COLUMN(instruction);
  COLUMN(mask);
  COLUMN(access_step);
  COLUMN(access_mask);
  COLUMN(access_kind);
  COLUMN(access_space);
  COLUMN(access_size);
  COLUMN(access_element);
  COLUMN(access_address);
  COLUMN(access_value);
  COLUMN(result_step);
  COLUMN(result_register);
  COLUMN(result_value);
#undef COLUMN
  trace_.bytes = from.bytes();
  trace_.instruction_count = static_cast<uint32_t>(instructions_.size());
  trace_.register_count = static_cast<uint32_t>(registers_.size());
  trace_.instructions = instructions_.data();
  trace_.registers = registers_.data();
  view_.trace = &trace_;
}

void LaunchRecords::add(std::unique_ptr<LaunchRecord> record, uint32_t most) {
  std::lock_guard lock(mutex_);
  records_.push_back(std::move(record));
  while (records_.size() > most) {
    // What was lost before the lost one was lost before the next, too.
    dropped_ += 1 + records_.front()->view_.dropped_before;
    records_.pop_front();
  }
  if (!records_.empty()) {
    records_.front()->view_.dropped_before += std::exchange(dropped_, 0);
  }
}

void LaunchRecords::add_finding(uint64_t number, const MtFinding& finding) {
  std::lock_guard lock(mutex_);
  for (const auto& record : records_) {
    if (record->view_.number == number) record->add_finding(finding);
  }
}

std::unique_ptr<LaunchRecord> LaunchRecords::take() {
  std::lock_guard lock(mutex_);
  if (records_.empty()) return nullptr;
  std::unique_ptr<LaunchRecord> oldest = std::move(records_.front());
  records_.pop_front();
  return oldest;
}

uint64_t LaunchRecords::next_number() {
  std::lock_guard lock(mutex_);
  return number_++;
}

}  // namespace minitorch::libcuda
