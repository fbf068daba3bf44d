#include "runtime/card.h"

#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::runtime {
namespace {

using base::CardProfile;

int capability(const CardProfile& card) {
  return card.compute_major * 10 + card.compute_minor;
}

// The profile whose architecture is nearest to `wanted`, an older one of equals.
const CardProfile& nearest(int wanted) {
  const CardProfile* best = &base::card_profiles().front();
  for (const CardProfile& card : base::card_profiles())
    if (std::abs(capability(card) - wanted) < std::abs(capability(*best) - wanted))
      best = &card;
  return *best;
}

CardProfile gpu_card(const cuda_client::Api& api) {
  CardProfile card = nearest(api.compute_capability());
  const auto figure = [&](CUdevice_attribute attribute) {
    return static_cast<uint32_t>(api.attribute(attribute));
  };
  card.key = "gpu";
  card.name = api.device_name();
  card.compute_major = api.compute_capability() / 10;
  card.compute_minor = api.compute_capability() % 10;
  card.sm_count = api.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  card.max_warps_per_sm =
      api.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 32;
  card.max_blocks_per_sm =
      api.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  card.shared_per_sm = figure(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  card.shared_per_block = figure(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  card.shared_per_block_optin =
      figure(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  card.shared_reserved = figure(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  card.registers_per_sm = figure(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  card.clock_khz = api.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  card.memory_clock_khz = api.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  card.memory_bus_bits = api.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  // Two transfers a clock over the whole bus.
  card.bandwidth = uint64_t{2000} * static_cast<uint64_t>(card.memory_clock_khz) *
                   static_cast<uint64_t>(card.memory_bus_bits) / 8;
  return card;
}

}  // namespace

const CardProfile& card_named(const std::string& key) {
  if (const CardProfile* card = base::find_card_profile(key)) return *card;
  std::string names;
  for (const CardProfile& card : base::card_profiles())
    names += base::text(names.empty() ? "" : ", ", card.key);
  throw base::ValueError("cuda",
                         base::text("got gpu '", key, "'; need one of ", names, "."));
}

CardProfile card_of(const Device& device) {
  for (const CardProfile& card : base::card_profiles())
    if (device.emulated() && card.name == device.api().device_name()) return card;
  return gpu_card(device.api());
}

}  // namespace minitorch::runtime
