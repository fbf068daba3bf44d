// Loaded code whoever holds it: made from an image, its kernels and variables by name.
#include "libcuda/contexts/process.h"
#include "libcuda/modules/image_source.h"
#include "libcuda/modules/jit_options.h"

namespace minitorch::libcuda {
namespace {

/// The entries' names, for the hint when a name is not found.
std::string entry_names(const ptx::Module& module) {
  std::string names;
  for (const ptx::Function& function : module.functions) {
    if (!function.entry) continue;
    if (!names.empty()) names += ", ";
    names += function.name;
  }
  return names.empty() ? "no kernel at all" : names;
}

}  // namespace

std::shared_ptr<LoadedImage> load_code(std::shared_ptr<Context> context, Device& device,
                                       const void* code, const JitOptions& jit) {
  auto module = std::make_shared<LoadedImage>();
  jit.write_error("");
  jit.write_info("");
  try {
    module->image = load_image(
        device, ptx_of(device, &required(static_cast<const char*>(code), "image")),
        jit);
  } catch (const Failure& failure) {
    jit.write_error(failure.message);
    throw;
  }
  module->context = std::move(context);
  module->functions.resize(module->image->program().functions.size());
  module->handle = reinterpret_cast<CUmodule>(new_handle_value());
  process().modules.insert_as(module->handle, module);
  return module;
}

CUfunction function_handle(LoadedImage& module, uint32_t index) {
  std::lock_guard lock(module.mutex);
  CUfunction& known = module.functions[index];
  if (known == nullptr) {
    known = process().functions.insert(std::make_shared<Function>(
        module.image, index, module.handle, process().device.profile.shared_per_block));
  }
  return known;
}

CUfunction function_named(LoadedImage& module, const char* name) {
  const ptx::Module& program = module.image->program();
  const uint32_t index = program.find_function(&required(name, "name"));
  require(index != ptx::kNone && program.functions[index].entry, CUDA_ERROR_NOT_FOUND,
          "got kernel '", name, "'; need one of the module's: ", entry_names(program),
          ". C++ names are mangled unless declared extern \"C\".");
  return function_handle(module, index);
}

unsigned int list_kernels(LoadedImage& module, CUfunction* kernels, unsigned int room) {
  const auto& functions = module.image->program().functions;
  unsigned int count = 0;
  for (uint32_t index = 0; index < functions.size(); ++index) {
    if (!functions[index].entry) continue;
    if (count < room) kernels[count] = function_handle(module, index);
    ++count;
  }
  return count;
}

void find_global(const LoadedImage& module, const char* name, bool managed,
                 CUdeviceptr* pointer, size_t* bytes) {
  const ptx::Module& program = module.image->program();
  const uint32_t index = program.find_variable(&required(name, "name"));
  const uint64_t address =
      index == ptx::kNone ? 0 : module.image->loaded().variable_address[index];
  require(address != 0 && (!managed || program.variables[index].managed),
          CUDA_ERROR_NOT_FOUND, "got variable '", name, "'; need a ",
          managed ? "managed variable" : "global or constant", " of the module.");
  if (pointer != nullptr) *pointer = address;
  if (bytes != nullptr) *bytes = program.variables[index].size;
}

}  // namespace minitorch::libcuda
