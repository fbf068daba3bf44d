// The binding of what is known about host memory.
#include "array/host_memory.h"
#include "bindings/bindings.h"

namespace minitorch::bindings {

void init_memory(py::module_& module) {
  module.def(
      "memory_stats",
      [] {
        const array::HostMemory now = array::host_memory();
        py::dict found;
        found["in_use"] = now.in_use;
        found["peak_in_use"] = now.peak_in_use;
        found["cached"] = now.cached;
        found["requests"] = now.requests;
        return found;
      },
      "Bytes in use, their peak, bytes kept for reuse; blocks asked of the system.");
  module.def("reset_peak_memory", &array::reset_peak_host_memory,
             "The peak starts anew from what is in use.");
  module.def("release_cached_memory", &array::release_cached_host_memory, Nogil(),
             "Gives memory kept for reuse back to the system.");
}

}  // namespace minitorch::bindings
