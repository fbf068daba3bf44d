// The way from raw findings to KernelError: taking them at a synchronisation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda_abi/inspect.h"
#include "findings/kinds.h"
#include "runtime/device.h"
#include "runtime/kernel_error.h"

namespace minitorch::runtime {

/// What a kernel is checked for beside what is always on (bounds, lifetime, barriers).
enum class CheckLevel : uint8_t {
  Memory,  // no more than that
  Full,    // uninitialised reads and races
};

/// For user kernels launched from now on; MINITORCH_CHECKS sets the start (full). The
/// library's own kernels run with `Memory` unless `library_too`.
void set_checks(CheckLevel level, bool library_too = false);
CheckLevel checks();
/// MtCheck bits for a launch.
uint32_t check_bits(bool user_kernel);
uint32_t check_bits(CheckLevel level);

/// Warp instructions that one block of a user kernel may execute; 0: no limit.
void set_budget(uint64_t warp_instructions);
uint64_t budget();

/// Nanoseconds of processor time that a launch of a user kernel may use without a block
/// ending; 0: no limit. MINITORCH_TIME_LIMIT (seconds) sets the start, a minute.
void set_time_limit(uint64_t nanoseconds);
uint64_t time_limit();

/// A finding with what the runtime knows of it.
struct Finding {
  MtFinding raw;
  std::string launch_site;
  std::string launched;  // that, and where the other of two operations was called
  std::string text;      // whole sentence with hint, without the launch site
};

/// `raw` with its launch site and text.
Finding described(const MtFinding& raw);

/// Sets who words the findings of kernels that have an owner (launch_record.h): it gets
/// the finding with our own words, and returns better ones or "".
void set_finding_words(std::function<std::string(const Finding&)> words);

/// Takes what the device found since the last call, keeps it for `last_findings`, and
/// raises the first error, one that ended a kernel before others. `result` is what the
/// driver's wait returned: on a real GPU it is turned into a device_fault.
void raise_findings(Device& device, CUresult result);

/// Calls `body`; a driver call that it makes may fail because of a kernel's fault, then
/// that is what is raised.
template <class Body>
auto with_findings(Device& device, Body body) {
  try {
    return body();
  } catch (const cuda_client::OutOfMemory&) {
    throw;
  } catch (const cuda_client::CudaError& error) {
    raise_findings(device, error.result);
    throw;
  }
}

/// The same without a driver's result and without the findings that are `known`
/// already. `quiet`: raises nothing; the others wait for the next synchronisation.
void raise_other_findings(Device& device,
                          const std::function<bool(const MtFinding&)>& known,
                          bool quiet);

/// How many findings of finished work nobody has taken yet; and takes those that are
/// not kept for the next synchronisation.
uint32_t count_findings(Device& device);
std::vector<MtFinding> take_new_findings(Device& device);

/// Takes and drops what the device found (work that was cancelled).
void discard_findings(Device& device);

/// All findings (errors, warnings, notes) of the last synchronisation that had any.
std::vector<Finding> last_findings();
void clear_findings();

/// Called at a synchronisation with each warning (Python: warnings.warn).
void set_warning_hook(std::function<void(const Finding&)> hook);

/// At the end of the process: waits a little, cancels what still runs, and prints
/// errors that nobody fetched on stderr. Called by itself at exit; Python calls it
/// earlier.
void finish();

}  // namespace minitorch::runtime
