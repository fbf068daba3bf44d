// The values of constant rows: immediates, parameters, special registers.
#pragma once

#include "simt/warp/warp.h"

namespace minitorch::simt {

struct LaunchState;

void fill_launch_rows(const LaunchState& launch, const FunctionCode& code,
                      uint8_t* registers);
void fill_warp_rows(const LaunchState& launch, const FunctionCode& code,
                    uint8_t* registers, uint32_t warp);
void fill_block_rows(const FunctionCode& code, uint8_t* registers, const Block& block);
/// Addresses of local variables, which depend on where the frame lies.
void fill_frame_rows(const FunctionCode& code, uint8_t* registers, uint32_t local_base);
void clear_undefined_rows(const FunctionCode& code, uint8_t* registers);

}  // namespace minitorch::simt
