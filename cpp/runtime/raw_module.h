// The user's own kernels: modules from CUDA C++ or PTX, and checked launches of their
// kernels.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cuda_client/buffer.h"
#include "cuda_client/module.h"
#include "nvrtc/compiler.h"
#include "ptx/entries.h"
#include "runtime/argument_check.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/signature.h"

namespace minitorch::runtime {

/// How to compile a user's source.
struct ModuleOptions {
  std::vector<std::string> options;           // for NVRTC
  std::vector<std::string> name_expressions;  // kernels that are templates
  /// Shown in messages; a rooted pseudo name unless it is a real file's.
  std::string file = "/minitorch/user/kernel.cu";
  std::vector<nvrtc::SourceFile> headers;  // in memory
  Backend backend = Backend::Auto;
  bool index_checks = false;  // cuda_client::Module
};

/// What is known of PTX that was compiled elsewhere.
struct PtxNotes {
  std::string code;              // the source: names and types of parameters
  std::string file = "the PTX";  // as in ModuleOptions
  std::map<std::string, std::string> lowered_names;  // by name expression
  bool index_checks = false;                         // cuda_client::Module
};

class RawKernel;

/// A module of the user, loaded on one device. Loaded anew after a `reset`.
class RawModule : public std::enable_shared_from_this<RawModule> {
 public:
  /// Throws nvrtc::CompileError.
  static std::shared_ptr<RawModule> from_source(std::string code,
                                                ModuleOptions options);
  /// From PTX, or from a cubin where the driver runs machine code. Throws
  /// cuda_client::ImageError with the driver's log.
  static std::shared_ptr<RawModule> from_ptx(std::string ptx,
                                             Backend backend = Backend::Auto);
  /// The same of what another process compiled: findings have the words they had there.
  static std::shared_ptr<RawModule> from_ptx(std::string ptx, PtxNotes notes,
                                             Backend backend = Backend::Auto);

  /// The kernel called `name` (or given by that name expression). Throws
  /// LaunchError("entry_not_found") that lists the kernels there are.
  std::shared_ptr<RawKernel> function(const std::string& name);
  /// The memory of a variable, given by its name or by a name expression ("&ns::x").
  /// It keeps the module. Throws ValueError if there is no such variable.
  std::shared_ptr<cuda_client::Buffer> global(const std::string& name);

  Device& device() const { return *device_; }
  const std::string& ptx() const;
  const std::string& code() const { return code_; }
  const std::map<std::string, std::string>& lowered_names() const {
    return result_->lowered_names;
  }
  /// What was compiled: to compile it again for another card.
  const nvrtc::Request& request() const { return request_; }
  /// Warnings of the compiler.
  const std::vector<nvrtc::Diagnostic>& warnings() const;
  /// As `function` takes them: with their parameters where several have one name.
  std::vector<std::string> kernel_names() const;

 private:
  friend class RawKernel;
  RawModule() = default;
  std::shared_ptr<cuda_client::Module> loaded();
  std::string entry_name(const std::string& name) const;
  std::vector<ParameterInfo> parameters(RawKernel& kernel) const;

  Device* device_ = nullptr;
  std::string code_, ptx_, file_;
  bool index_checks_ = false;
  nvrtc::Request request_;
  std::shared_ptr<const nvrtc::Result> result_;
  std::vector<ptx::Entry> entries_;  // of the PTX; none: machine code
  std::mutex
      mutex_;  // what follows changes at launches, which may come from any thread
  std::shared_ptr<cuda_client::Module> module_;
  unsigned generation_ = 0;
};

/// One kernel of a RawModule.
class RawKernel {
 public:
  const std::string& name() const { return name_; }
  /// Its name for the linker.
  const std::string& entry() const { return entry_; }
  const std::shared_ptr<RawModule>& module() const { return module_; }
  std::span<const ParameterInfo> parameters() const { return parameters_; }

  /// Checks configuration and arguments, then launches. Throws LaunchError.
  void launch(const LaunchConfig& config, std::span<const Argument> arguments,
              uint64_t tag = launch_tag());

  int attribute(CUfunction_attribute attribute);
  /// Blocks of so many threads that the whole device holds at once.
  int64_t most_resident_blocks(uint32_t threads, uint32_t dynamic_shared);

  /// The loaded function; loads the module anew after a `reset`. What it says never
  /// changes: the setters below put another in its place.
  std::shared_ptr<const Kernel> loaded();

  /// Dynamic shared memory that a launch may take, in bytes; above 48 KiB (with the
  /// declared) it has to be set first. Throws LaunchError when the card has less.
  uint32_t max_dynamic_shared();
  void set_max_dynamic_shared(uint32_t bytes);

  /// Are its launches cooperative, so that cg::this_grid().sync() works?
  bool cooperative() const;
  void set_cooperative(bool cooperative);

 private:
  friend class RawModule;
  RawKernel() = default;
  std::shared_ptr<const Kernel> load();

  std::shared_ptr<RawModule> module_;
  std::string name_, entry_;
  std::vector<ParameterInfo> parameters_;
  mutable std::mutex mutex_;  // what follows changes at launches, see RawModule
  std::shared_ptr<const Kernel> kernel_;
  bool cooperative_ = false;
  uint32_t max_dynamic_shared_ = 0;  // asked for; 0: the default
  unsigned generation_ = 0;
};

}  // namespace minitorch::runtime
