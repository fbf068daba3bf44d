#include "cudart/binaries.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/driver.h"

namespace minitorch::cudart {

struct Variable {
  Binary* binary;
  const char* name;
  void** managed;  // where the program keeps its address; null: not managed
};

struct Binary {
  const cudart_binary* code;
  bool tried = false;
  int error = 0;  // of loading
  CUlibrary library = nullptr;
};

namespace {

struct Registry {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Binary>> binaries;
  std::map<const void*, std::unique_ptr<Kernel>> kernels;  // by host function
  std::map<const void*, Variable> variables;               // by host variable
};

Registry& registry() {
  static auto* const all = new Registry;  // used before main and after it
  return *all;
}

/// Bytes of a fat binary, from its header: magic, version, header's size, what follows.
size_t size_of(const void* fat_binary) {
  const auto* bytes = static_cast<const char*>(fat_binary);
  uint16_t header = 0;
  uint64_t body = 0;
  std::memcpy(&header, bytes + 6, sizeof header);
  std::memcpy(&body, bytes + 8, sizeof body);
  return header + body;
}

/// Links the parts of a program that was compiled with -rdc=true.
int link(const cudart_binary& code, CUlibrary* library) {
  CUlinkState state = nullptr;
  int result = driver().link_create(0, nullptr, nullptr, &state);
  if (result != 0) return result;
  int added = 0;
  for (void** part = code.parts; *part != nullptr && result == 0; ++part) {
    result = driver().link_add_data(state, CU_JIT_INPUT_FATBINARY, *part,
                                    size_of(*part), "", 0, nullptr, nullptr);
    if (result == 0) ++added;
    // A part of the toolkit's own library has machine code alone, and is not needed.
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) result = 0;
  }
  if (result == 0 && added == 0) result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  void* image = nullptr;
  size_t bytes = 0;
  if (result == 0) result = driver().link_complete(state, &image, &bytes);
  if (result == 0)
    result = driver().library_load_data(library, image, nullptr, nullptr, 0, nullptr,
                                        nullptr, 0);
  driver().link_destroy(state);
  return result;
}

void explain_load(int error) {
  const char* message = "";
  if (inspection().last_message != nullptr) inspection().last_message(&message);
  std::fprintf(stderr, "[cudart] the program's kernels cannot be loaded (%s).%s%s\n",
               api::error_name(error), *message != '\0' ? " " : "", message);
  if (error == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    std::fprintf(stderr,
                 "[cudart] Compile with PTX that fits the card, as in nvcc -gencode "
                 "arch=compute_75,code=compute_75, or choose another card with "
                 "MINITORCH_EMULATED_GPU.\n");
  }
}

/// Loads a binary unless that was tried, and fills in where managed variables are.
int load(Binary& binary) {
  std::lock_guard lock(registry().mutex);
  if (binary.tried) return binary.error;
  binary.tried = true;
  const bool linked = binary.code->version == 2 && binary.code->parts != nullptr;
  binary.error = linked
                     ? link(*binary.code, &binary.library)
                     : driver().library_load_data(&binary.library, binary.code, nullptr,
                                                  nullptr, 0, nullptr, nullptr, 0);
  if (binary.error != 0) explain_load(binary.error);
  for (const auto& [host, variable] : registry().variables) {
    if (binary.error != 0) break;
    if (variable.binary != &binary || variable.managed == nullptr) continue;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    binary.error =
        driver().library_get_managed(&address, &bytes, binary.library, variable.name);
    *variable.managed = reinterpret_cast<void*>(address);
  }
  return binary.error;
}

Binary* binary_of(void** handle) { return reinterpret_cast<Binary*>(handle); }

}  // namespace

Kernel* kernel_of(const void* function) {
  std::lock_guard lock(registry().mutex);
  const auto known = registry().kernels.find(function);
  return known == registry().kernels.end() ? nullptr : known->second.get();
}

int load(Kernel& kernel, CUkernel* loaded) {
  *loaded = kernel.loaded.load(std::memory_order_acquire);
  if (*loaded != nullptr) return 0;
  std::lock_guard lock(registry().mutex);
  int result = load(*kernel.binary);
  if (result == 0)
    result = driver().library_get_kernel(loaded, kernel.binary->library, kernel.name);
  if (result == 0) kernel.loaded.store(*loaded, std::memory_order_release);
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : result;
}

int function_for(const void* function, CUfunction* loaded) {
  if (function == nullptr) return refuse(cudaErrorInvalidDeviceFunction);
  CUkernel kernel = nullptr;
  if (Kernel* const known = kernel_of(function)) {
    if (const int result = load(*known, &kernel); result != 0) return result;
  } else {
    kernel = static_cast<CUkernel>(const_cast<void*>(function));
  }
  return driver().kernel_get_function(loaded, kernel) == 0
             ? 0
             : refuse(cudaErrorInvalidDeviceFunction);
}

int find_variable(const void* symbol, CUdeviceptr* pointer, size_t* bytes) {
  std::lock_guard lock(registry().mutex);
  const auto known = registry().variables.find(symbol);
  const Variable* variable = nullptr;
  if (known != registry().variables.end()) variable = &known->second;
  for (const auto& [host, other] : registry().variables)  // or a managed one's address
    if (variable == nullptr && other.managed != nullptr && *other.managed == symbol)
      variable = &other;
  if (variable == nullptr) return refuse(cudaErrorInvalidSymbol);
  if (const int result = load(*variable->binary); result != 0) return result;
  const auto get = variable->managed != nullptr ? driver().library_get_managed
                                                : driver().library_get_global;
  const int result = get(pointer, bytes, variable->binary->library, variable->name);
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : result;
}

void unload_binaries() {
  std::lock_guard lock(registry().mutex);
  for (auto& [function, kernel] : registry().kernels) kernel->loaded = nullptr;
  for (auto& binary : registry().binaries) {
    if (binary->library != nullptr) driver().library_unload(binary->library);
    binary->library = nullptr;
    binary->tried = false;
    binary->error = 0;
  }
}

namespace api {

void** register_binary(void* code) {
  std::lock_guard lock(registry().mutex);
  auto binary = std::make_unique<Binary>();
  binary->code = static_cast<const cudart_binary*>(code);
  registry().binaries.push_back(std::move(binary));
  return reinterpret_cast<void**>(registry().binaries.back().get());
}

void register_binary_end(void**) {}

/// At exit, or as a library of the program is closed: its code is no longer there.
void unregister_binary(void** handle) {
  std::lock_guard lock(registry().mutex);
  Binary* const gone = binary_of(handle);
  if (gone->library != nullptr) driver().library_unload(gone->library);
  std::erase_if(registry().kernels,
                [&](const auto& row) { return row.second->binary == gone; });
  std::erase_if(registry().variables,
                [&](const auto& row) { return row.second.binary == gone; });
  std::erase_if(registry().binaries,
                [&](const auto& binary) { return binary.get() == gone; });
}

void register_function(void** handle, const char* function, char*, const char* name,
                       int, void*, void*, void*, void*, int*) {
  std::lock_guard lock(registry().mutex);
  auto kernel = std::make_unique<Kernel>();
  kernel->binary = binary_of(handle);
  kernel->name = name;
  registry().kernels.insert_or_assign(function, std::move(kernel));
}

void register_variable(void** handle, char* variable, char*, const char* name, int,
                       size_t, int, int) {
  std::lock_guard lock(registry().mutex);
  registry().variables.insert_or_assign(variable,
                                        Variable{binary_of(handle), name, nullptr});
}

void register_managed(void** handle, void** address, char*, const char* name, int,
                      size_t, int, int) {
  std::lock_guard lock(registry().mutex);
  registry().variables.insert_or_assign(address,
                                        Variable{binary_of(handle), name, address});
}

/// Called before the program first uses a managed variable.
char init_module(void** handle) {
  if (enter(true) == 0) load(*binary_of(handle));
  return 0;
}

cudart_result kernel_handle(void** handle, const void* function) {
  *handle = kernel_of(function);
  return *handle == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

}  // namespace api
}  // namespace minitorch::cudart
