// Owns the functions about modules and what they contain.
#include <fstream>
#include <sstream>

#include "emulator/driver/exports.h"
#include "emulator/driver/jit_options.h"
#include "emulator/driver/launch_limits.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
namespace {

CUmodule keep_module(const std::shared_ptr<Context>& context,
                     std::shared_ptr<Image> image) {
  auto module = std::make_shared<LoadedImage>();
  module->context = context;
  module->functions.resize(image->program().functions.size());
  module->image = std::move(image);
  module->handle = reinterpret_cast<CUmodule>(new_handle_value());
  process().modules.insert_as(module->handle, module);
  return module->handle;
}

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

CUresult module_load_data_ex(CUmodule* module, const void* image, unsigned int count,
                             CUjit_option* options, void** values) {
  const auto context = current_context();
  required(module, "module");
  const JitOptions jit(count, options, values);
  const char* text = &required(static_cast<const char*>(image), "image");
  try {
    *module = keep_module(context, load_image(context->device, text));
  } catch (const Failure& failure) {
    jit.write_error(failure.message);
    jit.write_info("");
    throw;
  }
  jit.write_error("");
  jit.write_info("");
  return CUDA_SUCCESS;
}

CUresult module_load_data(CUmodule* module, const void* image) {
  return module_load_data_ex(module, image, 0, nullptr, nullptr);
}

CUresult module_load(CUmodule* module, const char* path) {
  std::ifstream file(&required(path, "fname"), std::ios::binary);
  require(file.good(), CUDA_ERROR_FILE_NOT_FOUND, "got '", path,
          "'; need a file that can be read.");
  std::ostringstream text;
  text << file.rdbuf();
  return module_load_data(module, text.str().c_str());
}

CUresult module_unload(CUmodule handle) {
  const auto module = process().modules.take(handle);
  require(module != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no loaded module.");
  process().functions.take_if(
      [&](const Function& function) { return function.module == handle; });
  return CUDA_SUCCESS;
}

CUresult module_get_function(CUfunction* function, CUmodule handle, const char* name) {
  required(function, "hfunc");
  const auto module = module_of(handle);
  const ptx::Module& program = module->image->program();
  const uint32_t index = program.find_function(&required(name, "name"));
  require(index != ptx::kNone && program.functions[index].entry, CUDA_ERROR_NOT_FOUND,
          "got kernel '", name, "'; need one of the module's: ", entry_names(program),
          ". C++ names are mangled unless declared extern \"C\".");
  std::lock_guard lock(module->mutex);
  CUfunction& known = module->functions[index];
  if (known == nullptr) {
    known = process().functions.insert(std::make_shared<Function>(
        module->image, index, handle, process().device.profile.shared_per_block));
  }
  *function = known;
  return CUDA_SUCCESS;
}

CUresult module_get_global(CUdeviceptr* pointer, size_t* bytes, CUmodule handle,
                           const char* name) {
  const auto module = module_of(handle);
  const uint32_t index =
      module->image->program().find_variable(&required(name, "name"));
  const uint64_t address =
      index == ptx::kNone ? 0 : module->image->loaded().variable_address[index];
  require(address != 0, CUDA_ERROR_NOT_FOUND, "got variable '", name,
          "'; need a global or constant of the module.");
  if (pointer != nullptr) *pointer = address;
  if (bytes != nullptr) *bytes = module->image->program().variables[index].size;
  return CUDA_SUCCESS;
}

CUresult func_get_attribute(int* value, CUfunction_attribute attribute,
                            CUfunction handle) {
  required(value, "pi");
  const auto function = function_of(handle);
  *value = function_attribute(process().device, *function, attribute);
  return CUDA_SUCCESS;
}

CUresult func_set_attribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  const auto function = function_of(handle);
  switch (static_cast<int>(attribute)) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const uint64_t most = process().device.profile.shared_per_block_optin;
      const uint64_t fixed = function->program().shared_bytes;
      require(value >= 0 && static_cast<uint64_t>(value) + fixed <= most,
              CUDA_ERROR_INVALID_VALUE, "got ", value, " bytes of dynamic and ", fixed,
              " of static shared memory; need at most ", most, " together.");
      function->dynamic_shared_limit = static_cast<uint32_t>(value);
      return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE, "got carveout ",
              value, "; need -1 to 100.");
      function->carveout = value;
      return CUDA_SUCCESS;
    default:
      fail(CUDA_ERROR_INVALID_VALUE, "function attribute ", static_cast<int>(attribute),
           " cannot be set.");
  }
}

CUresult func_set_cache_config(CUfunction handle, int config) {
  function_of(handle);
  require(config >= 0 && config <= 3, CUDA_ERROR_INVALID_VALUE, "got cache config ",
          config, "; need 0 to 3.");
  return CUDA_SUCCESS;  // a preference: without effect here
}

CUresult func_get_module(CUmodule* module, CUfunction handle) {
  required(module, "hmod") = function_of(handle)->module;
  return CUDA_SUCCESS;
}

CUresult func_get_name(const char** name, CUfunction handle) {
  required(name, "name") = function_of(handle)->program().name.c_str();
  return CUDA_SUCCESS;
}

CUresult func_get_param_info(CUfunction handle, size_t index, size_t* offset,
                             size_t* size) {
  const auto function = function_of(handle);
  const auto& parameters = function->program().parameters;
  require(index < parameters.size(), CUDA_ERROR_INVALID_VALUE, "got parameter ", index,
          "; need one of ", parameters.size(), ".");
  required(offset, "paramOffset") = parameters[index].offset;
  if (size != nullptr) *size = parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult occupancy_max_active_blocks(int* blocks, CUfunction handle, int block_size,
                                     size_t dynamic_shared) {
  required(blocks, "numBlocks");
  const auto function = function_of(handle);
  require(block_size > 0, CUDA_ERROR_INVALID_VALUE, "got block size ", block_size,
          "; need at least 1.");
  *blocks = resident_blocks(process().device, *function, block_size, dynamic_shared);
  return CUDA_SUCCESS;
}

}  // namespace minitorch::emulator::driver::api
