#include "simt/warp/describe.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "findings/kinds.h"
#include "simt/warp/race_remedy.h"

namespace minitorch::simt {
namespace {

using base::copy_text;

void fill_position(MtPosition& to, const ptx::Module& module, uint32_t index) {
  if (index >= module.positions.size()) return;
  const ptx::Position& from = module.positions[index];
  if (from.file < module.files.size()) copy_text(to.file, module.files[from.file]);
  to.line = static_cast<int32_t>(from.line);
  to.column = static_cast<int32_t>(from.column);
}

uint32_t position_of(const ptx::Module& module, uint32_t function,
                     uint32_t instruction) {
  if (function >= module.functions.size()) return ptx::kNone;
  const auto& instructions = module.functions[function].instructions;
  if (instruction >= instructions.size()) return ptx::kNone;
  return instructions[instruction].position;
}

/// Appends a call line. Of too many the last one stays: the outermost, the kernel's.
void add_call(MtSite& to, const ptx::Module& module, uint32_t position) {
  constexpr auto kMost = static_cast<int32_t>(std::size(MtSite{}.inlined_from));
  to.inlined_count = std::min(to.inlined_count + 1, kMost);
  MtPosition& call = to.inlined_from[to.inlined_count - 1];
  call = {};
  fill_position(call, module, position);
}

/// Appends the call lines of the code inlined at `position`.
void add_inlined(MtSite& to, const ptx::Module& module, uint32_t position) {
  while (position < module.positions.size()) {
    position = module.positions[position].inlined_at;
    if (position >= module.positions.size()) return;
    add_call(to, module, position);
  }
}

/// Moves a site in the header that NVRTC includes by itself to the line that calls it.
void leave_compiler_header(MtSite& to) {
  constexpr std::string_view kHeader = "__nv_nvrtc_builtin_header.h";
  while (to.inlined_count > 0 &&
         std::string_view(to.position.file).ends_with(kHeader)) {
    to.position = to.inlined_from[0];
    std::copy(std::begin(to.inlined_from) + 1, std::end(to.inlined_from),
              std::begin(to.inlined_from));
    to.inlined_from[--to.inlined_count] = {};
  }
}

void fill_thread(const Launch& launch, const Site& from, MtSite& to) {
  const base::Dim3 grid = launch.grid, block = launch.block;
  to.block[0] = static_cast<uint32_t>(from.block % grid.x);
  to.block[1] = static_cast<uint32_t>(from.block / grid.x % grid.y);
  to.block[2] = static_cast<uint32_t>(from.block / grid.x / grid.y);
  to.thread[0] = from.thread % block.x;
  to.thread[1] = from.thread / block.x % block.y;
  to.thread[2] = from.thread / block.x / block.y;
}

void fill_site(const LaunchState& state, const Site& from, MtSite& to) {
  const ptx::Module& module = *state.program->module;
  const uint32_t position = position_of(module, from.function, from.instruction);
  fill_position(to.position, module, position);
  add_inlined(to, module, position);
  for (const auto& [function, instruction] : from.callers) {
    const uint32_t call = position_of(module, function, instruction);
    add_call(to, module, call);
    add_inlined(to, module, call);
  }
  leave_compiler_header(to);
  fill_thread(*state.launch, from, to);
}

/// Is one of the parameter's aligned words a pointer into [base, base + size]? A struct
/// that is passed by value may hold one.
bool points_into(const ptx::Parameter& parameter, const std::vector<uint8_t>& bytes,
                 const Allocation& allocation) {
  const size_t end = std::min<size_t>(parameter.offset + parameter.size, bytes.size());
  for (size_t at = (parameter.offset + 7) / 8 * 8; at + 8 <= end; at += 8) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, 8);
    if (value >= allocation.base && value <= allocation.end()) return true;
  }
  return false;
}

/// The parameter of the kernel that points into [base, base + size], or -1.
int32_t parameter_of(const LaunchState& state, const Allocation& allocation) {
  const auto& parameters = state.entry().function->parameters;
  const auto& bytes = state.launch->parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (points_into(parameters[i], bytes, allocation)) return static_cast<int32_t>(i);
  }
  return -1;
}

void fill_allocation(const LaunchState& state, uint64_t meant, MtFinding& to) {
  const bool plausible =
      to.kind != MtFinding_NullPointer && to.kind != MtFinding_WildPointer;
  // The kernel's own malloc and free have changed what the launch began with.
  const auto table = state.launch->memory->table();
  const Allocation* nearest = plausible ? table->nearest(to.address) : nullptr;
  if (meant != 0) nearest = table->find(meant);
  if (nearest == nullptr) return;
  to.has_allocation = 1;
  to.allocation_base = nearest->base;
  to.allocation_size = nearest->size;
  to.allocation_offset = static_cast<int64_t>(to.address - nearest->base);
  to.parameter_index = parameter_of(state, *nearest);
  copy_text(to.allocation_label, nearest->label);
}

/// The variables among which a shared or local address is looked up: those of the
/// functions that run, of which local addresses belong to one.
std::vector<uint32_t> variables_of(const LaunchState& state, ptx::Space space,
                                   uint32_t function) {
  std::vector<uint32_t> found;
  for (const FunctionCode& code : state.program->functions) {
    if (code.function == nullptr) continue;
    if (space == ptx::Space::Local && code.index != function) continue;
    const auto& own = code.function->own_variables;
    found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}

void fill_from(const ptx::Variable& variable, MtFinding& to) {
  to.has_allocation = 1;
  to.allocation_base = variable.offset;
  to.allocation_size = variable.size;
  to.allocation_offset = static_cast<int64_t>(to.address - variable.offset);
  // The compiler keeps a thread's arrays in one variable, whose name is its own.
  const bool own_name = variable.display.rfind("__local_depot", 0) == 0;
  copy_text(to.allocation_label, own_name ? std::string() : variable.display);
}

/// The variable that holds `address`, or the last one before it.
void fill_variable(const LaunchState& state, ptx::Space space, uint32_t function,
                   MtFinding& to) {
  const ptx::Variable* best = nullptr;
  // Negative before the first one.
  const auto address = std::max<int64_t>(static_cast<int64_t>(to.address), 0);
  for (uint32_t index : variables_of(state, space, function)) {
    const ptx::Variable& variable = state.program->module->variables[index];
    if (variable.space != space || variable.external) continue;
    const bool nearer = static_cast<int64_t>(variable.offset) <= address &&
                        (!best || variable.offset >= best->offset);
    if (nearer) best = &variable;
  }
  if (best != nullptr) fill_from(*best, to);
}

/// The parameter that was meant, or the last one that begins before the address.
void fill_parameter(const LaunchState& state, const FindingRecord& record,
                    MtFinding& to) {
  const ptx::Function& function =
      state.program->module->functions.at(record.site.function);
  size_t best = record.variable;
  if (best >= function.parameters.size()) {
    best = 0;
    for (size_t i = 0; i < function.parameters.size(); ++i)
      if (function.parameters[i].offset <= to.address) best = i;
  }
  if (best >= function.parameters.size()) return;
  const ptx::Parameter& parameter = function.parameters[best];
  to.has_allocation = 1;
  to.allocation_base = parameter.offset;
  to.allocation_size = parameter.size;
  to.allocation_offset = static_cast<int64_t>(to.address - parameter.offset);
  if (function.entry) to.parameter_index = static_cast<int32_t>(best);
  copy_text(to.allocation_label, parameter.name);
}

const ptx::Variable* external_shared(const ptx::Module& module,
                                     const ptx::Instruction& instruction) {
  const auto of = [&](const ptx::Operand& operand) -> const ptx::Variable* {
    if (operand.kind != ptx::Operand::Kind::Variable) return nullptr;
    const ptx::Variable& variable = module.variables[operand.index];
    const bool found = variable.external && variable.space == ptx::Space::Shared;
    return found ? &variable : nullptr;
  };
  for (const ptx::Operand& operand : instruction.sources) {
    if (const ptx::Variable* found = of(operand)) return found;
  }
  return of(instruction.address.base);
}

/// The variable of dynamic shared memory that the kernel uses, or nullptr.
const ptx::Variable* dynamic_variable(const LaunchState& state) {
  for (const FunctionCode& code : state.program->functions) {
    if (code.function == nullptr) continue;
    if (code.function->entry && code.function != state.entry().function) continue;
    for (const ptx::Instruction& instruction : code.function->instructions) {
      const auto found = external_shared(*state.program->module, instruction);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

/// Dynamic shared memory lies behind all variables.
void fill_shared(const LaunchState& state, const FindingRecord& record, MtFinding& to) {
  const ptx::Variable* dynamic = nullptr;
  if (record.variable != ptx::kNone) {
    const auto& meant = state.program->module->variables[record.variable];
    if (!meant.external) return fill_from(meant, to);
    dynamic = &meant;
  } else if (static_cast<int64_t>(to.address) >= int64_t{state.dynamic_start})
    dynamic = dynamic_variable(state);
  if (dynamic == nullptr) {
    return fill_variable(state, ptx::Space::Shared, record.site.function, to);
  }
  to.has_allocation = 1;
  to.allocation_base = state.dynamic_start;
  to.allocation_size = state.launch->dynamic_shared;
  to.allocation_offset = static_cast<int64_t>(to.address - state.dynamic_start);
  copy_text(to.allocation_label, dynamic->display);
}

/// CUDA's header of grid.sync(), which traps in a launch that is not cooperative.
constexpr std::string_view kGroupsHeader = "cooperative_groups.h";

/// Cases of a kind that its fields tell, and that want advice of their own.
MtRemedy remedy_of(const MtFinding& finding) {
  const std::string_view file = finding.site.position.file;
  switch (finding.kind) {
    case MtFinding_OobShared:
      if (finding.has_allocation != 0 && finding.allocation_size == 0)
        return MtRemedy_DynamicSharedSize;
      for (uint32_t i = 0; i < finding.index_count; ++i) {
        if (finding.indices[i].extent == 0) return MtRemedy_DynamicSharedSize;
      }
      break;
    case MtFinding_UseAfterFree:
      if (std::string_view(finding.allocation_label) == kDeviceMalloc)
        return MtRemedy_FreeLater;
      break;
    case MtFinding_Trap:
      if (file.substr(file.rfind('/') + 1) == kGroupsHeader)
        return MtRemedy_LaunchCooperatively;
      break;
    default:
      break;
  }
  return MtRemedy_OfKind;
}

/// Does it say no more than which threads race?
bool is_by_distance(int32_t remedy) {
  return remedy >= MtRemedy_AtomicOrSecondKernel &&
         remedy <= MtRemedy_BlockOrWarpBarrier;
}

}  // namespace

uint32_t line_in_kernel(const ptx::Module& module, uint32_t function,
                        uint32_t instruction) {
  const auto& positions = module.positions;
  uint32_t outer = position_of(module, function, instruction);
  if (outer >= positions.size()) return 0;
  while (positions[outer].inlined_at < positions.size()) {
    outer = positions[outer].inlined_at;
  }
  uint32_t at = position_of(module, function, instruction);
  while (positions[at].file != positions[outer].file) at = positions[at].inlined_at;
  return positions[at].line;
}

std::string name_of_place(const LaunchState& state, MtSpace space, uint64_t address) {
  FindingRecord record;
  record.space = space;
  record.address = address;
  record.size = 8;
  const MtFinding found = describe_finding(state, record, 1);
  if (!found.has_allocation || found.allocation_label[0] == '\0') {
    return base::text("at ", space == MtSpace_Shared ? "offset " : "address ", address);
  }
  const std::string name = base::text("'", found.allocation_label, "'");
  return found.allocation_offset == 0
             ? name
             : base::text(name, " + ", found.allocation_offset);
}

MtFinding describe_finding(const LaunchState& state, const FindingRecord& record,
                           uint64_t count) {
  MtFinding finding{};
  finding.kind = record.kind;
  const bool note = record.note || tolerates(*state.launch, record.kind);
  finding.severity = note ? 0 : findings::severity_of(record.kind);
  finding.stopped = record.stopped;
  finding.launch_tag = state.launch->tag;
  copy_text(finding.kernel, state.entry().function->display);
  fill_site(state, record.site, finding.site);
  finding.has_other = record.other.known();
  if (record.other.known()) fill_site(state, record.other, finding.other);
  finding.space = record.space;
  finding.access = record.access;
  finding.address = record.address;
  finding.size = record.size;
  finding.parameter_index = -1;
  finding.count = count;
  finding.other_access = record.other_access;
  finding.read_first = record.read_first;
  finding.remedy = record.remedy;
  copy_text(finding.detail, record.detail);
  finding.whereabouts_count = static_cast<uint32_t>(
      std::min(record.whereabouts.size(), std::size(finding.whereabouts)));
  std::copy_n(record.whereabouts.begin(), finding.whereabouts_count,
              finding.whereabouts);
  const std::vector<uint8_t>& arguments = state.launch->parameters;
  finding.parameter_bytes =
      static_cast<uint32_t>(std::min(arguments.size(), sizeof finding.parameters));
  std::copy_n(arguments.begin(), finding.parameter_bytes, finding.parameters);
  finding.index_access = record.index_access;
  finding.index_count = static_cast<uint32_t>(
      std::min(record.indices.size(), std::size(finding.indices)));
  std::copy_n(record.indices.begin(), finding.index_count, finding.indices);
  const bool addressed = finding.index_count == 0;  // else found before
  switch (addressed ? record.space : MtSpace_None) {
    case MtSpace_Global:
    case MtSpace_Const:
      fill_allocation(state, record.meant, finding);
      break;
    case MtSpace_Shared:
      fill_shared(state, record, finding);
      break;
    case MtSpace_Param:
      fill_parameter(state, record, finding);
      break;
    case MtSpace_Local:
      fill_variable(state, ptx::Space::Local, record.site.function, finding);
      break;
    default:
      break;
  }
  if (finding.remedy == MtRemedy_OfKind) finding.remedy = remedy_of(finding);
  if (is_by_distance(finding.remedy))
    finding.remedy = race_remedy(*state.program->module, record);
  return finding;
}

}  // namespace minitorch::simt
