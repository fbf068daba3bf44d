// The typed form of a kernel's fault as the user sees it; composes no text for Python
// lines (minitorch/cuda does).
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "cuda_abi/inspect.h"

namespace minitorch::runtime {

/// A fault or finding of a kernel, raised at a synchronising call. `finding` holds the
/// raw fields, `launch_site` the Python source line of the launch ("train.py:12") or
/// "". `where` is "emulator" or "cuda", or the kernel if it has an owner
/// (launch_record.h).
class KernelError : public base::Error {
 public:
  KernelError(const std::string& where, const std::string& text,
              const MtFinding& finding, std::string launch_site)
      : base::Error(where, text),
        finding(finding),
        launch_site(std::move(launch_site)) {}
  MtFinding finding;
  std::string launch_site;
};

/// A launch refused before it started. `kind` is "launch_config", "arg_mismatch" or
/// "entry_not_found". Python: minitorch.cuda.LaunchError.
class LaunchError : public base::Error {
 public:
  LaunchError(const std::string& where, const std::string& what, std::string kind)
      : base::Error(where, what), kind(std::move(kind)) {}
  std::string kind;
};

}  // namespace minitorch::runtime
