// The faults that are not about memory: traps, unsupported instructions, divisions by
// zero.
#include "simt/warp/findings.h"
#include "simt/warp/refusals.h"

namespace minitorch::simt {
namespace {

const char* opcode_text(const Context& context, const Step* step) {
  const ptx::Function& function = *context.frame->code->function;
  return function.instructions[step->instruction].opcode.text.c_str();
}

}  // namespace

const Step* fault(Context& context, const Step* step, MtFindingKind kind, uint32_t lane,
                  const char* detail) {
  FindingRecord record = record_at(context, step, kind, lane);
  record.detail = detail;
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
  return nullptr;
}

const Step* trap(Context& context, const Step* step) {
  return fault(context, step, MtFinding_Trap, first_lane(context.mask), "trap");
}

const Step* unsupported(Context& context, const Step* step) {
  const auto& instruction =
      context.frame->code->function->instructions[step->instruction];
  std::string what = refusal_of(opcode_text(context, step));
  if (instruction.opcode.op == ptx::Op::Call && instruction.target != ptx::kNone) {
    const ptx::Function& callee =
        context.program->module->functions[instruction.target];
    what = "the call of '" + callee.display + "', which is declared but not defined";
  }
  return fault(context, step, MtFinding_Unsupported, first_lane(context.mask),
               what.c_str());
}

void report_division_by_zero(Context& context, const Step* step) {
  const uint32_t lanes = context.division_by_zero;
  context.division_by_zero = 0;
  FindingRecord record =
      record_at(context, step, MtFinding_DivByZero, first_lane(lanes));
  record.detail = opcode_text(context, step);
  context.findings->note(context, record, lane_count(lanes));
}

}  // namespace minitorch::simt
