// The binding of the device: what it is, waiting for it, its launches. Policy and texts
// are minitorch/cuda's.
#include "runtime/device.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/text.h"
#include "runtime/findings.h"
#include "runtime/launch_record.h"
#include "runtime/launch_site.h"
#include "runtime/stream.h"

namespace minitorch::bindings {
namespace {

void set_launch_site_provider(const py::function& provider) {
  auto* kept = new py::function(provider);  // outlives the interpreter
  runtime::set_launch_site_provider(
      [kept] { return while_python_lives([kept] { return utf8_of((*kept)()); }); });
}

py::tuple extent(const base::Dim3& dim) { return py::make_tuple(dim.x, dim.y, dim.z); }

py::list launch_table() {
  std::vector<runtime::LaunchRow> rows;
  {
    const ReleaseGil nogil;
    rows = runtime::launch_table();
  }
  py::list table;
  for (const auto& row : rows) {
    table.append(py::make_tuple(text_of(row.kernel), text_of(row.file),
                                extent(row.grid), extent(row.block), row.launches,
                                row.seconds));
  }
  return table;
}

py::dict attribute_numbers() {
  py::dict numbers;
#define CU_DEVICE_ATTRIBUTE(name, number) numbers[#name] = number;
#include "cuda_abi/device_attributes.inc"
#undef CU_DEVICE_ATTRIBUTE
  return numbers;
}

py::dict memory_statistics() {
  const cuda_client::MemoryStatistics now = [] {
    const ReleaseGil nogil;
    return runtime::current_device().allocator()->statistics();
  }();
  py::dict fields;
  fields["allocated"] = now.allocated;
  fields["peak"] = now.peak;
  fields["reserved"] = now.reserved;
  fields["live_blocks"] = now.live_blocks;
  fields["total_allocations"] = now.total_allocations;
  return fields;
}

void init_queries(py::module_& module) {
  module.def("cuda_available", &runtime::cuda_available,
             "Is there a GPU or the emulator's library? Opens nothing.");
  module.def(
      "is_emulated", [] { return runtime::current_device().emulated(); },
      "Is device `cuda` the emulator?");
  module.def(
      "device_name", [] { return text_of(runtime::cuda_api().device_name()); },
      "Name of device `cuda`.");
  module.def(
      "driver_version", [] { return runtime::cuda_api().driver_version(); },
      "13000 for a driver of CUDA 13.0.");
  module.def(
      "driver_library", [] { return runtime::cuda_api().library(); },
      "Path or soname of the driver in use.");
  module.def(
      "compute_capability", [] { return runtime::cuda_api().compute_capability(); },
      "75 for 7.5.");
  module.def(
      "device_attribute",
      [](int attribute) {
        return runtime::cuda_api().attribute(CUdevice_attribute(attribute));
      },
      py::arg("attribute"), "A device attribute by its number in the driver API.");
  module.def(
      "device_id", [] { return uintptr_t(&runtime::cuda_api()); },
      "Which open driver device `cuda` is.");
  module.def("device_attribute_numbers", &attribute_numbers,
             "The driver API's names of device attributes, and their numbers.");
  module.def(
      "device_memory", [] { return runtime::cuda_api().memory(); },
      "Bytes of the device's memory: (free, total).");
  module.def("emulator_library", &runtime::emulator_library,
             "Path of the emulator's shared library.");
  module.def("memory_statistics", &memory_statistics,
             "Bytes allocated, peak and reserved, and counts of blocks.");
}

}  // namespace

void init_device(py::module_& module) {
  // Called at least every 50 ms by waits, without the GIL: Ctrl-C ends them.
  runtime::set_wait_hook(look_for_signals);
  init_queries(module);
  module.def(
      "synchronize", [] { runtime::synchronize(); }, Nogil(),
      "Waits for all work of the device; raises the first fault.");
  module.def("reset", &runtime::reset, Nogil(),
             "Destroys and rebuilds the device's context.");
  module.def("finish", &runtime::finish, Nogil(),
             "Ends what runs and prints faults that nobody fetched.");
  module.def("set_launch_site_provider", &set_launch_site_provider, py::arg("provider"),
             "Calls `provider()` at each launch for its source line.");
  module.def("launch_table", &launch_table,
             "Rows (kernel, file, grid, block, launches, seconds).");
  module.def("clear_launch_table", &runtime::clear_launch_table,
             "Forgets the rows of `launch_table`.");
  module.def("set_launch_timing", &runtime::set_launch_timing, py::arg("on"),
             "Times later launches with a pair of events each.");
}

}  // namespace minitorch::bindings
