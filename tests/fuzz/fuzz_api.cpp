// Sequences of driver calls made by chance, in one to three threads that share what
// they made. Every function in the driver's table is called; no call may crash or hang,
// and at the end nothing may be lost (under AddressSanitizer).
#include <iostream>
#include <thread>

#include "api_calls.h"

namespace {

using fuzz::Arguments;
using fuzz::Known;
using fuzz::Random;
using libcuda::DriverTable;

const DriverTable& cu() {
  static const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  return table;
}

struct Call {
  std::string name;
  std::function<CUresult(Random&, Known&)> run;
};

/// Calls that would wait for what nobody does, or write a file.
bool is_left_out(const std::string& name) {
  return name.rfind("cuStreamWaitValue", 0) == 0 ||
         name.rfind("cuStreamBatchMemOp", 0) == 0 ||
         name.rfind("cuGraphDebugDotPrint", 0) == 0;
}

/// Calls that take away what all others need.
bool is_rare(const std::string& name) {
  return name.rfind("cuDevicePrimaryCtxRe", 0) == 0 ||
         name.rfind("cuCtxDestroy", 0) == 0 || name.rfind("cuCtxDetach", 0) == 0 ||
         name.rfind("cuCtxPopCurrent", 0) == 0 || name.rfind("cuCtxSetCurrent", 0) == 0;
}

template <class... P>
void add(std::vector<Call>& calls, const std::string& name) {
  using Function = CUresult(P...);
  auto* const function = cu().find<Function>(name.c_str());
  if (function == nullptr || is_left_out(name)) return;
  calls.push_back({name, [function, name](Random& random, Known& known) {
                     Arguments arguments(random, known, name.c_str());
                     std::tuple<P...> made{arguments.template make<P>()...};
                     const CUresult result = std::apply(function, made);
                     if (result == CUDA_SUCCESS) {
                       std::apply([&](auto... each) { (arguments.keep(each), ...); },
                                  made);
                     }
                     return result;
                   }});
}

/// Launches take sizes that end soon.
void add_launches(std::vector<Call>& calls) {
  for (const bool cooperative : {false, true}) {
    const char* const name =
        cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
    calls.push_back({name, [cooperative, name](Random& random, Known& known) {
                       Arguments arguments(random, known, name);
                       const auto kernel = arguments.make<CUfunction>();
                       const auto stream = arguments.make<CUstream>();
                       const auto [g, b, shared, values] = arguments.shape();
                       return cooperative ? cu().launch_cooperative_kernel(
                                                kernel, g[0], g[1], g[2], b[0], b[1],
                                                b[2], shared, stream, values)
                                          : cu().launch_kernel(kernel, g[0], g[1], g[2],
                                                               b[0], b[1], b[2], shared,
                                                               stream, values, nullptr);
                     }});
  }
}

const std::vector<Call>& calls() {
  static const std::vector<Call> all = [] {
    std::vector<Call> made;
#define CU_EXPORT(base, symbol, since, implementation, ...) \
  if (std::string(#base) != "cuLaunchKernel" &&             \
      std::string(#base) != "cuLaunchCooperativeKernel") {  \
    add<__VA_ARGS__>(made, #symbol);                        \
  }
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, base, symbol, since, implementation, ...) \
  CU_EXPORT(base, symbol, since, implementation, __VA_ARGS__)              \
  CU_EXPORT(base, symbol##suffix, since, implementation, __VA_ARGS__)
#define CU_ALIAS(base, symbol, since)
#define MT_EXPORT(symbol, implementation, ...)
#define MT_EXPORT_EARLY(symbol, implementation, ...)
#include "libcuda/exports/exports.inc"
#undef CU_EXPORT
#undef CU_EXPORT_EARLY
#undef CU_EXPORT_STREAM
#undef CU_ALIAS
#undef MT_EXPORT
#undef MT_EXPORT_EARLY
    add_launches(made);
    return made;
  }();
  return all;
}

const Call& call_named(const char* name) {
  for (const Call& call : calls()) {
    if (call.name == name) return call;
  }
  std::abort();
}

/// What most programs do: calls by chance alone seldom come as far as a launch.
void play(Random& random, Known& known, const char* name) {
  call_named(name).run(random, known);
}

void prepare(Known& known, CUcontext context) {
  known.add(typeid(CUcontext), reinterpret_cast<uint64_t>(context));
  for (const size_t bytes : {size_t{4096}, size_t{1} << 20}) {
    CUdeviceptr pointer = 0;
    if (cu().mem_alloc(&pointer, bytes) == 0) known.add(typeid(CUdeviceptr), pointer);
  }
  CUmodule module = nullptr;
  if (cu().module_load_data_ex(&module, fuzz::kText, 0, nullptr, nullptr) != 0) return;
  known.add(typeid(CUmodule), reinterpret_cast<uint64_t>(module));
  for (const char* name : {"k", "spin", "none"}) {
    CUfunction function = nullptr;
    if (cu().module_get_function(&function, module, name) == 0) {
      known.add(typeid(CUfunction), reinterpret_cast<uint64_t>(function));
    }
  }
}

void one_thread(uint64_t seed, uint64_t steps, Known& known, CUcontext context,
                bool show) {
  Random random(seed);
  cu().ctx_set_current(context);
  cu().set_option(&MtLaunchOptions::budget, 20000);
  for (uint64_t i = 0; i < steps; ++i) {
    const Call& call = random.of(calls());
    if (is_rare(call.name) && !random.one_in(20)) continue;
    if (show) std::cout << call.name << std::flush;
    const CUresult result = call.run(random, known);
    if (show) std::cout << " = " << result << std::endl;
    if (random.one_in(12)) {
      play(random, known,
           random
               .of({"cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuStreamCreate",
                    "cuGraphInstantiateWithFlags", "cuGraphLaunch",
                    "cuStreamBeginCapture_v2", "cuStreamEndCapture",
                    "cuGraphAddKernelNode_v2", "cuMemAllocAsync", "cuMemFreeAsync",
                    "cuGraphCreate", "cuEventRecord", "cuStreamWaitEvent"})
               .c_str());
    }
    if (random.one_in(30)) cu().ctx_set_current(context);
  }
}

/// Ends captures and gives back what is left, in the order of a client that is going.
void finish(Known& known, CUcontext context) {
  cu().ctx_set_current(context);
  const auto each = [&](std::type_index type, auto destroy) {
    for (const uint64_t value : known.all(type)) destroy(value);
  };
  static const auto end_capture =
      cu().find<CUresult(CUstream, CUgraph*)>("cuStreamEndCapture");
  static const auto exec_destroy =
      cu().find<CUresult(CUgraphExec)>("cuGraphExecDestroy");
  static const auto graph_destroy = cu().find<CUresult(CUgraph)>("cuGraphDestroy");
  static const auto link_destroy = cu().find<CUresult(CUlinkState)>("cuLinkDestroy");
  static const auto library_unload = cu().find<CUresult(CUlibrary)>("cuLibraryUnload");
  static const auto pool_destroy =
      cu().find<CUresult(CUmemoryPool)>("cuMemPoolDestroy");
  static const auto context_destroy = cu().find<CUresult(CUcontext)>("cuCtxDestroy_v2");
  each(typeid(CUstream), [&](uint64_t value) {
    CUgraph graph = nullptr;
    end_capture(reinterpret_cast<CUstream>(value), &graph);
    if (graph != nullptr) graph_destroy(graph);
    cu().stream_destroy(reinterpret_cast<CUstream>(value));
  });
  cu().ctx_synchronize();
  each(typeid(CUgraphExec),
       [](uint64_t value) { exec_destroy(reinterpret_cast<CUgraphExec>(value)); });
  each(typeid(CUgraph),
       [](uint64_t value) { graph_destroy(reinterpret_cast<CUgraph>(value)); });
  each(typeid(CUevent),
       [](uint64_t value) { cu().event_destroy(reinterpret_cast<CUevent>(value)); });
  each(typeid(CUlinkState),
       [](uint64_t value) { link_destroy(reinterpret_cast<CUlinkState>(value)); });
  each(typeid(CUlibrary),
       [](uint64_t value) { library_unload(reinterpret_cast<CUlibrary>(value)); });
  each(typeid(CUmodule),
       [](uint64_t value) { cu().module_unload(reinterpret_cast<CUmodule>(value)); });
  each(typeid(CUdeviceptr), [](uint64_t value) { cu().mem_free(value); });
  each(typeid(fuzz::HostMemory),
       [](uint64_t value) { cu().mem_free_host(reinterpret_cast<void*>(value)); });
  each(typeid(CUmemoryPool),
       [](uint64_t value) { pool_destroy(reinterpret_cast<CUmemoryPool>(value)); });
  uint32_t count = 0;
  cu().inspect_take_findings(nullptr, 0, &count);
  each(typeid(CUcontext), [&](uint64_t value) {
    if (value != reinterpret_cast<uint64_t>(context)) {
      context_destroy(reinterpret_cast<CUcontext>(value));
    }
  });
  cu().ctx_set_current(nullptr);
  cu().primary_ctx_reset(0);
}

std::string one_input(uint64_t seed, bool show) {
  static const auto known = std::make_unique<Known>();
  known->forget();
  Random random(seed);
  CUcontext context = nullptr;
  if (cu().primary_ctx_retain(&context, 0) != 0) return "!no context";
  cu().ctx_set_current(context);
  prepare(*known, context);
  const uint64_t threads = random.of({1, 1, 1, 2, 3}), steps = 10 + random.below(60);
  std::vector<std::thread> others;
  for (uint64_t i = 1; i < threads; ++i) {
    others.emplace_back(
        [&, i] { one_thread(seed * 31 + i, steps, *known, context, show); });
  }
  one_thread(seed * 31, steps, *known, context, show);
  for (std::thread& other : others) other.join();
  finish(*known, context);
  return threads == 1 ? "one thread" : "several threads";
}

}  // namespace

int main(int argc, char** argv) {
  const fuzz::Options options(argc, argv);
  cu().init(0);
  cu().inspect_set_print_callback([](const char*, size_t, void*) {}, nullptr);
  if (options.show) std::cout << calls().size() << " functions" << std::endl;
  return fuzz::run("api", options,
                   [&](uint64_t seed) { return one_input(seed, options.show); });
}
