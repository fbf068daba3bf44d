// Owns the names of special registers (%tid.x); knows no values.
#include "ptx/special_registers.h"

#include <algorithm>
#include <iterator>

namespace minitorch::ptx {
namespace {

// In the order of Special.
constexpr const char* kNames[] = {"",
                                  "%tid.x",
                                  "%tid.y",
                                  "%tid.z",
                                  "%ntid.x",
                                  "%ntid.y",
                                  "%ntid.z",
                                  "%ctaid.x",
                                  "%ctaid.y",
                                  "%ctaid.z",
                                  "%nctaid.x",
                                  "%nctaid.y",
                                  "%nctaid.z",
                                  "%laneid",
                                  "%warpid",
                                  "%nwarpid",
                                  "%smid",
                                  "%nsmid",
                                  "%gridid",
                                  "%lanemask_eq",
                                  "%lanemask_le",
                                  "%lanemask_lt",
                                  "%lanemask_ge",
                                  "%lanemask_gt",
                                  "%clock",
                                  "%clock64",
                                  "%clock_hi",
                                  "%globaltimer",
                                  "%globaltimer_lo",
                                  "%globaltimer_hi",
                                  "%dynamic_smem_size",
                                  "%total_smem_size",
                                  "%envreg",
                                  "%envreg1",
                                  "%envreg2"};
static_assert(std::size(kNames) == static_cast<size_t>(Special::EnvReg2) + 1);

constexpr std::string_view kForeign[] = {
    "%cluster",        "%ncluster",      "%is_explicit_cluster", "%pm",
    "%aggr_smem_size", "%reserved_smem", "%current_graph_exec",  "%nsmemid"};

}  // namespace

Special find_special(std::string_view name) {
  if (name.size() < 2 || name[0] != '%') return Special::None;
  for (size_t i = 1; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Special>(i);
  // %envreg0 to %envreg31: nothing sets the others here, and all are 0.
  constexpr std::string_view kEnv = "%envreg";
  const std::string_view number = name.substr(std::min(name.size(), kEnv.size()));
  const bool digits = number.size() == 1 || number.size() == 2;
  if (name.starts_with(kEnv) && digits &&
      std::all_of(number.begin(), number.end(),
                  [](char c) { return c >= '0' && c <= '9'; }) &&
      (number.size() == 1 || (number[0] != '0' && number <= "31")))
    return Special::EnvReg;
  return Special::None;
}

const char* special_name(Special special) { return kNames[static_cast<int>(special)]; }

bool is_foreign_special(std::string_view name) {
  for (std::string_view prefix : kForeign)
    if (name.starts_with(prefix)) return true;
  return false;
}

uint32_t size_of(Special special) {
  return special == Special::Clock64 || special == Special::GlobalTimer ||
                 special == Special::GridId
             ? 8
             : 4;
}

bool is_divergent(Special special) {
  switch (special) {
    case Special::TidX:
    case Special::TidY:
    case Special::TidZ:
    case Special::LaneId:
    case Special::LaneMaskEq:
    case Special::LaneMaskLe:
    case Special::LaneMaskLt:
    case Special::LaneMaskGe:
    case Special::LaneMaskGt:
    case Special::Clock:
    case Special::Clock64:
    case Special::ClockHi:
    case Special::GlobalTimer:
    case Special::GlobalTimerLo:
    case Special::GlobalTimerHi:
      return true;
    default:
      return false;
  }
}

}  // namespace minitorch::ptx
