// Owns the typed form of a kernel's fault as the user sees it; composes no text for
// Python lines (minitorch/cuda does).
#pragma once

#include <string>

#include "base/error.h"
#include "cuda_abi/inspect.h"

namespace minitorch::runtime {

/// A fault or finding of a kernel, raised at a synchronising call. `finding` holds the raw
/// fields, `launch_site` the Python source line of the launch ("train.py:12") or "".
class KernelError : public base::Error {
 public:
  KernelError(const MtFinding& finding, std::string launch_site, const std::string& text)
      : base::Error("cuda", text), finding(finding), launch_site(std::move(launch_site)) {}
  MtFinding finding;
  std::string launch_site;
};

/// A launch refused before it started: configuration or arguments. `kind` is
/// "launch_config" or "arg_mismatch". Python: minitorch.cuda.LaunchError.
class LaunchError : public base::Error {
 public:
  LaunchError(const std::string& where, const std::string& what, std::string kind)
      : base::Error(where, what), kind(std::move(kind)) {}
  std::string kind;
};

}  // namespace minitorch::runtime
