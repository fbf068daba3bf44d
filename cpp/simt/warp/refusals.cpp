#include "simt/warp/refusals.h"

#include "base/text.h"

namespace minitorch::simt {
namespace {

struct Feature {
  std::string_view begins;  // an opcode
  const char* words;
};

constexpr const char* kBulk =
    "a bulk copy (TMA) of compute capability 9.0: compile for compute_80 (profile "
    "a100), where cuda::memcpy_async uses cp.async";
constexpr const char* kClusters =
    "clusters of blocks, of compute capability 9.0: use one block's shared memory, or "
    "a cooperative launch with grid.sync()";
constexpr const char* kWarpGroups =
    "products by warp groups, of compute capability 9.0a: use mma.sync or wmma";
constexpr const char* kTensorMemory =
    "tensor memory of compute capability 10.0: use mma.sync or wmma";
constexpr const char* kTextures =
    "a read of a texture, which the emulator does not have: pass the image as an array "
    "and read image[y * width + x], with x and y kept inside by min and max";
constexpr const char* kSurfaces =
    "an access of a surface, which the emulator does not have: pass the image as an "
    "array and use image[y * width + x]";

constexpr Feature kFeatures[] = {
    {"cp.async.bulk", kBulk},
    {"cp.reduce", kBulk},
    {"mbarrier.expect_tx", kBulk},
    {"mbarrier.complete_tx", kBulk},
    {"mbarrier.arrive.expect_tx", kBulk},
    {"mbarrier.arrive_drop.expect_tx", kBulk},
    {"fence.proxy", kBulk},
    {"tensormap", kBulk},
    {"st.bulk", kBulk},
    {"mbarrier.", kClusters},  // the forms on .shared::cluster
    {"barrier.cluster", kClusters},
    {"mapa", kClusters},
    {"getctarank", kClusters},
    {"st.async", kClusters},
    {"red.async", kClusters},
    {"fence.mbarrier_init", kClusters},
    {"clusterlaunchcontrol", kClusters},
    {"wgmma", kWarpGroups},
    {"setmaxnreg", kWarpGroups},
    {"tcgen05", kTensorMemory},
    {"tex", kTextures},
    {"tld4", kTextures},
    {"txq", kTextures},
    {"suld", kSurfaces},
    {"sust", kSurfaces},
    {"sured", kSurfaces},
    {"suq", kSurfaces},
};

}  // namespace

std::string refusal_of(std::string_view opcode) {
  for (const Feature& feature : kFeatures) {
    if (opcode.starts_with(feature.begins)) {
      return base::text(opcode, ", ", feature.words);
    }
  }
  return std::string(opcode);
}

}  // namespace minitorch::simt
