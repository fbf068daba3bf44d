#include "libcuda/modules/image.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcuda/contexts/failure.h"
#include "ptx/decode.h"
#include "simt/warp/device_call.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract
namespace {

constexpr uint64_t kConstantBytes = 64 * 1024;

bool placed(const ptx::Variable& variable) {
  return variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
}

/// Functions that are called, but neither defined nor the device runtime's.
void check_calls(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (instruction.opcode.op != ptx::Op::Call || instruction.target == ptx::kNone)
        continue;
      const ptx::Function& callee = module.functions[instruction.target];
      require(!callee.external || is_device_function(callee.name),
              CUDA_ERROR_INVALID_PTX, "ptx line ", instruction.ptx_line,
              ": unresolved extern function '", callee.name, "', called by '",
              function.name,
              "'; need its definition. Link the modules by cuLinkCreate and "
              "cuLinkAddData.");
    }
  }
}

void check_target(const ptx::Module& module, const Device& device) {
  require(module.target_sm <= device.compute_capability(), CUDA_ERROR_INVALID_PTX,
          "got PTX for sm_", module.target_sm, "; need at most sm_",
          device.compute_capability(), " on ", device.profile.name,
          ". Compile for compute_", device.compute_capability(),
          " or choose another card by MINITORCH_EMULATED_GPU.");
  uint64_t constants = 0;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::Const) constants += variable.size;
  }
  require(constants <= kConstantBytes, CUDA_ERROR_INVALID_PTX, "got ", constants,
          " bytes of constant memory; need at most ", kConstantBytes, ".");
}

}  // namespace

Image::Image(Device& device, std::shared_ptr<const ptx::Module> module,
             uint32_t max_registers)
    : device_(device), max_registers_(max_registers), code_(module->functions.size()) {
  loaded_.module = std::move(module);
  const auto& variables = loaded_.module->variables;
  loaded_.variable_address.assign(variables.size(), 0);
  for (uint32_t i = 0; i < variables.size(); ++i) {
    if (placed(variables[i])) place(i);
  }
  for (uint32_t i = 0; i < variables.size(); ++i) {
    if (placed(variables[i])) write_initial(i);
  }
}

Image::~Image() {
  for (const uint64_t address : loaded_.variable_address) {
    if (address != 0) device_.memory.release(address);
  }
}

void Image::place(uint32_t index) {
  const ptx::Variable& variable = loaded_.module->variables[index];
  const auto kind = variable.space == ptx::Space::Const ? Allocation::Kind::Constant
                                                        : Allocation::Kind::Global;
  const uint64_t address =
      device_.memory.allocate(std::max<uint64_t>(variable.size, 1), kind);
  if (address == 0) {
    for (uint64_t& other : loaded_.variable_address) {
      if (other != 0) device_.memory.release(std::exchange(other, 0));
    }
    fail(CUDA_ERROR_OUT_OF_MEMORY, "no room for variable '", variable.display, "' of ",
         variable.size, " bytes.");
  }
  loaded_.variable_address[index] = address;
  device_.memory.set_label(address, variable.display);
}

void Image::write_initial(uint32_t index) {
  const ptx::Variable& variable = loaded_.module->variables[index];
  auto* bytes = reinterpret_cast<uint8_t*>(loaded_.variable_address[index]);
  // As the language says of variables without initial values.
  device_.memory.clear(loaded_.variable_address[index], variable.size);
  std::copy_n(variable.initial.begin(),
              std::min<uint64_t>(variable.initial.size(), variable.size), bytes);
  for (const auto& relocation : variable.relocations) {
    if (relocation.offset + 8 > variable.size) continue;
    const uint64_t target = relocation.function
                                ? kFunctionWindow + relocation.index
                                : loaded_.variable_address[relocation.index];
    const uint64_t value = target + static_cast<uint64_t>(relocation.addend);
    std::memcpy(bytes + relocation.offset, &value, sizeof value);
  }
  device_.memory.mark_written(loaded_.variable_address[index], variable.size);
}

std::shared_ptr<const Code> Image::code(uint32_t function) {
  std::lock_guard lock(mutex_);
  if (code_[function] == nullptr) code_[function] = make_code(loaded_, function);
  return code_[function];
}

std::shared_ptr<Image> load_image(Device& device, const std::string& ptx,
                                  const JitOptions& jit) {
  std::shared_ptr<const ptx::Module> module;
  try {
    module = ptx::decode(ptx, {.index_checks = jit.index_checks()});
  } catch (const ptx::PtxError& error) {
    fail(CUDA_ERROR_INVALID_PTX, "ptx line ", error.line, ", column ", error.column,
         ": ", error.what());
  }
  check_target(*module, device);
  check_calls(*module);
  return std::make_shared<Image>(device, std::move(module), jit.max_registers());
}

}  // namespace minitorch::libcuda
