#include "ptx/special_registers.h"

#include <algorithm>
#include <iterator>

#include "base/enumerators.h"

namespace minitorch::ptx {
namespace {

struct SpecialName {
  Special special;
  const char* name;
};
constexpr SpecialName kNames[] = {
    {Special::None, ""},
    {Special::TidX, "%tid.x"},
    {Special::TidY, "%tid.y"},
    {Special::TidZ, "%tid.z"},
    {Special::NtidX, "%ntid.x"},
    {Special::NtidY, "%ntid.y"},
    {Special::NtidZ, "%ntid.z"},
    {Special::CtaidX, "%ctaid.x"},
    {Special::CtaidY, "%ctaid.y"},
    {Special::CtaidZ, "%ctaid.z"},
    {Special::NctaidX, "%nctaid.x"},
    {Special::NctaidY, "%nctaid.y"},
    {Special::NctaidZ, "%nctaid.z"},
    {Special::LaneId, "%laneid"},
    {Special::WarpId, "%warpid"},
    {Special::NwarpId, "%nwarpid"},
    {Special::SmId, "%smid"},
    {Special::NsmId, "%nsmid"},
    {Special::GridId, "%gridid"},
    {Special::LaneMaskEq, "%lanemask_eq"},
    {Special::LaneMaskLe, "%lanemask_le"},
    {Special::LaneMaskLt, "%lanemask_lt"},
    {Special::LaneMaskGe, "%lanemask_ge"},
    {Special::LaneMaskGt, "%lanemask_gt"},
    {Special::Clock, "%clock"},
    {Special::Clock64, "%clock64"},
    {Special::ClockHi, "%clock_hi"},
    {Special::GlobalTimer, "%globaltimer"},
    {Special::GlobalTimerLo, "%globaltimer_lo"},
    {Special::GlobalTimerHi, "%globaltimer_hi"},
    {Special::DynamicSmemSize, "%dynamic_smem_size"},
    {Special::TotalSmemSize, "%total_smem_size"},
    {Special::EnvReg, "%envreg"},
    {Special::EnvReg1, "%envreg1"},
    {Special::EnvReg2, "%envreg2"},
};
static_assert(base::rows_follow_enumerators<kNames>([](const SpecialName& row) {
  return row.special;
}));

constexpr std::string_view kForeign[] = {
    "%cluster",        "%ncluster",      "%is_explicit_cluster", "%pm",
    "%aggr_smem_size", "%reserved_smem", "%current_graph_exec",  "%nsmemid"};

}  // namespace

Special find_special(std::string_view name) {
  if (name.size() < 2 || name[0] != '%') return Special::None;
  for (size_t i = 1; i < std::size(kNames); ++i)
    if (name == kNames[i].name) return static_cast<Special>(i);
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

const char* special_name(Special special) {
  return kNames[static_cast<int>(special)].name;
}

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
