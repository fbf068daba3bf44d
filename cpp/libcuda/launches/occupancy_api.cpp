// The functions that say how many blocks of a kernel a multiprocessor holds.
#include "base/occupancy.h"
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/launches/launch_limits.h"

namespace minitorch::libcuda::api {
namespace {

void check_flags(unsigned int flags) {
  require(flags <= 1, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need CU_OCCUPANCY_DEFAULT or CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE.");
}

}  // namespace

CUresult occupancy_max_active_blocks(int* blocks, CUfunction handle, int block_size,
                                     size_t dynamic_shared) {
  required(blocks, "numBlocks");
  const auto function = function_of(handle);
  require(block_size > 0, CUDA_ERROR_INVALID_VALUE, "got block size ", block_size,
          "; need at least 1.");
  *blocks = resident_blocks(process().device, *function, block_size, dynamic_shared);
  return CUDA_SUCCESS;
}

CUresult occupancy_max_active_blocks_with_flags(int* blocks, CUfunction function,
                                                int block_size, size_t dynamic_shared,
                                                unsigned int flags) {
  check_flags(flags);
  return occupancy_max_active_blocks(blocks, function, block_size, dynamic_shared);
}

CUresult occupancy_max_potential_block_size(int* grid, int* block, CUfunction handle,
                                            CUoccupancyB2DSize shared_of,
                                            size_t dynamic_shared, int largest) {
  required(grid, "minGridSize");
  required(block, "blockSize");
  require(largest >= 0, CUDA_ERROR_INVALID_VALUE, "got a block size limit of ", largest,
          "; need 0 (none) or more.");
  const auto function = function_of(handle);
  const auto& device = process().device;
  const auto found = base::best_block_size(
      device.profile, block_needs(device, *function),
      [&](int threads) {
        return shared_of != nullptr ? uint64_t{shared_of(threads)}
                                    : uint64_t{dynamic_shared};
      },
      largest);
  *grid = found.grid;
  *block = found.threads;
  return CUDA_SUCCESS;
}

CUresult occupancy_max_potential_block_size_with_flags(
    int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of,
    size_t dynamic_shared, int largest, unsigned int flags) {
  check_flags(flags);
  return occupancy_max_potential_block_size(grid, block, function, shared_of,
                                            dynamic_shared, largest);
}

CUresult occupancy_available_dynamic_shared(size_t* bytes, CUfunction handle,
                                            int blocks, int block_size) {
  required(bytes, "dynamicSmemSize");
  const auto function = function_of(handle);
  require(blocks > 0 && block_size > 0, CUDA_ERROR_INVALID_VALUE, "got ", blocks,
          " blocks of ", block_size, " threads; need at least 1 of each.");
  const auto& device = process().device;
  base::BlockNeeds needs = block_needs(device, *function);
  needs.threads = block_size;
  const auto most = base::available_dynamic_shared(device.profile, needs, blocks);
  require(most.has_value(), CUDA_ERROR_INVALID_VALUE, "got ", blocks, " blocks of ",
          block_size, " threads; need fewer: so many do not fit together.");
  *bytes = static_cast<size_t>(*most);
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
