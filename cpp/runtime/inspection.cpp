#include "runtime/inspection.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "runtime/capture.h"
#include "runtime/launch_site.h"
#include "runtime/stream.h"

namespace minitorch::runtime {
namespace {

constexpr uint64_t kUserBit = uint64_t{1} << 63;
constexpr uint64_t kGroupMask = 0x7fffffff;
constexpr int kGroupShift = 32;
// More than can be queued: the inspections bound what is kept, not the context.
constexpr uint32_t kRecordsInFlight = 1 << 16;

using Members = std::vector<std::weak_ptr<Inspection>>;

uint64_t group_of(uint64_t tag) { return tag >> kGroupShift & kGroupMask; }

void prune(Members* members) {
  std::erase_if(*members, [](const std::weak_ptr<Inspection>& member) {
    const auto alive = member.lock();
    return !alive || alive->closed();
  });
}

// The inspections this thread has open, and the number of that group.
struct Watching {
  Members members;
  uint64_t group = 0;
};
thread_local Watching t_watching;
thread_local int t_unwatched = 0;
thread_local bool t_checked = false;  // unwatched, but as the inspections ask for

}  // namespace

Unwatched::Unwatched(bool checked) : former_(std::exchange(t_checked, checked)) {
  ++t_unwatched;
}
Unwatched::~Unwatched() {
  --t_unwatched;
  t_checked = former_;
}

bool is_unwatched() { return t_unwatched != 0; }

// Groups by number, so that a record finds its inspections whatever thread takes it.
struct Inspections {
  std::recursive_mutex draining;  // never taken with Python's lock held
  std::mutex mutex;
  std::map<uint64_t, Members> groups;
  uint64_t last = 0;
  // By launch, until its record comes; of one that was refused, until no group is left.
  struct Noted {
    std::shared_ptr<const KernelFacts> kernel;
    std::vector<ArrayNote> arrays;
  };
  std::map<uint64_t, Noted> noted;

  static Inspections& all() {
    static Inspections* const made = new Inspections;
    return *made;
  }

  // Numbers the group of `members`; groups whose inspections are gone are forgotten.
  uint64_t number(const Members& members) {
    const std::lock_guard lock(mutex);
    std::erase_if(groups, [](auto& entry) {
      return std::all_of(entry.second.begin(), entry.second.end(),
                         [](const auto& member) { return member.expired(); });
    });
    if (groups.empty() && members.empty()) noted.clear();
    if (members.empty()) return 0;
    last = last % kGroupMask + 1;
    groups[last] = members;
    return last;
  }

  std::vector<std::shared_ptr<Inspection>> of(uint64_t tag) {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<Inspection>> alive;
    const auto found = groups.find(group_of(tag));
    if (found == groups.end()) return alive;
    for (const auto& member : found->second)
      if (auto inspection = member.lock()) alive.push_back(std::move(inspection));
    return alive;
  }

  static bool wants(const Inspection& inspection, bool user) {
    return user || inspection.options_.library;
  }

  void deliver(std::shared_ptr<const MtLaunch> record) {
    auto launch = std::make_shared<InspectedLaunch>();
    launch->library = !(record->tag & kUserBit);
    launch->launch_site = runtime::launch_site(record->tag);
    for (uint32_t i = 0; i < record->finding_count; ++i)
      launch->findings.push_back(described(record->findings[i]));
    const uint64_t tag = record->tag;
    take_note(record->correlation, *launch);
    launch->record = std::move(record);
    for (const auto& inspection : of(tag))
      if (wants(*inspection, !launch->library)) inspection->add(launch);
  }

  void take_note(uint64_t number, InspectedLaunch& launch) {
    const std::lock_guard lock(mutex);
    const auto found = noted.find(number);
    if (found == noted.end()) return;
    launch.kernel = std::move(found->second.kernel);
    launch.arrays = std::move(found->second.arrays);
    noted.erase(found);
  }

  // Takes every finished record out of the device. A second thread waits, for the first
  // may hold a record that is the second's: what drain() leaves is delivered.
  void drain(Device& device) {
    const std::lock_guard one_at_a_time(draining);  // again: words run Python
    cuda_client::Api& api = device.api();
    api.make_current();
    while (true) {
      const MtLaunch* raw = nullptr;
      if (api.inspect_take_launch(&raw) != CUDA_SUCCESS || !raw) return;
      deliver({raw, [shared = device.shared_api()](const MtLaunch* held) {
                 shared->inspect_release_launch(held);
               }});
    }
  }

  static uint64_t tolerated(const Inspection& inspection) {
    return inspection.tolerated_;
  }

  // One more launch is made: whether it is traced.
  static bool count(Inspection& inspection) {
    const bool traces = inspection.traces_next();
    const std::lock_guard lock(inspection.mutex_);
    ++inspection.made_;
    return traces;
  }

  static uint64_t trace_left(const Inspection& inspection) {
    const std::lock_guard lock(inspection.mutex_);
    const uint64_t most = inspection.options_.trace_bytes;
    return most - std::min(most, inspection.trace_used_);
  }
};

namespace {

uint64_t kind_bit(const std::string& name) {
  for (int32_t kind = 0; kind < MtFinding_Count; ++kind)
    if (name == findings::kind_name(kind)) return uint64_t{1} << kind;
  throw base::ValueError("inspect", base::text("got tolerate '", name,
                                               "'; need kinds of findings, such as "
                                               "barrier_divergence or warp_sync."));
}

// The emulator knows which kinds a kernel can survive: it is asked about each.
uint64_t tolerated_bits(const cuda_client::Api& api,
                        const std::vector<std::string>& names) {
  MtLaunchOptions before;
  api.check(api.inspect_launch_options(&before), "inspect");
  uint64_t bits = 0;
  for (const std::string& name : names) {
    MtLaunchOptions tried = before;
    tried.tolerated = kind_bit(name);
    if (api.inspect_set_launch_options(&tried) != CUDA_SUCCESS)
      throw base::ValueError(
          "inspect", base::text("got tolerate '", name,
                                "'; need a kind after which a kernel can go on, such "
                                "as barrier_divergence or warp_sync."));
    bits |= tried.tolerated;
  }
  before.tolerated = 0;
  api.check(api.inspect_set_launch_options(&before), "inspect");
  return bits;
}

// An inspection that records the launch that is being made, and whether it traces it.
struct Watcher {
  std::shared_ptr<Inspection> inspection;
  bool traces;
};

std::vector<Watcher> watchers(bool user_kernel) {
  std::vector<Watcher> found;
  for (const auto& member : t_watching.members) {
    auto inspection = member.lock();
    if (!inspection || inspection->closed()) continue;
    if (!Inspections::wants(*inspection, user_kernel)) continue;
    const bool traces = Inspections::count(*inspection);
    found.push_back({std::move(inspection), traces});
  }
  return found;
}

// What both ask for; more where their blocks are too many for one filter.
MtTraceFilter joined(const MtTraceFilter& a, const MtTraceFilter& b) {
  MtTraceFilter both = a;
  both.warps |= b.warps;
  if (a.block_count == 0 || b.block_count == 0) {
    both.block_count = 0;
    return both;
  }
  for (uint32_t i = 0; i < b.block_count; ++i) {
    uint64_t* const end = both.blocks + both.block_count;
    if (std::find(both.blocks, end, b.blocks[i]) != end) continue;
    if (both.block_count == MtTraceFilter::kMostBlocks) {
      both.block_count = 0;
      return both;
    }
    both.blocks[both.block_count++] = b.blocks[i];
  }
  return both;
}

void add_trace(MtLaunchOptions& told, const Inspection& inspection) {
  const MtTraceFilter& filter = inspection.options().trace_filter;
  const bool first = !(told.checks & MtCheck_Trace);
  told.trace_filter = first ? filter : joined(told.trace_filter, filter);
  told.checks |= MtCheck_Trace;
  told.trace_limit = std::max(told.trace_limit, Inspections::trace_left(inspection));
}

}  // namespace

std::shared_ptr<Inspection> Inspection::open(const InspectionOptions& options) {
  Device& device = current_device();
  if (!device.emulated())
    throw cuda_client::CudaError(
        "inspect",
        base::text("got ", device.api().device_name(),
                   ", a GPU; need the emulator: counters, traces and findings are not "
                   "available here. Set MINITORCH_CUDA=emulator."),
        CUDA_ERROR_NOT_SUPPORTED);
  synchronize(device);
  Inspections::all().drain(device);
  const uint64_t tolerated = tolerated_bits(device.api(), options.tolerate);
  std::shared_ptr<Inspection> made(new Inspection(device, options, tolerated));
  prune(&t_watching.members);
  t_watching.members.push_back(made);
  t_watching.group = Inspections::all().number(t_watching.members);
  return made;
}

void Inspection::close(bool quiet) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
  }
  prune(&t_watching.members);
  t_watching.group = Inspections::all().number(t_watching.members);
  settle(device_, WaitReason::Explicit);  // what failed is among the findings
  Inspections::all().drain(device_);
  const auto own = [this](const MtFinding& finding) {
    const auto found = Inspections::all().of(finding.launch_tag);
    const bool user = finding.launch_tag & kUserBit;
    return Inspections::wants(*this, user) &&
           std::any_of(found.begin(), found.end(),
                       [this](const auto& each) { return each.get() == this; });
  };
  raise_other_findings(device_, own, quiet);
}

void Inspection::include_other_clients() {
  MtLaunchOptions told = launch_options(device_, {}, 0);
  told.recorded = options_.most_launches;
  told.trace_limit /= std::max(options_.most_launches, 1u);
  const cuda_client::Api& api = device_.api();
  api.check(api.inspect_set_launch_options(&told), "inspect");
}

bool Inspection::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

bool Inspection::traces_next() const {
  const std::lock_guard lock(mutex_);
  const auto& chosen = options_.trace_launches;
  return options_.trace && (!chosen || chosen->contains(made_));
}

void Inspection::add(const std::shared_ptr<const InspectedLaunch>& launch) {
  const std::lock_guard lock(mutex_);
  if (launches_.size() >= options_.most_launches) {
    ++dropped_;
    return;
  }
  if (launch->record->trace) trace_used_ += launch->record->trace->bytes;
  dropped_ += launch->record->dropped_before;
  launches_.push_back(launch);
}

std::vector<std::shared_ptr<const InspectedLaunch>> Inspection::launches() {
  Inspections::all().drain(device_);
  const std::lock_guard lock(mutex_);
  return launches_;
}

uint64_t Inspection::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

bool inspects_library() { return inspects_launch(false); }

bool inspects_launch(bool user_kernel) {
  return std::any_of(t_watching.members.begin(), t_watching.members.end(),
                     [&](const std::weak_ptr<Inspection>& member) {
                       const auto inspection = member.lock();
                       return inspection && !inspection->closed() &&
                              (user_kernel || inspection->options().library);
                     });
}

void note_inspected(uint64_t number, std::shared_ptr<const KernelFacts> kernel,
                    std::span<const ArrayNote> arrays) {
  Inspections& all = Inspections::all();
  const std::lock_guard lock(all.mutex);
  all.noted[number] = {std::move(kernel), {arrays.begin(), arrays.end()}};
}

namespace {

/// The innermost one says what is checked.
void add_checks(MtLaunchOptions& told, const InspectionOptions& options) {
  told.checks &= ~uint32_t{MtCheck_All};
  told.checks |= check_bits(options.checks);
}

}  // namespace

MtLaunchOptions launch_options(Device& device, LaunchedFor whom, uint64_t tag) {
  MtLaunchOptions told;
  told.tag = tag | (whom.user ? kUserBit : 0);
  told.checks = check_bits(whom.checked);
  told.budget = whom.checked ? budget() : 0;
  told.time_limit = whom.checked ? time_limit() : 0;
  told.trace_limit = 0;
  if (t_unwatched != 0) {
    if (!t_checked) told.checks = check_bits(CheckLevel::Memory);
    for (const auto& member : t_watching.members)
      if (const auto inspection = member.lock(); t_checked && inspection)
        add_checks(told, inspection->options());
    return told;
  }
  if (t_watching.members.empty() || capturing()) return told;
  const std::vector<Watcher> recorded = watchers(whom.user);
  const bool traced = std::any_of(recorded.begin(), recorded.end(),
                                  [](const Watcher& each) { return each.traces; });
  // What is left of the room for traces is known only then.
  if (traced) wait_for_all(device, WaitReason::Explicit);
  Inspections::all().drain(device);
  for (const auto& [inspection, traces] : recorded) {
    const InspectionOptions& options = inspection->options();
    add_checks(told, options);  // what any of them records is recorded
    told.tolerated |= Inspections::tolerated(*inspection);
    if (options.counters) told.checks |= MtCheck_Counters;
    if (options.footprint) told.checks |= MtCheck_Sectors;
    if (traces) add_trace(told, *inspection);
  }
  if (recorded.empty()) return told;
  told.recorded = kRecordsInFlight;
  told.tag |= t_watching.group << kGroupShift;
  return told;
}

MtLaunchOptions replay_options(Device& device, size_t launches) {
  MtLaunchOptions told = launch_options(device, {}, 0);
  told.tag &= ~kUserBit;
  told.trace_limit /= std::max<size_t>(launches, 1);
  return told;
}

const std::vector<CounterName>& counter_names() {
  static const std::vector<CounterName> names = {
#define COUNTER(enumerator, name, metric, meaning) {#name, metric, meaning},
#include "cuda_abi/counters.inc"
#undef COUNTER
  };
  return names;
}

}  // namespace minitorch::runtime
