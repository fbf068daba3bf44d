#include "libcuda/launches/launch_limits.h"

#include <algorithm>

#include "libcuda/contexts/failure.h"

namespace minitorch::libcuda {
namespace {

constexpr uint32_t kThreadsPerBlock = 1024;
constexpr uint32_t kBlockZ = 64;
constexpr uint32_t kGridX = 0x7fffffff;
constexpr uint32_t kGridYZ = 65535;
constexpr uint32_t kLocalBytes = 512 * 1024;
constexpr uint32_t kRegistersPerThread = 255;
constexpr uint32_t kRegisterFile = 65536;  // of a block
constexpr int kRegisterUnit = 8;

int round_up(int value, int step) { return (value + step - 1) / step * step; }

std::string shown(const base::Dim3& size) {
  return base::text("(", size.x, ", ", size.y, ", ", size.z, ")");
}

/// What a thread may have: ptxas would spill rather than use more.
int register_limit(const Function& function) {
  const ptx::Function& kernel = function.program();
  uint32_t most = kernel.max_threads == 0 ? kRegistersPerThread
                                          : kRegisterFile / kernel.max_threads;
  most = std::min(most, kRegistersPerThread);
  for (const uint32_t wanted : {kernel.max_registers, function.image->max_registers()})
    if (wanted > 0) most = std::min(most, wanted);
  return static_cast<int>(most);
}

int registers_of(const Function& function) {
  return std::min(register_limit(function), function.estimated_registers());
}

/// Refuses what no allocation of registers makes fit. ptxas finds room for more values
/// than are counted here (it computes some again, and shares some in a warp), so that
/// only a clear excess counts.
void check_registers(const Function& function, const base::Dim3& block) {
  constexpr int kMargin = 24;
  const auto threads = static_cast<int>((block.count() + 31) / 32 * 32);
  const int needed = registers_of(function);
  const int least = std::min(needed, std::max(16, needed - kMargin));
  const bool limited = needed == register_limit(function);  // then it is exact
  const int used = round_up(limited ? needed : least, kRegisterUnit);
  require(used * threads <= static_cast<int>(kRegisterFile),
          CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "got ", block.count(), " threads of ",
          used, " registers for '", function.program().display, "'; need at most ",
          kRegisterFile,
          " registers in a block. Use fewer threads, "
          "__launch_bounds__ or CU_JIT_MAX_REGISTERS.");
}

void check_sizes(const LaunchShape& shape) {
  const auto& [grid, block, dynamic] = shape;
  require(grid.count() > 0, CUDA_ERROR_INVALID_VALUE, "got grid ", shown(grid),
          "; need at least 1 in each direction.");
  require(block.count() > 0, CUDA_ERROR_INVALID_VALUE, "got block ", shown(block),
          "; need at least 1 in each direction.");
  require(grid.x <= kGridX && grid.y <= kGridYZ && grid.z <= kGridYZ,
          CUDA_ERROR_INVALID_VALUE, "got grid ", shown(grid), "; need at most (",
          kGridX, ", ", kGridYZ, ", ", kGridYZ, ").");
  require(
      block.x <= kThreadsPerBlock && block.y <= kThreadsPerBlock && block.z <= kBlockZ,
      CUDA_ERROR_INVALID_VALUE, "got block ", shown(block), "; need at most (",
      kThreadsPerBlock, ", ", kThreadsPerBlock, ", ", kBlockZ, ").");
  require(block.count() <= kThreadsPerBlock, CUDA_ERROR_INVALID_VALUE, "got block ",
          shown(block), " = ", block.count(), " threads; need at most ",
          kThreadsPerBlock, ".");
}

void check_bounds_of_kernel(const ptx::Function& kernel, const base::Dim3& block) {
  require(kernel.max_threads == 0 || block.count() <= kernel.max_threads,
          CUDA_ERROR_INVALID_VALUE, "got ", block.count(), " threads for '",
          kernel.display, "'; need at most ", kernel.max_threads,
          " (its __launch_bounds__).");
  const uint32_t* needed = kernel.required_threads;
  const bool fits = needed[0] == 0 || (block.x == needed[0] && block.y == needed[1] &&
                                       block.z == needed[2]);
  require(fits, CUDA_ERROR_INVALID_VALUE, "got block ", shown(block), " for '",
          kernel.display, "'; need exactly (", needed[0], ", ", needed[1], ", ",
          needed[2], ").");
}

void check_memory(const Device& device, const Function& function, uint32_t dynamic) {
  const ptx::Function& kernel = function.program();
  const uint64_t fixed = kernel.shared_bytes;
  const uint64_t ordinary = device.profile.shared_per_block;
  const uint64_t most = device.profile.shared_per_block_optin;
  // Beyond the ordinary limit only dynamic memory, and only as far as it was opted in.
  const uint64_t raised = std::min(most, fixed + function.dynamic_shared_limit.load());
  require(fixed <= ordinary && fixed + dynamic <= std::max(ordinary, raised),
          CUDA_ERROR_INVALID_VALUE, "got ", fixed, " bytes of static and ", dynamic,
          " of dynamic shared memory for '", kernel.display, "'; need at most ",
          ordinary, " together, or up to ", most,
          " after raising the kernel's MAX_DYNAMIC_SHARED_SIZE_BYTES.");
  require(kernel.local_bytes <= kLocalBytes, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "got ",
          kernel.local_bytes, " bytes of local memory a thread for '", kernel.display,
          "'; need at most ", kLocalBytes, ".");
}

int constant_bytes(const ptx::Module& module) {
  uint64_t bytes = 0;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::Const) bytes += variable.size;
  }
  return static_cast<int>(bytes);
}

}  // namespace

void check_launch(const Device& device, const Function& function,
                  const LaunchShape& shape) {
  check_sizes(shape);
  check_bounds_of_kernel(function.program(), shape.block);
  check_memory(device, function, shape.dynamic_shared);
  check_registers(function, shape.block);
}

int function_attribute(const Device& device, const Function& function,
                       CUfunction_attribute attribute) {
  const ptx::Function& kernel = function.program();
  switch (static_cast<int>(attribute)) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return static_cast<int>(kernel.max_threads == 0
                                  ? kThreadsPerBlock
                                  : std::min(kThreadsPerBlock, kernel.max_threads));
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(kernel.shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return constant_bytes(function.image->program());
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(kernel.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return registers_of(function);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return function.image->program().target_sm;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return device.compute_capability();
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return static_cast<int>(function.dynamic_shared_limit.load());
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return function.carveout;
    default:
      // Attributes 10 to 17 are about clusters and graphs, which are not here.
      require(attribute > 0 && attribute <= 17, CUDA_ERROR_INVALID_VALUE,
              "got function attribute ", static_cast<int>(attribute),
              "; need 0 to 17.");
      return 0;
  }
}

base::BlockNeeds block_needs(const Device& device, const Function& function) {
  const auto of = [&](CUfunction_attribute attribute) {
    return function_attribute(device, function, attribute);
  };
  base::BlockNeeds needs;
  needs.registers = of(CU_FUNC_ATTRIBUTE_NUM_REGS);
  needs.static_shared = function.program().shared_bytes;
  needs.dynamic_limit = function.dynamic_shared_limit.load();
  needs.max_threads = of(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  needs.carveout = function.carveout;
  return needs;
}

int resident_blocks(const Device& device, const Function& function, int block_size,
                    size_t dynamic_shared) {
  base::BlockNeeds needs = block_needs(device, function);
  needs.threads = block_size;
  needs.dynamic_shared = dynamic_shared;
  return base::occupancy(device.profile, needs).blocks;
}

}  // namespace minitorch::libcuda
