// Printf of kernels in the vector engine: where formats and arguments lie, and how much
// is printed.
#include "simt/program/poison_steps.h"
#include "simt/warp/device_call.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"
#include "simt/warp/print_format.h"

namespace minitorch::simt {
namespace {

std::string format_text(Context& context, const Step* step, uint32_t lane) {
  const uint64_t arguments = argument(context, lane, 8);
  bool unwritten = false;  // an argument that has no value
  PrintSource source;
  source.read = [&](uint64_t offset, void* to, uint32_t size) {
    read_bytes(context, lane, arguments + offset, to, size);
    unwritten |= is_unwritten(context, lane, arguments + offset, size);
  };
  source.text = [&](uint64_t address) { return device_string(context, lane, address); };
  std::string text = format_print(source.text(argument(context, lane, 0)), source);
  if (unwritten) report_printed(context, step, lane);
  return text;
}

void print(Context& context, const Step* step, uint32_t lane, const std::string& text) {
  const LaunchState& state = *context.launch;
  if (!state.launch->print || text.empty()) return;
  const std::lock_guard lock(state.print_mutex);
  if (state.print_cut) return;
  if (state.printed + text.size() > kPrintLimit) {
    state.print_cut = true;
    FindingRecord record = record_at(context, step, MtFinding_OutputLimit, lane);
    record.detail = "output of printf beyond 1 MiB was cut";
    context.findings->note(context, record);
    return;
  }
  state.printed += text.size();
  state.launch->print(text);
}

}  // namespace

const Step* call_vprintf(Context& context, const Step* step) {
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    if (!context.launch->print_cut) {
      print(context, step, lane, format_text(context, step, lane));
    }
    set_result(context, lane, 0);
  }
  return step + 1;
}

}  // namespace minitorch::simt
