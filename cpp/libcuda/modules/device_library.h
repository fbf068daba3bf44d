// What the emulator offers in place of libcudadevrt.a, written in PTX.
#pragma once

namespace minitorch::libcuda {

/// cudaCGGetIntrinsicHandle and cudaCGSynchronize of cooperative groups.
extern const char* const kDeviceLibrary;

}  // namespace minitorch::libcuda
