#include "runtime/packed_kernel.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/findings.h"
#include "runtime/inspection.h"
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
  for (const PackedParameter& each : parameters_) {
    bytes_ = std::max<size_t>(bytes_, each.offset + each.size);
    offsets_.push_back(each.offset);
    for (const uint32_t at : each.pointers) arrays_.push_back({at, each.name.c_str()});
  }
}

void PackedKernel::launch(const LaunchConfig& config,
                          std::span<const std::byte> arguments, uint64_t tag) {
  if (arguments.size() != bytes_)
    throw LaunchError(
        kernel_->name(),
        base::text("got ", arguments.size(), " bytes of arguments; need ", bytes_, "."),
        "arg_mismatch");
  runtime::launch(*kernel_->loaded(), config, {arguments, offsets_, arrays_}, tag);
}

namespace {

void print_nothing(const char*, size_t, void*) {}

/// While one lives, what kernels print goes nowhere.
class Silence {
 public:
  explicit Silence(cuda_client::Api& api) : api_(api) {
    api_.inspect_set_print_callback(&print_nothing, nullptr);
  }
  ~Silence() {
    api_.make_current();
    api_.inspect_set_print_callback(nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  cuda_client::Api& api_;
};

}  // namespace

bool PackedKernel::finds_mistake(const LaunchConfig& config,
                                 std::span<const std::byte> arguments, uint64_t tag,
                                 bool index_only) {
  Device& device = *kernel_->loaded()->device;
  cuda_client::Api& api = device.api();
  if (settle(device, WaitReason::Explicit) != CUDA_SUCCESS ||
      count_findings(device) != 0)
    return false;
  const Unwatched unwatched(/*checked=*/!index_only);
  const Silence silence(api);
  launch(config, arguments, tag);
  settle(device, WaitReason::Explicit);  // what failed is among the findings
  const std::vector<MtFinding> found = take_new_findings(device);
  return std::any_of(found.begin(), found.end(), [&](const MtFinding& each) {
    return index_only ? each.index_count != 0 : each.severity != 0;
  });
}

}  // namespace minitorch::runtime
