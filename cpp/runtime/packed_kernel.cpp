// Owns launches whose arguments come as one buffer. Must not know Python.
#include "runtime/packed_kernel.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "runtime/findings.h"
#include "runtime/inspection.h"
#include "runtime/kernel.h"
#include "runtime/kernel_error.h"
#include "runtime/stream.h"

namespace minitorch::runtime {

PackedKernel::PackedKernel(std::shared_ptr<RawKernel> kernel,
                           std::vector<PackedParameter> parameters, uint32_t owner)
    : kernel_(std::move(kernel)), parameters_(std::move(parameters)), owner_(owner) {
  const std::span<const ParameterInfo> compiled = kernel_->parameters();
  bool same = compiled.size() == parameters_.size();
  for (size_t i = 0; same && i < compiled.size(); ++i)
    same = compiled[i].size == parameters_[i].size;
  if (!same)
    throw LaunchError(kernel_->name(),
                      base::text("got a layout of ", parameters_.size(),
                                 " parameters; the compiled kernel has ",
                                 compiled.size(), ", or others of them by size."),
                      "arg_mismatch");
  for (const PackedParameter& each : parameters_)
    bytes_ = std::max<size_t>(bytes_, each.offset + each.size);
}

// Names the arrays by their parameters for the emulator's reports, and keeps their
// memory from being reused before this stream is done with it.
void PackedKernel::announce_arrays(Device& device, CUstream stream,
                                   std::span<const std::byte> arguments) const {
  driver::Api& api = device.api();
  for (const PackedParameter& parameter : parameters_) {
    for (const uint32_t at : parameter.pointers) {
      CUdeviceptr pointer = 0;
      std::memcpy(&pointer, arguments.data() + at, sizeof pointer);
      if (pointer == 0) continue;
      device.allocator()->used_on(pointer, stream);
      // A freed array is named too: the report of its use then says which it was.
      if (api.inspect_label_allocation)
        api.inspect_label_allocation(pointer, parameter.name.c_str());
    }
  }
}

void PackedKernel::launch(base::Dim3 grid, base::Dim3 block,
                          std::span<const std::byte> arguments, uint32_t dynamic_shared,
                          std::optional<CUstream> stream) {
  if (arguments.size() != bytes_)
    throw LaunchError(
        kernel_->name(),
        base::text("got ", arguments.size(), " bytes of arguments; need ", bytes_, "."),
        "arg_mismatch");
  const std::shared_ptr<const Kernel> kernel = kernel_->loaded();
  Device& device = *kernel->device;
  const bool here = &device == &current_device();
  const CUstream queue = stream ? *stream : here ? current_stream() : nullptr;
  device.api().make_current();
  announce_arrays(device, queue, arguments);
  std::vector<void*> pointers;
  pointers.reserve(parameters_.size());
  for (const PackedParameter& each : parameters_)
    pointers.push_back(const_cast<std::byte*>(arguments.data()) + each.offset);
  launch_on(queue, *kernel, grid, block, pointers, dynamic_shared, owner_);
}

namespace {

void print_nothing(const char*, size_t, void*) {}

/// While one lives, what kernels print goes nowhere.
class Silence {
 public:
  explicit Silence(driver::Api& api) : api_(api) {
    api_.inspect_set_print_callback(&print_nothing, nullptr);
  }
  ~Silence() {
    api_.make_current();
    api_.inspect_set_print_callback(nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  driver::Api& api_;
};

}  // namespace

bool PackedKernel::finds_wrong_index(base::Dim3 grid, base::Dim3 block,
                                     std::span<const std::byte> arguments,
                                     uint32_t dynamic_shared,
                                     std::optional<CUstream> stream) {
  Device& device = *kernel_->loaded()->device;
  driver::Api& api = device.api();
  wait_for_all(device);
  api.make_current();
  if (api.ctx_synchronize() != CUDA_SUCCESS || count_findings(device) != 0)
    return false;
  const Unwatched unwatched;
  const Silence silence(api);
  launch(grid, block, arguments, dynamic_shared, stream);
  api.make_current();
  api.ctx_synchronize();  // what failed is among the findings
  const std::vector<MtFinding> found = take_new_findings(device);
  return std::any_of(found.begin(), found.end(),
                     [](const MtFinding& each) { return each.index_count != 0; });
}

}  // namespace minitorch::runtime
