// The binding of captures and graphs of device cuda. Policy and texts are
// minitorch/cuda/device/graphs.py's.
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "runtime/graph.h"

namespace minitorch::bindings {

void init_cuda_graph(py::module_& module) {
  using runtime::Graph;
  py::class_<Graph, std::shared_ptr<Graph>>(module, "CudaGraph",
                                            "Captured work, queued by one call.")
      .def(py::init([] { return std::make_shared<Graph>(); }))
      .def(
          "capture_begin",
          [](Graph& graph, uint64_t pool, int mode) {
            graph.capture_begin(pool, CUstreamCaptureMode(mode));
          },
          py::arg("pool"), py::arg("mode"), Nogil(),
          "Captures the current stream; `mode` as a CUstreamCaptureMode.")
      .def("capture_end", &Graph::capture_end, Nogil(), "The work is complete.")
      .def("capture_abort", &Graph::capture_abort, Nogil(),
           "Ends a capture without a graph.")
      .def("replay", &Graph::replay, Nogil(), "Queues the work on the current stream.")
      .def("follow_capture", &Graph::follow_capture, Nogil(),
           "What is queued next comes after what the capture made.")
      .def("reset", &Graph::reset, Nogil(), "Forgets the work.")
      .def(
          "write_dot",
          [](const Graph& graph, const std::filesystem::path& path) {
            graph.write_dot(path.string());
          },
          py::arg("path"), Nogil(), "Writes the graph for Graphviz.")
      .def_property_readonly("captured", py::cpp_function(&Graph::captured, Nogil()),
                             "Is there work?")
      .def_property_readonly("pool", py::cpp_function(&Graph::pool, Nogil()),
                             "Number of its pool of memory.")
      .def_property_readonly("launches", py::cpp_function(&Graph::launches, Nogil()),
                             "Kernels of a replay.")
      .def_property_readonly("nodes", py::cpp_function(&Graph::nodes, Nogil()),
                             "Kernels, copies, fills.");
  module.def("new_graph_pool", &cuda_client::Allocator::new_pool,
             "A number for a pool of memory that graphs share.");
  module.def("capturing", &runtime::capturing, "Does this thread capture a graph?");
  module.def(
      "require_no_capture",
      [](const std::string& what, const std::string& instead) {
        runtime::require_no_capture(what, instead.c_str());
      },
      py::arg("what"), py::arg("instead"), Nogil(),
      "Throws GraphCaptureError, and ends the capture, when this thread captures.");
}

}  // namespace minitorch::bindings
