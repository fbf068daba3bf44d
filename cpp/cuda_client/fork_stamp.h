// Knowing whether this process was forked since a moment; a driver does not survive
// that.
#pragma once

namespace minitorch::cuda_client {

/// Changes in every forked child; equal stamps mean the same process.
unsigned fork_stamp();

}  // namespace minitorch::cuda_client
