#include "runtime/findings.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "findings/sentences.h"
#include "runtime/launch_site.h"
#include "runtime/refusal.h"

namespace minitorch::runtime {
namespace {

constexpr uint32_t kRoomForMore = 64;  // found between counting and taking
constexpr auto kErrorSeverity = static_cast<int32_t>(findings::Severity::Error);
constexpr auto kWarningSeverity = static_cast<int32_t>(findings::Severity::Warning);

struct State {
  std::mutex mutex;
  std::vector<Finding> last;
  std::map<Device*, std::vector<MtFinding>> waiting;  // taken, but not raised yet
  std::function<void(const Finding&)> warn;
  std::function<std::string(const Finding&)> words;
};

State& state() {
  static State* const made = new State;
  return *made;
}

std::vector<MtFinding> take(Device& device) {
  std::vector<MtFinding> all = take_new_findings(device);
  const std::lock_guard lock(state().mutex);
  std::vector<MtFinding>& waiting = state().waiting[&device];
  all.insert(all.begin(), waiting.begin(), waiting.end());
  waiting.clear();
  return all;
}

/// What may be to blame where nothing else tells, such as "add at train.py:7".
std::string launches_text() {
  std::string text;
  for (const std::string& launch : launches_since_sync())
    text += base::text(text.empty() ? "" : ", ", launch);
  return text.empty() ? "unknown" : text;
}

[[noreturn]] void raise_device_fault(Device& device, CUresult result) {
  MtFinding finding{};
  finding.kind = MtFinding_DeviceFault;
  finding.severity = kErrorSeverity;
  finding.stopped = 1;
  const std::string launches = launches_text();
  forget_launches_since_sync();
  const std::string text = base::text(
      "a kernel failed with ", device.api().error_name(result), " (", int{result},
      "), a GPU does not say where. Launched since the last synchronisation: ",
      launches,
      ". Run it with MINITORCH_CUDA=emulator to see the line, then call cuda.reset() "
      "here.");
  base::copy_text(finding.detail, device.api().error_name(result));
  throw KernelError("cuda", text, finding, "");
}

std::vector<Finding> all_described(const std::vector<MtFinding>& raw) {
  std::vector<Finding> findings;
  for (const MtFinding& finding : raw) findings.push_back(described(finding));
  return findings;
}

// What ended a kernel comes before what was only found on the way.
const Finding* first_error(const std::vector<Finding>& findings) {
  const Finding* first = nullptr;
  for (const Finding& finding : findings) {
    if (finding.raw.severity != kErrorSeverity) continue;
    if (finding.raw.stopped) return &finding;
    if (!first) first = &finding;
  }
  return first;
}

// Warns, and raises the first error.
void raise_first(const std::vector<Finding>& findings) {
  std::function<void(const Finding&)> warn;
  {
    const std::lock_guard lock(state().mutex);
    warn = state().warn;
  }
  for (const Finding& finding : findings)
    if (warn && finding.raw.severity == kWarningSeverity) warn(finding);
  if (const Finding* worst = first_error(findings)) {
    forget_launches_since_sync();
    const bool owned = launch_owner(worst->raw.launch_tag) != 0;
    throw KernelError(owned ? worst->raw.kernel : "emulator", worst->text, worst->raw,
                      worst->launch_site);
  }
}

void keep_as_last(const std::vector<Finding>& findings) {
  const std::lock_guard lock(state().mutex);
  state().last = findings;
}

}  // namespace

Finding described(const MtFinding& raw) {
  const std::string site = launch_site(raw.launch_tag);
  const std::string other = launch_site(raw.operations[1].tag);
  Finding finding{raw, site, findings::launched_text(raw, site, other),
                  findings::finding_text(raw, site, other)};
  std::function<std::string(const Finding&)> words;
  {
    const std::lock_guard lock(state().mutex);
    words = state().words;
  }
  if (!words || launch_owner(raw.launch_tag) == 0) return finding;
  if (std::string better = words(finding); !better.empty())
    finding.text = std::move(better);
  return finding;
}

void set_finding_words(std::function<std::string(const Finding&)> words) {
  const std::lock_guard lock(state().mutex);
  state().words = std::move(words);
}

uint32_t count_findings(Device& device) {
  cuda_client::Api& api = device.api();
  if (!api.inspect_finding_count) return 0;
  uint32_t count = 0;
  api.make_current();
  api.check(api.inspect_finding_count(&count), "emulator");
  return count;
}

std::vector<MtFinding> take_new_findings(Device& device) {
  cuda_client::Api& api = device.api();
  if (!api.inspect_take_findings) return {};
  uint32_t count = 0;
  api.make_current();
  api.check(api.inspect_finding_count(&count), "emulator");
  const uint32_t room = count + kRoomForMore;
  const auto raw = std::make_unique_for_overwrite<MtFinding[]>(room);  // is large
  // Called even for none: it makes the context usable again after a fault.
  api.check(api.inspect_take_findings(raw.get(), room, &count), "emulator");
  return {raw.get(), raw.get() + std::min(room, count)};
}

void raise_findings(Device& device, CUresult result) {
  const std::vector<Finding> findings = all_described(take(device));
  if (!findings.empty()) {
    keep_as_last(findings);
    raise_first(findings);
  }
  if (!device.emulated() && cuda_client::is_kernel_fault(result))
    raise_device_fault(device, result);
  forget_launches_since_sync();
  device.api().check(result, "cuda");
  raise_refusal(device);
}

void raise_other_findings(Device& device,
                          const std::function<bool(const MtFinding&)>& known,
                          bool quiet) {
  std::vector<MtFinding> raw = take(device);
  if (!raw.empty()) keep_as_last(all_described(raw));
  std::erase_if(raw, known);
  if (quiet) {
    const std::lock_guard lock(state().mutex);
    state().waiting[&device] = std::move(raw);
    return;
  }
  raise_first(all_described(raw));
  forget_launches_since_sync();
}

void discard_findings(Device& device) {
  take(device);
  forget_refusal(device);
}

std::vector<Finding> last_findings() {
  const std::lock_guard lock(state().mutex);
  return state().last;
}

void clear_findings() {
  const std::lock_guard lock(state().mutex);
  state().last.clear();
}

void set_warning_hook(std::function<void(const Finding&)> hook) {
  const std::lock_guard lock(state().mutex);
  state().warn = std::move(hook);
}

namespace {

[[maybe_unused]] const bool finish_hooked = [] {
  device_hooks().finish = finish;
  return true;
}();

void print_refusal(Device& device) {
  try {
    raise_refusal(device);
  } catch (const base::Error& error) {
    std::fprintf(stderr,
                 "minitorch: %s This error was never fetched: end with "
                 "cuda.synchronize().\n",
                 error.what());
  }
}

}  // namespace

void finish() {
  constexpr auto kPatience = std::chrono::seconds(5);
  for (Device* device : opened_devices()) {
    cuda_client::Api& api = device->api();
    if (!device->emulated() || api.ctx_set_current(api.context()) != CUDA_SUCCESS)
      continue;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::vector<CUstream> streams = device->streams();
    streams.push_back(nullptr);
    const auto busy = [&] {
      return std::any_of(streams.begin(), streams.end(), [&](CUstream stream) {
        return api.stream_query(stream) == CUDA_ERROR_NOT_READY;
      });
    };
    const auto wait = [&](auto until) {
      while (busy() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    wait(end);
    if (busy()) {
      // Asked before it is stopped: what was launched is forgotten with its findings.
      const std::string launches = launches_text();
      api.inspect_cancel();
      wait(end + kPatience);  // its findings come with its end
      std::fprintf(stderr,
                   "minitorch: [emulator] a kernel still ran %lld s after the end of "
                   "the program and was stopped (launched: %s). End with "
                   "cuda.synchronize(), which waits for it.\n",
                   static_cast<long long>(kPatience.count()), launches.c_str());
    }
    for (const Finding& finding : all_described(take(*device)))
      if (finding.raw.severity == kErrorSeverity)
        std::fprintf(stderr,
                     "minitorch: [emulator] %s This error was never fetched: end "
                     "with cuda.synchronize().\n",
                     finding.text.c_str());
    print_refusal(*device);
  }
}

}  // namespace minitorch::runtime
