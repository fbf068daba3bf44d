#include "runtime/raw_module.h"

#include <algorithm>

#include "base/text.h"
#include "findings/sentences.h"
#include "ptx/demangle.h"
#include "runtime/capture.h"
#include "runtime/kernel_error.h"
#include "runtime/recorder.h"

namespace minitorch::runtime {
namespace {

// Floats are scalars; an integer of 8 bytes may be a pointer, so integers are `Unknown`
// with kind 'u'; byte arrays are structs.
ParameterInfo parameter_of(const ptx::EntryParameter& read) {
  ParameterInfo info;
  info.type = read.type;
  info.size = read.element * read.elements;
  const bool real = read.letter == 'f';
  if (read.letter != 0) info.element = {real ? 'f' : 'u', read.element};
  if (real) info.kind = ParameterKind::Scalar;
  if (read.elements <= 1) return info;
  info.kind = ParameterKind::Struct;
  info.element = {'V', static_cast<uint32_t>(info.size)};
  return info;
}

// Types come from the C++ signature where it was understood and has as many parameters;
// PTX always has the sizes.
std::vector<ParameterInfo> merged(const Signature& signature, const ptx::Entry& entry) {
  std::vector<ParameterInfo> from_ptx;
  for (const ptx::EntryParameter& each : entry.parameters)
    from_ptx.push_back(parameter_of(each));
  if (!signature.known || signature.parameters.size() != from_ptx.size())
    return from_ptx;
  std::vector<ParameterInfo> parameters = signature.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool sized = parameters[i].size == from_ptx[i].size;
    if (parameters[i].kind != ParameterKind::Unknown && sized) continue;
    const std::string name = parameters[i].name, type = parameters[i].type;
    parameters[i] = from_ptx[i];
    parameters[i].name = name;
    parameters[i].type = type;
  }
  return parameters;
}

void check_device(const std::string& kernel, const Device& device,
                  std::span<const Argument> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* array = std::get_if<ArrayArgument>(&arguments[i]);
    if (array && array->api && array->api != &device.api())
      throw LaunchError(
          kernel,
          base::text("got argument ", i + 1, " on ", array->api->device_name(),
                     "; the kernel is on ", device.api().device_name(),
                     ". Copy the array first."),
          "arg_mismatch");
  }
}

}  // namespace

std::shared_ptr<RawModule> RawModule::from_source(std::string code,
                                                  ModuleOptions options) {
  require_no_capture(base::text("a kernel of ", findings::short_file(options.file),
                                ", not compiled yet,"),
                     kRunOnce);
  const LoadScope scope(options.file);
  std::shared_ptr<RawModule> module(new RawModule);
  module->device_ = &runtime::device(options.backend);
  module->file_ = options.file;
  module->index_checks_ = options.index_checks;
  nvrtc::Request request;
  request.source = {options.file, code};
  request.headers = std::move(options.headers);
  request.name_expressions = std::move(options.name_expressions);
  request.options = std::move(options.options);
  module->code_ = std::move(code);
  module->request_ = request;
  module->result_ = build_for(*module->device_, std::move(request));
  module->loaded();
  module->entries_ = ptx::read_entries(module->ptx());
  return module;
}

std::shared_ptr<RawModule> RawModule::from_ptx(std::string ptx, Backend backend) {
  return from_ptx(std::move(ptx), PtxNotes{}, backend);
}

std::shared_ptr<RawModule> RawModule::from_ptx(std::string ptx, PtxNotes notes,
                                               Backend backend) {
  require_no_capture("a module of PTX, not loaded yet,", kRunOnce);
  const LoadScope scope(notes.file);
  std::shared_ptr<RawModule> module(new RawModule);
  module->device_ = &runtime::device(backend);
  module->file_ = std::move(notes.file);
  module->code_ = std::move(notes.code);
  module->index_checks_ = notes.index_checks;
  auto result = std::make_shared<nvrtc::Result>();
  const bool machine_code =
      ptx.starts_with("\x7f\x45\x4c\x46");  // an ELF file: a cubin
  (machine_code ? result->cubin : result->ptx) = std::move(ptx);
  result->lowered_names = std::move(notes.lowered_names);
  module->result_ = std::move(result);
  module->loaded();
  module->entries_ = ptx::read_entries(module->ptx());
  return module;
}

const std::string& RawModule::ptx() const { return result_->ptx; }

const std::vector<nvrtc::Diagnostic>& RawModule::warnings() const {
  return result_->warnings;
}

std::vector<std::string> RawModule::kernel_names() const {
  std::vector<std::string> names;
  for (const ptx::Entry& entry : entries_)
    names.push_back(ptx::function_display(entry.name));
  const std::vector<std::string> readable = names;
  for (size_t i = 0; i < names.size(); ++i)
    if (std::count(readable.begin(), readable.end(), readable[i]) > 1)
      names[i] = ptx::function_signature(entries_[i].name);
  return names;
}

std::shared_ptr<cuda_client::Module> RawModule::loaded() {
  const std::lock_guard lock(mutex_);
  if (const unsigned now = device_->generation(); !module_ || generation_ != now) {
    module_ = std::make_shared<cuda_client::Module>(device_->shared_api(),
                                                    result_->image(), index_checks_);
    generation_ = now;
  }
  return module_;
}

std::string RawModule::entry_name(const std::string& name) const {
  if (const auto lowered = result_->lowered_names.find(name);
      lowered != result_->lowered_names.end())
    return lowered->second;
  // A kernel without extern "C" is found by its readable name if that is unique, else
  // by its full one.
  std::string found;
  for (const ptx::Entry& entry : entries_) {
    if (entry.name == name) return name;
    if (ptx::function_signature(entry.name) == name) return entry.name;
    if (ptx::function_display(entry.name) != name) continue;
    if (!found.empty()) return name;
    found = entry.name;
  }
  return found.empty() ? name : found;
}

std::vector<ParameterInfo> RawModule::parameters(RawKernel& kernel) const {
  for (const ptx::Entry& one : entries_)
    if (one.name == kernel.entry_)
      return merged(parse_signature(code_, kernel.name_), one);
  // Machine code: the driver knows the sizes.
  bool known = false;
  std::vector<ParameterInfo> infos;
  for (const cuda_client::ParameterSlot& slot :
       kernel.loaded()->function.parameters(&known)) {
    infos.emplace_back();
    infos.back().size = slot.size;
  }
  return infos;
}

std::shared_ptr<RawKernel> RawModule::function(const std::string& name) {
  const std::string entry = entry_name(name);
  std::shared_ptr<RawKernel> kernel(new RawKernel);
  kernel->module_ = shared_from_this();
  kernel->name_ = name;
  kernel->entry_ = entry;
  kernel->loaded();
  kernel->parameters_ = parameters(*kernel);
  return kernel;
}

std::shared_ptr<cuda_client::Buffer> RawModule::global(const std::string& name) {
  const auto& lowered = result_->lowered_names;
  auto entry = lowered.find(name);
  if (entry == lowered.end()) entry = lowered.find("&" + name);
  const std::shared_ptr<cuda_client::Module> module = loaded();
  const auto [pointer, bytes] =
      module->global(entry == lowered.end() ? name : entry->second);
  if (bytes == 0)
    throw base::ValueError(
        "cuda",
        base::text("got no variable '", name, "' in ", findings::short_file(file_),
                   "; declare it with __device__ or __constant__, outside "
                   "functions. Name one of a namespace in name_expressions: '&",
                   name, "'."));
  return std::make_shared<cuda_client::Buffer>(device_->allocator(), pointer, bytes,
                                               module);
}

std::shared_ptr<const Kernel> RawKernel::loaded() {
  const std::lock_guard lock(mutex_);
  return load();
}

std::shared_ptr<const Kernel> RawKernel::load() {
  Device& device = *module_->device_;
  if (const unsigned now = device.generation(); !kernel_ || generation_ != now) {
    const auto made =
        make_kernel(device, module_->loaded(), entry_, name_,
                    findings::short_file(module_->file_), module_->kernel_names());
    made->user = true;
    if (!module_->request_.source.text.empty())
      made->origin = [module = module_] {
        return KernelOrigin{module->request_, module->index_checks_};
      };
    made->cooperative = cooperative_;
    if (max_dynamic_shared_ > 0) allow_dynamic_shared(*made, max_dynamic_shared_);
    kernel_ = made;
    generation_ = now;
  }
  return kernel_;
}

void RawKernel::launch(const LaunchConfig& config, std::span<const Argument> arguments,
                       uint64_t tag) {
  const std::shared_ptr<const Kernel> kernel = loaded();
  check_device(name_, *kernel->device, arguments);
  const Arguments packed = pack_arguments(name_, parameters_, arguments);
  runtime::launch(*kernel, config, packed.packed(), tag);
}

int64_t RawKernel::most_resident_blocks(uint32_t threads, uint32_t dynamic_shared) {
  return runtime::most_resident_blocks(*loaded(), threads, dynamic_shared);
}

int RawKernel::attribute(CUfunction_attribute attribute) {
  return loaded()->function.attribute(attribute);
}

uint32_t RawKernel::max_dynamic_shared() {
  return static_cast<uint32_t>(
      attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
}

void RawKernel::set_max_dynamic_shared(uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<Kernel>(*load());
  allow_dynamic_shared(*changed, bytes);
  kernel_ = changed;
  max_dynamic_shared_ = bytes;
}

bool RawKernel::cooperative() const {
  const std::lock_guard lock(mutex_);
  return cooperative_;
}

void RawKernel::set_cooperative(bool cooperative) {
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<Kernel>(*load());
  changed->cooperative = cooperative;
  kernel_ = changed;
  cooperative_ = cooperative;
}

}  // namespace minitorch::runtime
