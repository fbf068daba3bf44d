// What is reported when a poisoned value is used, and the bytes of global memory that
// get one.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/program/poison.h"
#include "simt/program/poison_steps.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

uint64_t lane_of(const Context& context, uint32_t row, uint8_t width, uint32_t lane) {
  const uint8_t* const at = context.registers + row;
  if (width == 8) return reinterpret_cast<const uint64_t*>(at)[lane];
  const auto* words = reinterpret_cast<const uint32_t*>(at);
  return width == 4 ? words[lane] : 0 - uint64_t{words[0] >> lane & 1};
}

/// Sets all bits of the lanes, or none.
void set_lanes(Context& context, uint32_t row, uint8_t width, uint32_t lanes,
               bool poisoned) {
  uint8_t* const at = context.registers + row;
  if (width == 0) {
    uint32_t& mask = *reinterpret_cast<uint32_t*>(at);
    mask = poisoned ? mask | lanes : mask & ~lanes;
    return;
  }
  const uint64_t bits = poisoned ? ~uint64_t{0} : 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    if (width == 8) {
      reinterpret_cast<uint64_t*>(at)[i] = bits;
    } else {
      reinterpret_cast<uint32_t*>(at)[i] = static_cast<uint32_t>(bits);
    }
  }
}

uint64_t all_bits(uint32_t bytes) {
  return bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
}

/// Whether what the lane uses is poisoned: any bit of an address, a condition, a value
/// given to other lanes or a quotient; every bit of what is stored or passed.
bool counts(const Context& context, const Step* step, const PoisonForm& form,
            uint32_t lane) {
  const uint32_t rows[] = {step->a, step->b, step->c, step->e};
  const auto use = static_cast<PoisonUse>(form.use);
  const bool whole = use == PoisonUse::Store || use == PoisonUse::Argument;
  const uint64_t every = all_bits(form.to);
  for (uint32_t k = 0; k < 4 && form.width[k] != kNotThere; ++k) {
    const uint64_t shadow = lane_of(context, rows[k], form.width[k], lane);
    if (whole && (shadow & every) != every) return false;
    if (!whole && shadow != 0) return true;
  }
  return whole;
}

Site site_of_trace(const Context& context, const PoisonTrace& trace, uint32_t lane) {
  Site site;
  site.function = trace.function;
  site.instruction = trace.instruction;
  site.block = context.block->number;
  site.thread = context.warp->index * kLanes + lane;
  return site;
}

const char* text_of(PoisonUse use) {
  switch (use) {
    case PoisonUse::Address:
      return "a variable that was never given a value becomes part of an address";
    case PoisonUse::Branch:
      return "a variable that was never given a value decides a branch";
    case PoisonUse::Store:
      return "a variable that was never given a value is read and stored";
    case PoisonUse::Argument:
      return "a variable that was never given a value is passed to a function";
    case PoisonUse::Print:
      return "a variable that was never given a value is printed";
    default:
      return "a variable that was never given a value is given to other threads";
  }
}

/// What the instruction of a use reads, as far as poison matters there.
std::vector<ptx::Operand> operands_of(const ptx::Instruction& instruction,
                                      PoisonUse use) {
  if (use == PoisonUse::Address) {
    return {instruction.address.base, instruction.source_address.base};
  }
  if (use != PoisonUse::Branch || instruction.guard == ptx::kNone) {
    return instruction.sources;
  }
  ptx::Operand guard;
  guard.kind = ptx::Operand::Kind::Register;
  guard.index = instruction.guard;
  return {guard};
}

/// Where the variable was first read comes first, its use second: they may be far
/// apart.
void place_at_reader(const Context& context, const Step* step, PoisonUse use,
                     FindingRecord& record) {
  const ptx::Function& function = *context.frame->code->function;
  const auto& instruction = function.instructions[step->instruction];
  const uint32_t reader = first_reader(function, operands_of(instruction, use));
  if (reader == ptx::kNone) return;
  record.other = record.site;
  record.site.instruction = reader;
}

const std::vector<uint32_t>& divisions_before(Context& context, const Step* step,
                                              PoisonUse use) {
  const auto [at, fresh] = context.divisions.try_emplace(step);
  if (fresh) {
    const ptx::Function& function = *context.frame->code->function;
    const auto used = operands_of(function.instructions[step->instruction], use);
    at->second = simt::divisions_before(function, used);
  }
  return at->second;
}

/// The lane's latest division by zero whose result may be what is used, or nullptr.
const PoisonTrace* division_of(Context& context, const Step* step, PoisonUse use,
                               uint32_t lane) {
  const auto& known = divisions_before(context, step, use);
  const auto& all = context.warp->divisions;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const auto& each) {
    return (each.lanes >> lane & 1) && each.function == context.frame->code->index &&
           std::find(known.begin(), known.end(), each.instruction) != known.end();
  });
  return found == all.rend() ? nullptr : &*found;
}

FindingRecord describe(Context& context, const Step* step, uint8_t origins,
                       PoisonUse use, uint32_t lane) {
  const Warp& warp = *context.warp;
  const PoisonTrace* const division =
      origins & kFromDivision ? division_of(context, step, use, lane) : nullptr;
  if (division != nullptr) {
    FindingRecord record = record_at(context, step, MtFinding_DivByZero, lane);
    record.site.instruction = division->instruction;
    const ptx::Function& function = *context.frame->code->function;
    record.detail = function.instructions[division->instruction].opcode.text;
    return record;
  }
  if ((origins & kFromShuffle) && (warp.lost.lanes >> lane & 1)) {
    FindingRecord record = record_at(context, step, MtFinding_WarpSync, lane);
    record.other = record.site;
    record.site = site_of_trace(context, warp.lost, lane);
    record.detail =
        "the shuffle reads a lane that does not take part (it has exited, does not "
        "exist, or the mask leaves it out), and the value is used";
    return record;
  }
  const bool local = (origins & kFromLocal) && (warp.unwritten.lanes >> lane & 1);
  if (!local) {
    FindingRecord record = record_at(context, step, MtFinding_UninitRegister, lane);
    record.detail = text_of(use);
    place_at_reader(context, step, use, record);
    return record;
  }
  FindingRecord record = record_at(context, step, MtFinding_UninitLocal, lane);
  record.other = record.site;
  record.site = site_of_trace(context, warp.unwritten, lane);
  record.space = MtSpace_Local;
  record.access = MtAccess_Read;
  record.address = warp.unwritten.address;
  record.size = warp.unwritten.size;
  return record;
}

}  // namespace

void report_poison(Context& context, const Step* step) {
  const PoisonForm form = PoisonForm::of(step->immediate);
  const auto use = static_cast<PoisonUse>(form.use);
  uint32_t lanes = 0;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const bool divided =
        use != PoisonUse::Division || division_of(context, step, use, lane) != nullptr;
    if (divided && counts(context, step, form, lane)) lanes |= 1u << lane;
  }
  if (lanes == 0) return;
  context.findings->note(context,
                         describe(context, step, form.origins, use, first_lane(lanes)),
                         lane_count(lanes));
  // Once is enough: what is computed from the value afterwards is not reported again.
  const uint32_t rows[] = {step->a, step->b, step->c, step->e};
  for (uint32_t k = 0; k < 4; ++k) {
    if (form.width[k] != kNotThere)
      set_lanes(context, rows[k], form.width[k], lanes, false);
  }
}

void follow_division(Context& context, const Step* step) {
  const uint32_t lanes = std::exchange(context.division_by_zero, 0);
  Frame& frame = *context.frame;
  if (!frame.divided) {
    frame.divided = true;
    for (const Slot& slot : frame.code->division_rows) {
      std::memset(context.registers + slot.row, 0, slot.size);
    }
  }
  set_lanes(context, step->d, PoisonForm::of(step->immediate).to, lanes, true);
  auto& all = context.warp->divisions;
  const auto at = std::find_if(all.begin(), all.end(), [&](const PoisonTrace& each) {
    return each.function == frame.code->index && each.instruction == step->instruction;
  });
  PoisonTrace trace = at == all.end() ? PoisonTrace{} : *at;
  if (at != all.end()) all.erase(at);
  trace.lanes |= lanes;
  trace.function = frame.code->index;
  trace.instruction = step->instruction;
  all.push_back(trace);
}

void report_printed(Context& context, const Step* step, uint32_t lane) {
  const uint8_t origins = kFromLocal | kFromRegister;
  context.findings->note(context,
                         describe(context, step, origins, PoisonUse::Print, lane));
}

bool is_unwritten(const Context& context, uint32_t lane, uint64_t address,
                  uint32_t size) {
  if (address >> 56 != kLocalWindow >> 56) return false;
  const auto& unwritten = context.warp->local_poison;
  const uint64_t at = address - kLocalWindow - kLocalBase;
  if (at >= unwritten.size() || size > unwritten.size() - at) return false;
  uint32_t lanes = kFullMask;
  for (uint64_t byte = at; byte < at + size; ++byte) lanes &= unwritten[byte];
  return lanes >> lane & 1;
}

namespace {

/// Whether a byte of global memory is known to be undefined when nobody wrote it: what
/// the host writes into its own memory is not seen.
bool keeps_bits(const Context& context, uint64_t address) {
  if (!context.memory->contains(address)) return false;
  const Allocation* found = context.table->find(address);
  return found == nullptr || found->kind != Allocation::Kind::Host;
}

}  // namespace

void forget_stored(Context& context, const Step* step) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  const uint32_t rows[] = {step->b, step->c, step->d, step->d2};
  const uint8_t width = form.bytes == 8 ? 8 : 4;
  const auto* address = reinterpret_cast<const uint64_t*>(context.registers + step->a);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t at = address[lane] + static_cast<uint64_t>(step->immediate);
    for (uint32_t k = 0; k < form.vector; ++k) {
      uint64_t shadow = lane_of(context, rows[k], width, lane);
      if (form.bytes < 8) shadow &= all_bits(form.bytes);
      for (uint64_t byte = at + k * form.bytes; shadow; shadow >>= 8, ++byte) {
        const bool unknown = (shadow & 0xff) == 0xff && keeps_bits(context, byte);
        if (unknown) context.memory->mark_undefined(byte, 1);
      }
    }
  }
}

}  // namespace minitorch::simt
