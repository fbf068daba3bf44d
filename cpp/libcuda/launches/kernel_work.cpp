#include "libcuda/launches/kernel_work.h"

#include <cstring>

#include "base/text.h"
#include "libcuda/contexts/failure.h"
#include "libcuda/contexts/process.h"
#include "libcuda/inspect/print_sink.h"
#include "libcuda/inspect/report_file.h"
#include "libcuda/inspect/work_times.h"
#include "libcuda/memory/registered_host.h"
#include "libcuda/streams/host_races.h"
#include "libcuda/streams/use_of_work.h"

namespace minitorch::libcuda {
namespace {

/// What `extra` says: a packed buffer, up to CU_LAUNCH_PARAM_END.
std::vector<uint8_t> packed_parameters(void** extra, size_t needed) {
  const uint8_t* buffer = nullptr;
  const size_t* bytes = nullptr;
  for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = static_cast<const uint8_t*>(extra[i + 1]);
    } else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = static_cast<const size_t*>(extra[i + 1]);
    } else {
      fail(CUDA_ERROR_INVALID_VALUE,
           "got an unknown entry in 'extra'; need "
           "CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END.");
    }
  }
  if (needed == 0) return {};
  required(buffer, "extra's buffer");
  const size_t given = required(bytes, "extra's size");
  require(given >= needed, CUDA_ERROR_INVALID_VALUE, "got ", given,
          " bytes of parameters; need ", needed, ".");
  return {buffer, buffer + needed};
}

std::vector<uint8_t> collect_parameters(const ptx::Function& kernel, void** values,
                                        void** extra) {
  if (extra != nullptr) {
    require(values == nullptr, CUDA_ERROR_INVALID_VALUE,
            "got both kernelParams and extra; need one of them.");
    return packed_parameters(extra, kernel.parameter_bytes);
  }
  std::vector<uint8_t> buffer(kernel.parameter_bytes);
  if (kernel.parameters.empty()) return buffer;
  required(values, "kernelParams");
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Parameter& parameter = kernel.parameters[i];
    require(values[i] != nullptr, CUDA_ERROR_INVALID_VALUE, "got null for parameter ",
            i, " of '", kernel.display, "'; need a pointer to its ", parameter.size,
            " bytes.");
    std::memcpy(buffer.data() + parameter.offset, values[i], parameter.size);
  }
  return buffer;
}

/// What a record says of a launch before it runs.
MtLaunch facts_of(const KernelWork& work, const Stream& stream) {
  Context& context = *stream.context;
  MtLaunch facts{};
  facts.number = context.records().next_number();
  facts.registers = static_cast<uint32_t>(
      function_attribute(context.device, *work.function, CU_FUNC_ATTRIBUTE_NUM_REGS));
  facts.stream = stream_number(stream);
  facts.correlation = thread_state().correlation;
  facts.queued_ns = monotonic_ns();
  facts.sm_count = static_cast<uint32_t>(context.device.profile.sm_count);
  facts.blocks_per_sm = static_cast<uint32_t>(resident_blocks(
      context.device, *work.function, static_cast<int>(work.shape.block.count()),
      work.shape.dynamic_shared));
  return facts;
}

/// Device memory in which the blocks of a cooperative launch count who has come.
struct GridWorkspace {
  static constexpr uint64_t kBytes = 256;

  GridWorkspace(Memory& memory, bool wanted) : memory(memory) {
    if (!wanted) return;
    address = memory.allocate(kBytes);
    if (address == 0) throw std::bad_alloc();
    std::memset(reinterpret_cast<void*>(address), 0, kBytes);
    memory.mark_written(address, kBytes);
    memory.set_label(address, "the grid's barrier");
  }
  ~GridWorkspace() {
    if (address != 0) memory.release(address);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;

  Memory& memory;
  uint64_t address = 0;
};

/// A launch in its stream's queue; owns what the launch only points to.
struct QueuedLaunch {
  std::shared_ptr<Image> image;
  std::shared_ptr<Context> context;
  Launch launch;
  bool cooperative = false;
  MtLaunch facts{};
  std::shared_ptr<MemoryUse> use;  // null: nobody looks

  /// On a stream's thread, which nothing thrown may end.
  void run() {
    try {
      run_and_tell();
    } catch (const std::exception&) {
      context->fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
  }
  void run_and_tell() {
    Outcome outcome;
    facts.start_ns = monotonic_ns();
    report_launch();
    try {
      launch.code = image->code(launch.function);
      const GridWorkspace workspace(*launch.memory, cooperative);
      launch.grid_workspace = workspace.address;
      agree_with_host();
      outcome = simt::run(launch);
      agree_with_host();
    } catch (const std::exception& error) {
      outcome.findings.push_back(failure(error.what()));
    }
    facts.end_ns = monotonic_ns();
    context->add_outcome(outcome, launch.tag);
    const bool compared = use != nullptr && outcome.footprint != nullptr &&
                          !outcome.cancelled && !outcome.stopped();
    if (compared) use->footprint = std::move(*outcome.footprint);
    if (launch.recorded != 0) {
      context->records().add(
          std::make_unique<LaunchRecord>(launch, facts, std::move(outcome)),
          launch.recorded);
    }
    // Last: what is found is added to the record.
    if (compared) host_races().done(use);
  }
  /// Out of host memory, or a form the engine cannot prepare: the launch has failed.
  MtFinding failure(const char* what) const {
    MtFinding finding{};
    finding.kind = MtFinding_Unsupported;
    finding.severity = 2;
    finding.stopped = 1;
    finding.count = 1;
    finding.parameter_index = -1;
    const std::string& name = image->program().functions[launch.function].display;
    base::copy_text(finding.kernel, name);
    base::copy_text(finding.detail, what);
    return finding;
  }
};

/// What a launch of a graph asks of one of its kernels: who replays it may want a
/// record, and marks it in the tag; checks and limits are those of the capture.
MtLaunchOptions replay_options(MtLaunchOptions captured) {
  const MtLaunchOptions& wanted = thread_state().options;
  captured.recorded = wanted.recorded;
  if (wanted.recorded == 0) return captured;
  captured.tag |= wanted.tag;
  captured.checks |= wanted.checks & ~uint32_t{MtCheck_All};
  captured.tolerated |= wanted.tolerated;
  captured.trace_limit = wanted.trace_limit;
  captured.trace_filter = wanted.trace_filter;
  return captured;
}

}  // namespace

KernelWork kernel_work(CUfunction handle, const LaunchShape& shape, void** values,
                       void** extra) {
  KernelWork work{handle, function_of(handle),   shape, {},
                  false,  thread_state().options};
  check_launch(process().device, *work.function, shape);
  const auto replays_blocks = [&] {
    return replays(*work.function->image->code(work.function->index),
                   work.options.checks);
  };
  require(shape.grid.count() <= kMostBlocks || replays_blocks(),
          CUDA_ERROR_INVALID_VALUE, too_many_blocks(shape.grid));
  work.parameters = collect_parameters(work.function->program(), values, extra);
  return work;
}

void make_cooperative(KernelWork& work) {
  const Device& device = process().device;
  const auto& [grid, block, dynamic] = work.shape;
  const uint64_t most =
      static_cast<uint64_t>(device.profile.sm_count) *
      static_cast<uint64_t>(resident_blocks(device, *work.function,
                                            static_cast<int>(block.count()), dynamic));
  require(grid.count() <= most, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "got ",
          grid.count(), " blocks of '", work.function->program().display,
          "'; need at most ", most, ", which ", device.profile.name, " holds at once.");
  work.cooperative = true;
}

Operation operation_of(const KernelWork& work, const std::shared_ptr<Stream>& stream,
                       bool in_graph) {
  const auto& context = stream->context;
  auto queued = std::make_shared<QueuedLaunch>();
  queued->image = work.function->image;
  queued->context = context;
  queued->cooperative = work.cooperative;
  Launch& launch = queued->launch;
  launch.module = &work.function->image->loaded();
  launch.function = work.function->index;
  launch.grid = work.shape.grid;
  launch.block = work.shape.block;
  launch.dynamic_shared = work.shape.dynamic_shared;
  launch.parameters = work.parameters;
  launch.memory = &context->device.memory;
  launch.profile = &context->device.profile;
  static_cast<MtLaunchOptions&>(launch) =
      in_graph ? replay_options(work.options) : work.options;
  launch.repeatable = context->device.deterministic;
  launch.heap_limit = context->limits.heap;
  launch.threads = context->device.threads;
  launch.cancel = &stream->queue->cancel();
  launch.print = print_text;
  if (launch.recorded == 0) {
    launch.checks &= MtCheck_All;  // nobody could ask for the rest
  } else {
    queued->facts = facts_of(work, *stream);
  }
  Operation operation{[queued] { queued->run(); }, {}, {}};
  queued->use = use_of(work.function->program(), *stream, in_graph, launch.checks);
  if (queued->use != nullptr) {
    launch.checks |= kFootprintCheck;
    if (launch.recorded != 0) queued->use->user.record = queued->facts.number;
    operation.uses.push_back(queued->use);
  }
  note_times(&operation, MtOperation_Kernel, 0, *stream);
  return operation;
}

}  // namespace minitorch::libcuda
