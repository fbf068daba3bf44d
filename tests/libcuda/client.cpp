// Small driver programs that end in unusual ways; each prints what the test expects.
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "driver_table.h"
#include "kernels.h"

namespace {

using libcuda::DriverTable;

const DriverTable* driver = nullptr;

void expect_success(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, result);
  std::fflush(stdout);
  _exit(9);
}

/// Library loaded, primary context current.
void open_driver() {
  static const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  driver = &table;
  expect_success(driver->init(0), "init");
  CUcontext context = nullptr;
  expect_success(driver->primary_ctx_retain(&context, 0), "retain");
  expect_success(driver->ctx_set_current(context), "set current");
}

CUfunction kernel(const char* name) {
  CUmodule module = nullptr;
  expect_success(
      driver->module_load_data_ex(&module, libcuda::kKernels, 0, nullptr, nullptr),
      "load");
  CUfunction function = nullptr;
  expect_success(driver->module_get_function(&function, module, name), "function");
  return function;
}

void launch_endless_count(CUstream stream) {
  static const CUfunction count = kernel("count");
  static CUdeviceptr out = 0;
  if (out == 0) expect_success(driver->mem_alloc(&out, 8), "alloc");
  expect_success(driver->set_option(&MtLaunchOptions::budget, 0), "budget");
  uint64_t n = uint64_t{1} << 60;
  void* parameters[] = {&out, &n};
  expect_success(
      driver->launch_kernel(count, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr),
      "launch");
}

void launch_out_of_bounds() {
  CUdeviceptr data = 0;
  expect_success(driver->mem_alloc(&data, 4096), "alloc");
  driver->inspect_label_allocation(data, "data");
  void* parameters[] = {&data};
  expect_success(driver->launch_kernel(kernel("unguarded"), 33, 1, 1, 32, 1, 1, 0,
                                       nullptr, parameters, nullptr),
                 "launch");
}

void late_call() {
  CUdeviceptr pointer = 0;
  std::printf("late %d\n", driver->mem_alloc(&pointer, 16));
}

int exit_in_flight() {
  open_driver();
  launch_endless_count(nullptr);
  std::printf("leaving\n");
  return 0;
}

int exit_with_full_queues() {
  open_driver();
  CUstream stream = nullptr;
  expect_success(driver->stream_create(&stream, CU_STREAM_NON_BLOCKING), "stream");
  for (int i = 0; i < 100; ++i) {
    launch_endless_count(stream);
    launch_endless_count(nullptr);
  }
  std::printf("leaving\n");
  return 0;
}

int exit_in_callback() {
  open_driver();
  using Launch = CUresult(CUstream, CUhostFn, void*);
  const auto sleep_for_ever = [](void*) {
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  driver->find<Launch>("cuLaunchHostFunc")(nullptr, sleep_for_ever, nullptr);
  std::printf("leaving\n");
  return 0;
}

int fault_at_exit() {
  open_driver();
  launch_out_of_bounds();
  return 0;
}

int many_findings() {
  open_driver();
  CUdeviceptr data = 0;
  uint32_t n = 8;
  expect_success(driver->mem_alloc(&data, 32), "alloc");
  const CUfunction add_one = kernel("add_one");
  void* parameters[] = {&data, &n};
  for (int i = 0; i < 10; ++i) {
    driver->inspect_mark_undefined(data, 32, nullptr);
    expect_success(driver->launch_kernel(add_one, 1, 1, 1, 8, 1, 1, 0, nullptr,
                                         parameters, nullptr),
                   "launch");
  }
  return 0;
}

int printing(bool to_callback) {
  open_driver();
  const auto count = [](const char*, size_t bytes, void* user) {
    *static_cast<size_t*>(user) += bytes;
  };
  size_t bytes = 0;
  if (to_callback) driver->inspect_set_print_callback(count, &bytes);
  expect_success(driver->launch_kernel(kernel("hello"), 1, 1, 1, 2, 1, 1, 0, nullptr,
                                       nullptr, nullptr),
                 "launch");
  expect_success(driver->ctx_synchronize(), "synchronize");
  std::printf("callback %zu\n", bytes);
  return 0;
}

void early_call() {
  CUdeviceptr pointer = 0;
  const CUresult allocated = driver->mem_alloc(&pointer, 16);
  std::printf("early %d %d\n", allocated, driver->mem_free(pointer));
}

int late_calls() {
  std::atexit(late_call);  // runs after the driver's own end
  open_driver();
  std::atexit(early_call);  // runs before it, when thread_local objects are gone
  return 0;
}

int calls_after_fork() {
  open_driver();
  std::printf("parent %d\n", driver->ctx_synchronize());
  std::fflush(stdout);
  launch_endless_count(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    CUdeviceptr pointer = 0;
    std::printf("child %d %d %d %d\n", driver->init(0), driver->ctx_synchronize(),
                driver->mem_alloc(&pointer, 16), driver->stream_query(nullptr));
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  driver->inspect_cancel();
  std::printf("parent %d %d\n", status, driver->ctx_synchronize());
  return 0;
}

int fork_before_init() {
  const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  const pid_t child = fork();
  if (child == 0) {
    open_driver();
    std::printf("child %d\n", driver->ctx_synchronize());
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  std::printf("parent %d\n", status);
  return 0;
}

int unload() {
  open_driver();
  launch_endless_count(nullptr);
  dlclose(driver->handle);
  const DriverTable again(MINITORCH_EMULATOR_LIBRARY);
  again.inspect_cancel();
  std::printf("again %d\n", again.ctx_synchronize());
  return 0;
}

/// Another libcuda in the global scope and ours beside it, loaded in either order: each
/// answers its own callers.
int beside(bool fake_first) {
  const auto load = [](bool fake) {
    return fake ? DriverTable(MINITORCH_FAKE_LIBCUDA, RTLD_NOW | RTLD_GLOBAL)
                : DriverTable(MINITORCH_EMULATOR_LIBRARY);
  };
  const DriverTable one = load(fake_first), two = load(!fake_first);
  const DriverTable& ours = fake_first ? two : one;
  const DriverTable& fake = fake_first ? one : two;
  driver = &ours;
  int fake_count = 0, count = 0, inside = fake.find<int()>("fake_count_seen_inside")();
  CUdeviceptr fake_pointer = 0, pointer = 0;
  CUcontext context = nullptr;
  expect_success(ours.init(0), "init");
  expect_success(ours.primary_ctx_retain(&context, 0), "retain");
  expect_success(ours.ctx_set_current(context), "current");
  fake.device_get_count(&fake_count);
  ours.device_get_count(&count);
  fake.mem_alloc(&fake_pointer, 16);
  expect_success(ours.mem_alloc(&pointer, 16), "alloc");
  using Get = CUresult(const char*, void**, int, unsigned long long);
  void* found = nullptr;
  ours.find<Get>("cuGetProcAddress")("cuDeviceGetCount", &found, 12000, 0);
  int through_table = 0;
  reinterpret_cast<CUresult (*)(int*)>(found)(&through_table);
  std::printf("fake %d inside %d ours %d table %d pointers %d\n", fake_count, inside,
              count, through_table, fake_pointer == 0xfa4e && pointer != 0xfa4e);
  return 0;
}

int plain_init() {
  const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  const CUresult result = table.init(0);
  char name[64] = "";
  if (result == CUDA_SUCCESS) table.device_get_name(name, sizeof name, 0);
  std::printf("init %d %s\n", result, name);
  return 0;
}

int uninitialised() {
  const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  CUdeviceptr pointer = 0;
  int version = 0, count = 0;
  std::printf("%d %d %d\n", table.mem_alloc(&pointer, 16),
              table.device_get_count(&count), table.driver_get_version(&version));
  return 0;
}

int blocking_launch() {
  open_driver();
  CUdeviceptr data = 0;
  expect_success(driver->mem_alloc(&data, 4096), "alloc");
  void* parameters[] = {&data};
  std::printf("launch %d\n", driver->launch_kernel(kernel("unguarded"), 33, 1, 1, 32, 1,
                                                   1, 0, nullptr, parameters, nullptr));
  uint32_t count = 0;
  driver->inspect_take_findings(nullptr, 0, &count);
  std::printf("findings %u\n", count);
  return 0;
}

/// Memory of the card in MiB, and what came of a loop of some thousand instructions.
int settings() {
  open_driver();
  size_t free = 0, total = 0;
  expect_success(driver->mem_get_info(&free, &total), "info");
  CUdeviceptr out = 0;
  expect_success(driver->mem_alloc(&out, 8), "alloc");
  uint64_t n = 10'000;
  void* parameters[] = {&out, &n};
  expect_success(driver->launch_kernel(kernel("count"), 1, 1, 1, 32, 1, 1, 0, nullptr,
                                       parameters, nullptr),
                 "launch");
  const CUresult result = driver->ctx_synchronize();
  MtFinding finding;
  uint32_t found = 0;
  driver->inspect_take_findings(&finding, 1, &found);
  const bool timeout = found == 1 && finding.kind == MtFinding_Timeout;
  std::printf("%zu MiB, %s\n", total >> 20,
              result == CUDA_SUCCESS ? "ended"
              : timeout              ? "timeout"
                                     : "failed");
  return 0;
}

/// In which order blocks got their tickets.
int block_order() {
  constexpr uint32_t kBlocks = 20'000;
  open_driver();
  CUdeviceptr counter = 0, out = 0;
  expect_success(driver->mem_alloc(&counter, 4), "alloc");
  expect_success(driver->mem_alloc(&out, 4 * kBlocks), "alloc");
  expect_success(driver->memset_d32_async(counter, 0, 1, nullptr), "memset");
  void* parameters[] = {&counter, &out};
  expect_success(driver->launch_kernel(kernel("tickets"), kBlocks, 1, 1, 1, 1, 1, 0,
                                       nullptr, parameters, nullptr),
                 "launch");
  static uint32_t blocks[kBlocks];
  expect_success(driver->memcpy_dtoh(blocks, out, sizeof blocks), "copy");
  uint32_t out_of_order = 0;
  for (uint32_t i = 0; i < kBlocks; ++i) out_of_order += blocks[i] != i;
  std::printf(out_of_order == 0 ? "in order\n" : "mixed\n");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "exit_in_flight") return exit_in_flight();
  if (what == "exit_with_full_queues") return exit_with_full_queues();
  if (what == "exit_in_callback") return exit_in_callback();
  if (what == "fault_at_exit") return fault_at_exit();
  if (what == "many_findings") return many_findings();
  if (what == "print_to_stdout") return printing(false);
  if (what == "print_to_callback") return printing(true);
  if (what == "late_calls") return late_calls();
  if (what == "calls_after_fork") return calls_after_fork();
  if (what == "fork_before_init") return fork_before_init();
  if (what == "unload") return unload();
  if (what == "fake_first") {
    return beside(true);
  }
  if (what == "fake_second") {
    return beside(false);
  }
  if (what == "plain_init") return plain_init();
  if (what == "uninitialised") return uninitialised();
  if (what == "settings") return settings();
  if (what == "block_order") return block_order();
  if (what == "blocking_launch") return blocking_launch();
  std::printf("unknown scenario '%s'\n", what.c_str());
  return 2;
}
