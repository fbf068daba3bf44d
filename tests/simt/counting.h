// What the tests of counters and traces share: a launch that is observed, sums, and a
// plain model of coalescing and banks over a trace.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine_run.h"
#include "simt/observers/observed.h"

namespace minitorch::simt {

/// The counters of a launch, or its trace, by `checks`.
inline std::shared_ptr<const Observed> observe(Launch launch, uint32_t checks,
                                               size_t threads = 1) {
  launch.checks = checks;
  launch.threads = threads;
  const Outcome outcome = run(launch);
  EXPECT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
  return outcome.observed;
}

inline Counts totals_of(const Observed& observed) {
  Counts totals{};
  for (const auto& [position, counts] : observed.by_position) {
    for (size_t i = 0; i < totals.size(); ++i) totals[i] += counts[i];
  }
  return totals;
}

inline Counts count(const Launch& launch, size_t threads = 1) {
  return totals_of(*observe(launch, MtCheck_Counters, threads));
}

/// Different sectors that a launch reads, writes, either.
using TouchedSectors = std::array<uint64_t, 3>;

inline TouchedSectors touched_sectors(const Launch& launch, size_t threads = 1,
                                      uint32_t checks = 0) {
  const auto observed = observe(launch, MtCheck_Sectors | checks, threads);
  const MtSectors& sectors = observed->sectors.value();
  return {sectors.read, sectors.written, sectors.either};
}

/// Requests, sectors and wavefronts as the plainest reading of a trace gives them: a
/// step's lanes with the first byte each touches and how many it touches.
class PlainModel {
 public:
  explicit PlainModel(const TraceColumns& trace) {
    for (size_t row = 0; row < trace.access_step.size(); ++row) {
      const uint8_t space = trace.access_space[row], kind = trace.access_kind[row];
      // A matrix instruction makes several accesses, each from its element 0 on.
      uint32_t& parts = parts_[{trace.access_step[row], space, kind}];
      parts += trace.access_element[row] == 0;
      if (space == MtSpace_Global) touch(trace, row);
      Request& request = requests_[{trace.access_step[row], space, kind, parts}];
      request.size += trace.access_size[row];
      if (trace.access_element[row] != 0) continue;
      for (uint32_t i = 0; i < 32; ++i) {
        if (trace.access_mask[row] >> i & 1) {
          request.lanes[i] = trace.access_address[row * 32 + i];
        }
      }
    }
    for (const auto& [key, request] : requests_) add(std::get<1>(key), request, key);
  }

  uint64_t requests(MtSpace space, MtAccess kind) const { return at(space, kind)[0]; }
  uint64_t passes(MtSpace space, MtAccess kind) const { return at(space, kind)[1]; }
  uint64_t bytes(MtSpace space, MtAccess kind) const { return at(space, kind)[2]; }

  TouchedSectors touched() const {
    std::set<uint64_t> either = read_;
    either.insert(written_.begin(), written_.end());
    return {read_.size(), written_.size(), either.size()};
  }

 private:
  void touch(const TraceColumns& trace, size_t row) {
    for (uint32_t i = 0; i < 32; ++i) {
      if (!(trace.access_mask[row] >> i & 1)) continue;
      const uint64_t at = trace.access_address[row * 32 + i];
      for (uint64_t byte = at; byte < at + trace.access_size[row]; ++byte) {
        if (trace.access_kind[row] != MtAccess_Write) read_.insert(byte / 32);
        if (trace.access_kind[row] != MtAccess_Read) written_.insert(byte / 32);
      }
    }
  }

  struct Request {
    uint64_t size = 0;
    std::map<uint32_t, uint64_t> lanes;
  };
  using Key = std::tuple<uint64_t, uint8_t, uint8_t, uint32_t>;  // step, ..., part

  static uint64_t sectors(const Request& request, bool local) {
    std::set<uint64_t> touched;
    for (const auto& [lane, address] : request.lanes) {
      for (uint64_t at = address; at < address + request.size; ++at) {
        touched.insert((local ? at / 4 * 128 + lane * 4 + at % 4 : at) / 32);
      }
    }
    return touched.size();
  }
  static uint64_t wavefronts(const Request& request) {
    const uint32_t each = request.size <= 4 ? 32 : request.size == 8 ? 16 : 8;
    uint64_t sum = 0;
    for (uint32_t first = 0; first < 32; first += each) {
      std::map<uint64_t, std::set<uint64_t>> words;  // by bank
      for (const auto& [lane, address] : request.lanes) {
        if (lane < first || lane >= first + each) continue;
        for (uint64_t at = address; at < address + request.size; ++at) {
          words[at / 4 % 32].insert(at / 4);
        }
      }
      size_t most = 0;
      for (const auto& [bank, used] : words) most = std::max(most, used.size());
      sum += most;
    }
    return sum;
  }
  static uint64_t turns(const Request& request) {
    std::map<uint64_t, std::set<uint32_t>> lanes;  // by bank
    for (const auto& [lane, address] : request.lanes) {
      for (uint64_t at = address; at < address + request.size; ++at) {
        lanes[at / 4 % 32].insert(lane);
      }
    }
    size_t most = 0;
    for (const auto& [bank, used] : lanes) most = std::max(most, used.size());
    return most;
  }
  void add(uint8_t space, const Request& request, const Key& key) {
    auto& sums = sums_[{space, std::get<2>(key)}];
    const bool atomic = std::get<2>(key) == MtAccess_Atomic;
    sums[0] += std::get<3>(key) == 1;
    sums[1] += space != MtSpace_Shared ? sectors(request, space == MtSpace_Local)
               : atomic                ? turns(request)
                                       : wavefronts(request);
    sums[2] += request.size * request.lanes.size();
  }
  std::array<uint64_t, 3> at(MtSpace space, MtAccess kind) const {
    const auto found =
        sums_.find({static_cast<uint8_t>(space), static_cast<uint8_t>(kind)});
    return found == sums_.end() ? std::array<uint64_t, 3>{} : found->second;
  }

  std::map<std::tuple<uint64_t, uint8_t, uint8_t>, uint32_t> parts_;
  std::map<Key, Request> requests_;
  std::set<uint64_t> read_, written_;  // sectors of global memory
  std::map<std::pair<uint8_t, uint8_t>, std::array<uint64_t, 3>> sums_;
};

/// Counts what the plain model does: probes look at patterns, a trace has every
/// address.
inline void expect_plain_model(const Launch& launch) {
  const auto trace = observe(launch, MtCheck_Trace);
  ASSERT_TRUE(trace && trace->trace);
  ASSERT_FALSE(trace->trace->truncated);
  const PlainModel model(*trace->trace);
  const Counts counts = count(launch);
  const auto expect = [&](MtSpace space, MtAccess kind, MtCounter first) {
    EXPECT_EQ(counts[first], model.requests(space, kind)) << first;
    EXPECT_EQ(counts[first + 1], model.passes(space, kind)) << first;
    EXPECT_EQ(counts[first + 2], model.bytes(space, kind)) << first;
  };
  expect(MtSpace_Global, MtAccess_Read, MtCounter_GlobalLoadRequests);
  expect(MtSpace_Global, MtAccess_Write, MtCounter_GlobalStoreRequests);
  expect(MtSpace_Shared, MtAccess_Read, MtCounter_SharedLoadRequests);
  expect(MtSpace_Shared, MtAccess_Write, MtCounter_SharedStoreRequests);
  expect(MtSpace_Local, MtAccess_Read, MtCounter_LocalLoadRequests);
  expect(MtSpace_Local, MtAccess_Write, MtCounter_LocalStoreRequests);
  expect(MtSpace_Global, MtAccess_Atomic, MtCounter_AtomicGlobalRequests);
  expect(MtSpace_Shared, MtAccess_Atomic, MtCounter_AtomicSharedRequests);
  EXPECT_EQ(touched_sectors(launch), model.touched());
  EXPECT_EQ(touched_sectors(launch, 3), model.touched());
  EXPECT_EQ(counts[MtCounter_PtxWarpInstructions], trace->trace->block.size());
  uint64_t lanes = 0;
  for (const uint32_t mask : trace->trace->mask) {
    lanes += static_cast<uint64_t>(__builtin_popcount(mask));
  }
  EXPECT_EQ(counts[MtCounter_ActiveLanes], lanes);
}

}  // namespace minitorch::simt
