// The binding of NVRTC's location, messages and cache. Where to search is
// minitorch/cuda/device/nvrtc.py's.
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/text.h"
#include "kernels/kernels.h"
#include "nvrtc/compiler.h"
#include "nvrtc/location.h"

namespace minitorch::bindings {
namespace {

using nvrtc::Diagnostic;

void set_locator(const py::function& locator) {
  auto* kept = new py::function(locator);  // outlives the interpreter
  const ReleaseGil nogil;
  nvrtc::set_locator([kept] {
    return while_python_lives([kept] {
      const auto found =
          (*kept)().cast<std::pair<std::string, std::vector<std::string>>>();
      return nvrtc::Location{found.first, found.second};
    });
  });
}

py::dict cache_statistics() {
  const nvrtc::CacheStatistics now = [] {
    const ReleaseGil nogil;
    return nvrtc::cache_statistics();
  }();
  py::dict fields;
  fields["memory_hits"] = now.memory_hits;
  fields["disk_hits"] = now.disk_hits;
  fields["compiles"] = now.compiles;
  return fields;
}

py::str compile_ptx(std::string code, std::vector<std::string> options,
                    std::string file,
                    const std::vector<std::pair<std::string, std::string>>& headers,
                    int architecture) {
  nvrtc::Request request;
  request.source = {std::move(file), std::move(code)};
  for (const auto& [name, text] : headers) request.headers.push_back({name, text});
  request.options = std::move(options);
  request.architecture = architecture;
  const auto result = [&] {
    const ReleaseGil nogil;
    return nvrtc::compile(request);
  }();
  return text_of(result->ptx);
}

/// A text of the compiler's as a property.
template <std::string Diagnostic::*field>
py::str field_of(const Diagnostic& diagnostic) {
  return text_of(diagnostic.*field);
}

py::str shown(const Diagnostic& diagnostic) {
  return text_of(nvrtc::diagnostic_text(diagnostic));
}

void init_diagnostic(py::module_& module) {
  py::class_<Diagnostic>(module, "Diagnostic", "One message of the compiler.")
      .def_property_readonly("severity", &field_of<&Diagnostic::severity>,
                             "error, warning or note.")
      .def_property_readonly("file", &field_of<&Diagnostic::file>,
                             "The file as the compiler names it.")
      .def_readonly("line", &Diagnostic::line, "From 1; 0 where it names none.")
      .def_readonly("column", &Diagnostic::column, "From 1; 0 where it names none.")
      .def_property_readonly("code", &field_of<&Diagnostic::code>,
                             "Such as #549-D, or empty.")
      .def_property_readonly("message", &field_of<&Diagnostic::message>,
                             "The message itself.")
      .def_property_readonly("source_line", &field_of<&Diagnostic::source_line>,
                             "The text of that line.")
      .def("__str__", &shown)
      .def("__repr__", &shown);
}

}  // namespace

// All of these without the GIL: a compile in another thread holds NVRTC's lock while it
// asks the locator, which is Python.
void init_nvrtc(py::module_& module) {
  init_diagnostic(module);
  module.def("set_nvrtc_locator", &set_locator, py::arg("locator"),
             "Calls `locator()`, late and once, for (library, include folders).");
  module.def("set_nvrtc_environment", &nvrtc::set_environment, py::arg("name"), Nogil(),
             "The interpreter prefix under which a location is remembered.");
  module.def(
      "nvrtc_location",
      [] {
        const nvrtc::Location found = nvrtc::location();
        return std::pair(found.library, found.include_dirs);
      },
      Nogil(), "(library, include folders) in use.");
  module.def(
      "kernel_source", [](const std::string& file) { return kernels::source(file); },
      py::arg("file"), "Text of a file of the library's kernels.");
  module.def("compile_ptx", &compile_ptx, py::arg("code"), py::arg("options"),
             py::arg("file"), py::arg("headers"), py::arg("architecture"),
             "PTX for an architecture (75 is 7.5); needs no device.");
  module.def("nvrtc_version", &nvrtc::version, Nogil(), "13005 for 13.5.");
  module.def("nvrtc_loaded", &nvrtc::loaded, Nogil(), "Has this process loaded NVRTC?");
  module.def("forget_nvrtc_location", &nvrtc::forget_location, Nogil(),
             "Searches anew at the next compile.");
  module.def("cache_statistics", &cache_statistics,
             "memory_hits, disk_hits and compiles of this process.");
  module.def("cache_directory", &nvrtc::cache_directory,
             "Folder of compiled kernels, or an empty text.");
  module.def("clear_memory_cache", &nvrtc::clear_memory_cache, Nogil(),
             "Empties the cache in memory; the disk keeps its entries.");
}

}  // namespace minitorch::bindings
