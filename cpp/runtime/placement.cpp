#include "runtime/placement.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/text.h"
#include "kernels/kernels.h"
#include "runtime/capture.h"
#include "runtime/inspection.h"
#include "runtime/kernel_store.h"
#include "runtime/memory.h"
#include "runtime/signature.h"
#include "runtime/stream.h"

namespace minitorch::runtime {
namespace {

constexpr const char* kRowsVariable = "minitorch_placement_rows";
constexpr const char* kGuard = " const ::minitorch_placement_guard minitorch_placed;";
constexpr uint64_t kMostBlocks = uint64_t{8} << 20;  // of a recording
constexpr size_t kNotes = 3;                         // of a block, 8 bytes each

thread_local std::weak_ptr<PlaceRecording> t_places;

std::string_view without_indent(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : line.substr(begin);
}

bool take_word(std::string_view* line, std::string_view word) {
  if (!line->starts_with(word)) return false;
  *line = without_indent(line->substr(word.size()));
  return true;
}

// Name of the module variable that a line of PTX declares; "" for any other line.
std::string_view variable_of(std::string_view line) {
  line = without_indent(line);
  for (const char* linkage : {".visible ", ".extern ", ".weak ", ".common "})
    if (take_word(&line, linkage)) break;
  if (!take_word(&line, ".global ") && !take_word(&line, ".const ")) return "";
  line = line.substr(0, line.find_first_of("[=;"));
  line = line.substr(0, line.find_last_not_of(' ') + 1);
  return line.substr(line.rfind(' ') + 1);
}

// Constants that the compiler adds never change: texts, tables of its functions.
bool is_constant_of_compiler(std::string_view name) {
  for (const char* prefix : {"$str", "__unnamed_", "__cudart_", "__nv_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

// Does some instruction have it? A constant is declared even where its value is used.
bool is_used(std::string_view ptx, std::string_view name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
  };
  int found = 0;
  for (size_t at = ptx.find(name); at != std::string_view::npos;
       at = ptx.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool whole =
        (at == 0 || !is_part(ptx[at - 1])) && (end == ptx.size() || !is_part(ptx[end]));
    if (whole && ++found > 1) return true;
  }
  return false;
}

// A module variable that a second module would have a second time; "" for none.
std::string_view own_variable(std::string_view ptx) {
  for (std::string_view rest = ptx; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view name = variable_of(rest.substr(0, end));
    if (!name.empty() && name != kRowsVariable && !is_constant_of_compiler(name) &&
        is_used(ptx, name))
      return name;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

// Why no launch of this moment is measured; "" where it can be.
std::string refusal_now(const Kernel& kernel, const LaunchConfig& config) {
  if (capturing()) return "the launch became part of a graph";
  if (kernel.device->emulated() && inspects_launch(kernel.user))
    return "cuda.inspect counts it, and would count the guard";
  if (kernel.device != &current_device()) return "it runs on another device";
  if (config.grid.count() > kMostBlocks)
    return base::text("more than ", kMostBlocks, " blocks");
  return "";
}

struct Compiled {
  std::string why;  // there is no kernel
  std::shared_ptr<Kernel> kernel = nullptr;
  CUdeviceptr rows = 0;
};

Compiled compiled_with_guard(const Kernel& kernel) {
  if (!kernel.origin) return {"it came as PTX or machine code, not as C++"};
  KernelOrigin origin = kernel.origin();
  if (!add_guard(&origin.request))
    return {"the text of its file has no kernel whose body a guard fits into"};
  Device& device = *kernel.device;
  const auto result = build_for(device, std::move(origin.request));
  // Those of the library are constants.
  const std::string_view name = kernel.user ? own_variable(result->ptx) : "";
  if (!name.empty())
    return {base::text("its module has a variable, '", name,
                       "', that a second module would not share")};
  auto module = std::make_shared<cuda_client::Module>(
      device.shared_api(), result->image(), origin.index_checks);
  Compiled made;
  made.rows = module->global(kRowsVariable).first;
  if (made.rows == 0) return {"the compiler left the guard out"};
  made.kernel = make_kernel(device, std::move(module), kernel.facts->entry, kernel.name,
                            kernel.file, {});
  made.kernel->user = kernel.user;
  made.kernel->own_text = kernel.own_text;
  return made;
}

}  // namespace

bool add_guard(nvrtc::Request* request) {
  std::string& text = request->source.text;
  const std::vector<size_t> bodies = kernel_bodies(text);
  for (auto body = bodies.rbegin(); body != bodies.rend(); ++body)
    text.insert(*body, kGuard);
  const std::string name = base::text("minitorch/", kPlacementHeader);
  request->headers.push_back({name, std::string(kernels::source(kPlacementHeader))});
  request->options.push_back("--pre-include=" + name);
  return !bodies.empty();
}

PlaceRecording::PlaceRecording(Device& device)
    : device_(device), generation_(device.generation()) {}

std::shared_ptr<PlaceRecording> PlaceRecording::open() {
  require_no_capture("a recording of places", "Begin it before the capture.");
  if (const auto other = t_places.lock(); other && !other->closed())
    throw base::StateError("record_places",
                           "got a second recording of places in this thread; need one "
                           "at a time. End the first one before.");
  std::shared_ptr<PlaceRecording> made(new PlaceRecording(current_device()));
  t_places = made;
  set_kernel_substitute(&PlaceRecording::substitute);
  return made;
}

bool PlaceRecording::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::vector<PlacedLaunch> PlaceRecording::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

PlaceRecording::Guarded& PlaceRecording::guarded(const Kernel& kernel) {
  const auto [at, is_new] = kernels_.try_emplace(kernel.facts.get());
  Guarded& entry = at->second;
  if (!is_new) return entry;
  entry.of = kernel.facts;
  try {
    Compiled made = compiled_with_guard(kernel);
    entry.kernel = std::move(made.kernel);
    entry.rows = made.rows;
    entry.why = std::move(made.why);
  } catch (const nvrtc::CompileError&) {
    entry.why = "with a guard in it, its file does not compile";
  } catch (const base::Error&) {
    entry.why = "with a guard in it, it does not load";
  }
  return entry;
}

// Makes `guarded` as `kernel` is; says why it cannot be launched like it, or "".
std::string PlaceRecording::prepare(Guarded& guarded, const Kernel& kernel,
                                    const LaunchConfig& config) const {
  if (!guarded.kernel) return guarded.why;
  Kernel& own = *guarded.kernel;
  if (own.dynamic_shared_allowed < kernel.dynamic_shared_allowed)
    allow_dynamic_shared(own, kernel.dynamic_shared_allowed);
  own.cooperative = kernel.cooperative;
  const auto threads = static_cast<uint32_t>(config.block.count());
  if (own.max_threads > 0 && threads > own.max_threads)
    return "with a guard in it, a block needs more registers than there are";
  if (!own.cooperative) return "";
  const auto most = most_resident_blocks(own, threads, config.dynamic_shared);
  return config.grid.count() > static_cast<uint64_t>(most)
             ? "with a guard in it, fewer blocks run at once than must"
             : "";
}

// Memory for a launch's notes, and where it lies in the kernel's variable: the next
// launch of this kernel in this stream is the one that sees it.
std::shared_ptr<cuda_client::Buffer> PlaceRecording::place_rows(Guarded& guarded,
                                                                uint64_t blocks) {
  const CUstream stream = current_stream();
  if (guarded.stream != stream) wait_for_all(device_, WaitReason::Explicit);
  guarded.stream = stream;
  auto rows = allocate(kNotes * sizeof(uint64_t) * blocks);
  fill_bytes(rows->pointer(), 0, rows->bytes());
  const CUdeviceptr pointer = rows->pointer();
  copy_to_device(guarded.rows, &pointer, sizeof pointer);
  return rows;
}

std::shared_ptr<const Kernel> PlaceRecording::substitute(const Kernel& kernel,
                                                         const LaunchConfig& config) {
  const std::shared_ptr<PlaceRecording> recording = t_places.lock();
  if (!recording || recording->closed() || is_unwatched()) return nullptr;
  PlaceRecording& to = *recording;
  std::optional<StreamGuard> on_stream;
  if (config.stream) on_stream.emplace(config.stream);
  PlacedLaunch launch{kernel.facts, config.grid, config.block,
                      !kernel.user, {},          refusal_now(kernel, config)};
  const uint64_t blocks = config.grid.count();
  if (launch.why.empty() && to.device_.generation() != to.generation_)
    launch.why = "cuda.reset() was called before";
  if (launch.why.empty() && to.blocks_ + blocks > kMostBlocks)
    launch.why = base::text("the recording has ", kMostBlocks, " blocks already");
  PlaceRecording::Guarded* guarded = nullptr;
  if (launch.why.empty()) {
    guarded = &to.guarded(kernel);
    launch.why = to.prepare(*guarded, kernel, config);
  }
  std::shared_ptr<cuda_client::Buffer> rows;
  if (launch.why.empty()) rows = to.place_rows(*guarded, blocks);
  const std::lock_guard lock(to.mutex_);
  if (rows) to.blocks_ += blocks;
  to.launches_.push_back(std::move(launch));
  to.rows_.push_back(rows);
  return rows ? guarded->kernel : nullptr;
}

void PlaceRecording::close(bool quiet) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
  }
  if (quiet) {
    forget();
  } else if (device_.generation() != generation_) {
    for (PlacedLaunch& launch : launches_)
      if (launch.why.empty()) launch.why = "cuda.reset() was called after it";
  } else {
    try {
      synchronize(device_);
      read();
    } catch (...) {
      forget();
      throw;
    }
  }
  rows_.clear();
  kernels_.clear();
}

void PlaceRecording::forget() {
  launches_.clear();
  rows_.clear();
  kernels_.clear();
}

void PlaceRecording::read() {
  using Row = std::array<uint64_t, kNotes>;
  for (size_t i = 0; i < launches_.size(); ++i) {
    if (!rows_[i]) continue;
    std::vector<Row> rows(rows_[i]->bytes() / sizeof(Row));
    copy_to_host(rows.data(), rows_[i]->pointer(), rows_[i]->bytes(),
                 WaitReason::Explicit);
    rows_[i] = nullptr;
    PlacedLaunch& launch = launches_[i];
    for (const Row& row : rows) {
      if (row[0] == 0) launch.why = "no guard stands in the text of its body";
      launch.blocks.push_back(
          {static_cast<uint32_t>(row[0] == 0 ? 0 : row[0] - 1), row[1], row[2]});
    }
    if (!launch.why.empty()) launch.blocks.clear();
  }
}

uint64_t timer_step() {
  const Unwatched unwatched;
  const auto out = allocate(sizeof(uint64_t));
  Arguments arguments;
  arguments.add(out->pointer()).mark_array("step");
  launch(*get_kernel({"timer_step.cu", "timer_step", ""}), {{1, 1, 1}, {1, 1, 1}},
         arguments.packed());
  uint64_t step = 0;
  copy_to_host(&step, out->pointer(), sizeof step, WaitReason::Explicit);
  return step;
}

}  // namespace minitorch::runtime
