// Reading and writing parameters of calls that are not one whole word: the words of a
// slot are rows of 32 lanes, 4 bytes each.
#include <algorithm>
#include <cstring>

#include "simt/warp/context.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

struct Place {
  uint32_t* low;   // word of the first byte
  uint32_t* high;  // the next word, for 8-byte values
  uint32_t shift;
};

Place place(const Context& context, uint32_t row, int64_t offset) {
  auto* low =
      reinterpret_cast<uint32_t*>(context.registers + row) + offset / 4 * kLanes;
  return {low, low + kLanes, 8 * static_cast<uint32_t>(offset % 4)};
}

/// Ends the block at a read of `size` bytes at offset `at` of the parameters;
/// `variable`: the parameter that was meant, if that is known.
const Step* refuse(Context& context, FindingRecord record, uint64_t at, uint32_t size,
                   uint32_t variable) {
  record.space = MtSpace_Param;
  record.access = MtAccess_Read;
  record.address = at;
  record.size = size;
  record.variable = variable;
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
  return nullptr;
}

uint32_t low_bits(uint32_t bytes) { return bytes >= 4 ? ~0u : (1u << (8 * bytes)) - 1; }

}  // namespace

const Step* load_slot(Context& context, const Step* step) {
  const Place at = place(context, step->a, step->immediate);
  const uint32_t bytes = step->b;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    if (bytes == 8) {
      reinterpret_cast<uint64_t*>(context.registers + step->d)[i] =
          at.low[i] | uint64_t{at.high[i]} << 32;
    } else {
      reinterpret_cast<uint32_t*>(context.registers + step->d)[i] =
          at.low[i] >> at.shift & low_bits(bytes);
    }
  }
  context.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

const Step* load_parameter_at(Context& context, const Step* step) {
  const FunctionCode& code = *context.frame->code;
  const auto& buffer = context.launch->launch->parameters;
  const uint64_t size = code.function->entry ? buffer.size() : code.parameters.size;
  const auto* address = reinterpret_cast<const uint64_t*>(context.registers + step->a);
  uint64_t low = 0, high = size;
  if (step->d2 != ptx::kNone) {
    const ptx::Parameter& meant = code.function->parameters[step->d2];
    low = meant.offset;
    high = std::min<uint64_t>(low + meant.size, size);
  }
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const uint64_t at = address[i] + static_cast<uint64_t>(step->immediate);
    if (at < low || at > high || step->b > high - at) {
      return refuse(context, record_at(context, step, MtFinding_OobConst, i), at,
                    step->b, step->d2);
    }
    uint64_t value = 0;
    for (uint32_t k = 0; k < step->b; ++k) {
      const uint64_t byte = at + k;
      const uint8_t part =
          code.function->entry
              ? buffer[byte]
              : static_cast<uint8_t>(
                    place(context, code.parameters.row, 0).low[byte / 4 * kLanes + i] >>
                    (8 * (byte % 4)));
      value |= uint64_t{part} << (8 * k);
    }
    if (step->b == 8) {
      reinterpret_cast<uint64_t*>(context.registers + step->d)[i] = value;
    } else {
      reinterpret_cast<uint32_t*>(context.registers + step->d)[i] =
          static_cast<uint32_t>(value);
    }
  }
  context.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

const Step* load_generic_parameter(Context& context, const Step* step) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  const auto& buffer = context.launch->launch->parameters;
  const auto* address = reinterpret_cast<const uint64_t*>(context.registers + step->a);
  const uint32_t rows[] = {step->d, step->d2, step->b, step->c};
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const uint64_t at =
        address[i] + static_cast<uint64_t>(step->immediate) - kParamWindow;
    const bool starts = at < buffer.size(), misaligned = at % form.size() != 0;
    if (!starts || misaligned || form.size() > buffer.size() - at) {
      const MtFindingKind kind =
          starts && misaligned ? MtFinding_Misaligned : MtFinding_OobConst;
      return refuse(context, record_at(context, step, kind, i), at, form.size(),
                    ptx::kNone);
    }
    for (uint32_t v = 0; v < form.vector; ++v) {
      uint64_t value = 0;
      std::memcpy(&value, buffer.data() + at + v * form.bytes, form.bytes);
      if (form.bytes == 8) {
        reinterpret_cast<uint64_t*>(context.registers + rows[v])[i] = value;
      } else {
        reinterpret_cast<uint32_t*>(context.registers + rows[v])[i] =
            static_cast<uint32_t>(value);
      }
    }
  }
  context.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

const Step* store_slot(Context& context, const Step* step) {
  const Place at = place(context, step->d, step->immediate);
  const uint32_t bytes = step->b;
  const uint32_t mask = low_bits(bytes) << at.shift;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    if (bytes == 8) {
      const uint64_t value =
          reinterpret_cast<uint64_t*>(context.registers + step->a)[i];
      at.low[i] = static_cast<uint32_t>(value);
      at.high[i] = static_cast<uint32_t>(value >> 32);
    } else {
      const uint32_t value =
          reinterpret_cast<uint32_t*>(context.registers + step->a)[i];
      at.low[i] = (at.low[i] & ~mask) | (value << at.shift & mask);
    }
  }
  return step + 1;
}

}  // namespace minitorch::simt
