// The choice of how a copy keeps CUDA's promises about host memory: in the stream,
// staged, or in the caller's time.
#pragma once

#include "libcuda/launches/work.h"

namespace minitorch::libcuda {

/// A synchronous copy through stream 0; copies inside the device only queue.
CUresult copy_now(const CopyWork& copy);
/// An asynchronous copy: pageable host memory may be used again on return where it is
/// the source, and is written on return where it is the destination.
CUresult copy_in_stream(const CopyWork& copy, CUstream stream);

/// The same, and the source has been read on return, before what the stream still has
/// to do.
CUresult copy_from_now(const CopyWork& copy, CUstream stream);

}  // namespace minitorch::libcuda
