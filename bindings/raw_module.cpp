// The binding of the user's modules, kernels and launches.
#include "runtime/raw_module.h"

#include <pybind11/stl.h>

#include <array>

#include "bindings/bindings.h"
#include "bindings/kernel_argument.h"
#include "bindings/text.h"
#include "runtime/packed_kernel.h"

namespace minitorch::bindings {
namespace {

using runtime::LaunchConfig;
using runtime::PackedKernel;
using runtime::ParameterInfo;
using runtime::RawKernel;
using runtime::RawModule;
using Extent = std::array<uint32_t, 3>;
using ParameterRow = std::tuple<std::string, uint32_t, uint32_t, std::vector<uint32_t>>;
using Headers = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<RawModule> from_source(std::string code,
                                       std::vector<std::string> options,
                                       std::vector<std::string> name_expressions,
                                       std::string file, const Headers& headers,
                                       bool index_checks) {
  runtime::ModuleOptions module;
  module.options = std::move(options);
  module.name_expressions = std::move(name_expressions);
  if (!file.empty()) module.file = std::move(file);
  for (const auto& [name, text] : headers) module.headers.push_back({name, text});
  module.index_checks = index_checks;
  return RawModule::from_source(std::move(code), std::move(module));
}

std::shared_ptr<RawModule> from_compiled(std::string ptx, std::string code,
                                         std::string file,
                                         std::map<std::string, std::string> names,
                                         bool index_checks) {
  return RawModule::from_ptx(std::move(ptx), {std::move(code), std::move(file),
                                              std::move(names), index_checks});
}

LaunchConfig config(const Extent& grid, const Extent& block, uint32_t shared_mem,
                    const std::optional<std::shared_ptr<cuda_client::Stream>>& stream) {
  return {base::Dim3::of(grid), base::Dim3::of(block), shared_mem,
          stream.value_or(nullptr)};
}

void launch(RawKernel& kernel, const LaunchConfig& config, const py::sequence& args) {
  const std::vector<runtime::Argument> arguments =
      to_arguments(args, kernel.parameters());
  const uint64_t tag = runtime::launch_tag();
  const ReleaseGil nogil;
  kernel.launch(config, arguments, tag);
}

std::span<const std::byte> bytes_of(const py::bytes& arguments) {
  return std::as_bytes(std::span(std::string_view(arguments)));
}

void launch_packed(PackedKernel& kernel, const LaunchConfig& config,
                   const py::bytes& arguments) {
  const std::span<const std::byte> bytes = bytes_of(arguments);
  const uint64_t tag = runtime::launch_tag(kernel.owner());
  const ReleaseGil nogil;
  kernel.launch(config, bytes, tag);
}

bool finds_mistake(PackedKernel& kernel, const LaunchConfig& config,
                   const py::bytes& arguments, bool index_only) {
  const std::span<const std::byte> bytes = bytes_of(arguments);
  const uint64_t tag = runtime::launch_tag(kernel.owner());
  const ReleaseGil nogil;
  return kernel.finds_mistake(config, bytes, tag, index_only);
}

std::shared_ptr<PackedKernel> packed(std::shared_ptr<RawKernel> kernel,
                                     const std::vector<ParameterRow>& rows,
                                     uint32_t owner) {
  std::vector<runtime::PackedParameter> parameters;
  for (const auto& [name, offset, size, pointers] : rows)
    parameters.push_back({name, offset, size, pointers});
  return std::make_shared<PackedKernel>(std::move(kernel), std::move(parameters),
                                        owner);
}

py::list parameters(const RawKernel& kernel) {
  py::list all;
  for (const ParameterInfo& each : kernel.parameters()) {
    all.append(py::make_tuple(text_of(each.name), text_of(each.type), each.size));
  }
  return all;
}

py::dict lowered_names(const RawModule& module) {
  py::dict names;
  for (const auto& [expression, name] : module.lowered_names())
    names[text_of(expression)] = text_of(name);
  return names;
}

std::vector<py::str> kernel_names(const RawModule& module) {
  std::vector<py::str> names;
  for (const std::string& name : module.kernel_names()) names.push_back(text_of(name));
  return names;
}

void init_raw_kernel(py::module_& module) {
  py::class_<RawKernel, std::shared_ptr<RawKernel>>(module, "RawKernel",
                                                    "One kernel of a RawModule.")
      .def_property_readonly(
          "name", [](const RawKernel& self) { return text_of(self.name()); },
          "Its name.")
      .def_property_readonly("module", &RawKernel::module, "The module it is in.")
      .def_property_readonly("parameters", &parameters, "Tuples (name, type, size).")
      .def(
          "attribute",
          [](RawKernel& kernel, int attribute) {
            return kernel.attribute(CUfunction_attribute(attribute));
          },
          py::arg("attribute"), "A function attribute by its number in the driver API.")
      .def("most_resident_blocks", &RawKernel::most_resident_blocks, py::arg("threads"),
           py::arg("dynamic_shared"), "Blocks that the whole device holds at once.")
      .def_property("max_dynamic_shared", &RawKernel::max_dynamic_shared,
                    &RawKernel::set_max_dynamic_shared,
                    "Dynamic shared memory a launch may take, in bytes.")
      .def_property("cooperative", &RawKernel::cooperative, &RawKernel::set_cooperative,
                    "May its blocks wait for each other?")
      .def("launch", &launch, py::arg("config"), py::arg("args"),
           "Checks and launches.");
}

void init_packed_kernel(py::module_& module) {
  py::class_<PackedKernel, std::shared_ptr<PackedKernel>>(
      module, "PackedKernel", "A kernel whose arguments come as bytes.")
      .def(py::init(&packed), py::arg("kernel"), py::arg("parameters"),
           py::arg("owner"),
           "Parameters are tuples (name, offset, size, offsets of pointers).")
      .def_property_readonly("nbytes", &PackedKernel::bytes, "Bytes of the arguments.")
      .def("launch", &launch_packed, py::arg("config"), py::arg("arguments"),
           "Launches.")
      .def(
          "finds_mistake", &finds_mistake, py::arg("config"), py::arg("arguments"),
          py::arg("index_only") = false,
          "Runs it to see whether a check fails, or only one of indices; tells nothing "
          "else.");
}

}  // namespace

void init_raw_module(py::module_& module) {
  // Declared before RawKernel, whose signatures name it.
  py::class_<RawModule, std::shared_ptr<RawModule>> raw_module(
      module, "RawModule", "A loaded module of the user.");
  py::class_<LaunchConfig>(module, "LaunchConfig", "How a kernel is to be launched.")
      .def(py::init(&config), py::arg("grid"), py::arg("block"), py::arg("shared_mem"),
           py::arg("stream"), "Without a stream: on the current one at each launch.");
  init_raw_kernel(module);
  init_packed_kernel(module);
  raw_module
      .def_static("from_source", &from_source, py::arg("code"), py::arg("options"),
                  py::arg("name_expressions"), py::arg("file"), py::arg("headers"),
                  py::arg("index_checks") = false, Nogil(),
                  "Compiles CUDA C++. index_checks: the emulator reads the comments of "
                  "its inline assembly as checks of indices.")
      .def_static(
          "from_ptx",
          [](std::string ptx) { return RawModule::from_ptx(std::move(ptx)); },
          py::arg("ptx"), Nogil(), "Loads PTX.")
      .def_static("from_compiled", &from_compiled, py::arg("ptx"), py::arg("code"),
                  py::arg("file"), py::arg("lowered_names"), py::arg("index_checks"),
                  Nogil(),
                  "Loads PTX that another process compiled; the other arguments as "
                  "they were there.")
      .def_static(
          "from_image",
          [](const py::bytes& image) { return RawModule::from_ptx(image); },
          py::arg("image"), "Loads PTX or a cubin as a file holds it.")
      .def("function", &RawModule::function, py::arg("name"),
           "The kernel called `name`.")
      .def("global_variable", &RawModule::global, py::arg("name"),
           "The memory of a variable.")
      .def_property_readonly(
          "ptx", [](const RawModule& self) { return text_of(self.ptx()); },
          "The PTX in use.")
      .def_property_readonly(
          "code", [](const RawModule& self) { return text_of(self.code()); },
          "The source, or an empty text.")
      .def_property_readonly("lowered_names", &lowered_names,
                             "Names for the linker by name expression.")
      .def_property_readonly("warnings", &RawModule::warnings,
                             "The compiler's warnings.")
      .def_property_readonly("kernel_names", &kernel_names, "The kernels there are.");
}

}  // namespace minitorch::bindings
