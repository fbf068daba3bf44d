// Tests occupancy as clients ask for it; the rules have tests of their own (base/).
#include "cuda_abi/work_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

class OccupancyQueries : public DriverTest {
 protected:
  using Active = CUresult(int*, CUfunction, int, size_t);
  using Potential = CUresult(int*, int*, CUfunction, CUoccupancyB2DSize, size_t, int);
  using Available = CUresult(size_t*, CUfunction, int, int);

  Active* const active =
      cu().find<Active>("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  Potential* const potential = cu().find<Potential>("cuOccupancyMaxPotentialBlockSize");
  Available* const available =
      cu().find<Available>("cuOccupancyAvailableDynamicSMemPerBlock");

  int blocks(const char* name, int threads, size_t shared) {
    int count = -1;
    EXPECT_EQ(active(&count, kernel(name), threads, shared), CUDA_SUCCESS);
    return count;
  }
};

// A T4's multiprocessor: 32 warps, 16 blocks, 64 KiB shared memory in units of 256.
TEST_F(OccupancyQueries, BlocksAreLimitedByWhatRunsOut) {
  EXPECT_EQ(blocks("vector_add", 32, 0), 16);
  EXPECT_EQ(blocks("vector_add", 256, 0), 4);
  EXPECT_EQ(blocks("vector_add", 1024, 0), 1);
  EXPECT_EQ(blocks("vector_add", 64, 20000), 3);
  EXPECT_EQ(blocks("shared_user", 64, 7 * 1024), 8);
  EXPECT_EQ(blocks("vector_add", 2048, 0), 0);
  int count = 0;
  EXPECT_EQ(active(&count, kernel("vector_add"), 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(active(nullptr, kernel("vector_add"), 32, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(active(&count, nullptr, 32, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(OccupancyQueries, TheBestBlockSizeFillsTheCard) {
  int grid = 0, block = 0;
  const CUfunction add = kernel("vector_add");
  EXPECT_EQ(potential(&grid, &block, add, nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 40);
  EXPECT_EQ(potential(&grid, &block, add, nullptr, 0, 300), CUDA_SUCCESS);
  EXPECT_EQ(block, 256);  // four of them fill 32 warps; three of 300 do not
  EXPECT_EQ(grid, 160);
  // 64 bytes a thread: 1024 threads would need the whole 64 KiB, past the ordinary 48.
  const CUoccupancyB2DSize shared_of = [](int threads) { return size_t{64} * threads; };
  EXPECT_EQ(potential(&grid, &block, add, shared_of, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(block, 512);
  EXPECT_EQ(grid, 80);
  EXPECT_EQ(potential(&grid, &block, add, nullptr, 0, -1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(potential(&grid, nullptr, add, nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(OccupancyQueries, WhatIsLeftForDynamicSharedMemory) {
  size_t bytes = 0;
  EXPECT_EQ(available(&bytes, kernel("vector_add"), 4, 128), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 16u * 1024);
  EXPECT_EQ(available(&bytes, kernel("shared_user"), 4, 128), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 15u * 1024);
  EXPECT_EQ(available(&bytes, kernel("vector_add"), 9, 128), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(available(&bytes, kernel("vector_add"), 0, 128), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace libcuda
