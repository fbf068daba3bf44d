#include "cuda_client/error_hints.h"

namespace minitorch::cuda_client {
namespace {

struct Row {
  CUresult result;
  const char* hint;
};

constexpr Row kRows[] = {
    {CUDA_ERROR_INVALID_VALUE, "An argument of the call is out of range."},
    {CUDA_ERROR_OUT_OF_MEMORY,
     "Free arrays you no longer need, or use smaller batches."},
    {CUDA_ERROR_NOT_INITIALIZED, "Initialise cuda after fork, or start a new process."},
    {CUDA_ERROR_DEINITIALIZED,
     "The process is ending; keep no work for its last steps."},
    {CUDA_ERROR_NO_DEVICE,
     "No NVIDIA GPU is visible; check CUDA_VISIBLE_DEVICES, or set "
     "MINITORCH_CUDA=emulator."},
    {CUDA_ERROR_INVALID_DEVICE, "Check CUDA_VISIBLE_DEVICES."},
    {CUDA_ERROR_INVALID_IMAGE, "The module is neither PTX nor a cubin for this card."},
    {CUDA_ERROR_INVALID_CONTEXT,
     "The device was reset; make arrays and kernels again."},
    {CUDA_ERROR_NO_BINARY_FOR_GPU,
     "The module was built for another architecture; compile it for this card, or hand "
     "over PTX."},
    {CUDA_ERROR_INVALID_PTX, "The PTX does not assemble; the log says where."},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
     "The PTX is newer than the driver; update the driver, or install an older NVRTC."},
    {CUDA_ERROR_INVALID_SOURCE, "The module's source is not understood."},
    {CUDA_ERROR_FILE_NOT_FOUND, "The library is not on this machine."},
    {CUDA_ERROR_OPERATING_SYSTEM, "The operating system refused a call."},
    {CUDA_ERROR_INVALID_HANDLE,
     "A stream, event or module belongs to another device or was destroyed."},
    {CUDA_ERROR_NOT_FOUND, "No such kernel or variable in the module."},
    {CUDA_ERROR_NOT_READY, "The work has not ended; synchronise first."},
    {CUDA_ERROR_ILLEGAL_ADDRESS,
     "A kernel touched memory outside its arrays; run it with MINITORCH_CUDA=emulator "
     "to see where."},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
     "The kernel needs more registers or shared memory than a block may have; use "
     "fewer threads."},
    {CUDA_ERROR_LAUNCH_TIMEOUT,
     "The kernel ran too long; look for a loop that never ends."},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "Make arrays and kernels again."},
    {CUDA_ERROR_ASSERT, "An assert() in a kernel failed."},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "A kernel executed what this device cannot."},
    {CUDA_ERROR_MISALIGNED_ADDRESS,
     "A kernel used an address that is not a multiple of the access size; run it with "
     "MINITORCH_CUDA=emulator to see where."},
    {CUDA_ERROR_LAUNCH_FAILED,
     "A kernel failed; run it with MINITORCH_CUDA=emulator to see where."},
    {CUDA_ERROR_NOT_PERMITTED, "The call is not allowed in this state."},
    {CUDA_ERROR_NOT_SUPPORTED, "This driver does not have the feature."},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
     "A graph is being captured, and this waits; do it before the capture or after."},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
     "An earlier call ended the capture; capture again without it."},
    {CUDA_ERROR_STREAM_CAPTURE_MERGE,
     "Two captures cannot wait for each other; capture one after the other."},
    {CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
     "End the capture on the stream on which it began."},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
     "Let the captured stream wait for the others: stream.wait_stream(other)."},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
     "Captured work cannot wait for work outside of its graph; wait before the "
     "capture."},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
     "Keep off the default stream meanwhile, or capture without a stream of your own."},
    {CUDA_ERROR_CAPTURED_EVENT,
     "The event was recorded in a graph; it has no end to ask for."},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
     "End the capture in the thread that began it."},
    {CUDA_ERROR_UNKNOWN, "Check that the NVIDIA driver works: nvidia-smi."},
};

}  // namespace

const char* error_hint(CUresult result) {
  for (const Row& row : kRows)
    if (row.result == result) return row.hint;
  return "";
}

const char* fallback_error_name(CUresult result) {
  switch (result) {
#define CU_RESULT(name, value, text) \
  case name:                         \
    return #name;
#include "cuda_abi/results.inc"
#undef CU_RESULT
    default:
      return "an unknown CUDA error";
  }
}

}  // namespace minitorch::cuda_client
