// The names of special registers (%tid.x); knows no values.
#pragma once

#include <string_view>

#include "ptx/program.h"

namespace minitorch::ptx {

/// None when `name` is no special register.
Special find_special(std::string_view name);
/// "%tid.x"
const char* special_name(Special special);
/// Special registers of PTX that this library does not have (clusters, performance
/// counters): reading one makes an instruction unsupported, not wrong.
bool is_foreign_special(std::string_view name);
/// Size of the register: 8 for %clock64 and %globaltimer, else 4.
uint32_t size_of(Special special);
/// May differ between the lanes of a warp, or between two reads.
bool is_divergent(Special special);

}  // namespace minitorch::ptx
