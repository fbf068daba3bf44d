// The binding of what kernels take on a card.
#include "runtime/resources.h"

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/text.h"
#include "kernels/kernels.h"
#include "runtime/card.h"

namespace minitorch::bindings {
namespace {

using runtime::Resources;

std::vector<std::string> limiters(const base::Occupancy& found) {
  constexpr std::pair<uint32_t, const char*> kNames[] = {
      {base::LimitWarps, "warps"},
      {base::LimitRegisters, "registers"},
      {base::LimitShared, "shared"},
      {base::LimitBlocks, "blocks"},
      {base::LimitBarriers, "barriers"}};
  std::vector<std::string> names;
  for (const auto& [limit, name] : kNames)
    if (found.limiters & limit) names.emplace_back(name);
  return names;
}

py::object limit(int blocks) {
  return blocks == base::Occupancy::kUnlimited ? py::object(py::none())
                                               : py::object(py::int_(blocks));
}

py::dict occupancy(const Resources& resources, int threads, uint64_t dynamic_shared) {
  const base::Occupancy found = runtime::occupancy(resources, threads, dynamic_shared);
  py::dict fields;
  fields["blocks"] = found.blocks;
  fields["warps"] = found.warps;
  fields["fraction"] = found.fraction;
  fields["limiters"] = limiters(found);
  fields["by_warps"] = limit(found.by_warps);
  fields["by_registers"] = limit(found.by_registers);
  fields["by_shared"] = limit(found.by_shared);
  fields["by_blocks"] = limit(found.by_blocks);
  fields["by_barriers"] = limit(found.by_barriers);
  fields["registers_per_block"] = found.registers_per_block;
  fields["shared_per_block"] = found.shared_per_block;
  return fields;
}

py::dict card(const std::string& key) {
  const base::CardProfile found = key.empty()
                                      ? runtime::card_of(runtime::current_device())
                                      : runtime::card_named(key);
  py::dict fields;
  fields["key"] = std::string(found.key);
  fields["name"] = std::string(found.name);
  fields["bandwidth"] = found.bandwidth;
  fields["l2_bytes"] = found.l2_bytes;
  fields["clock_hz"] = found.clock_khz * 1e3;
  fields["half"] = found.peak(&base::Throughput::half);
  fields["single"] = found.peak(&base::Throughput::single);
  fields["double"] = found.peak(&base::Throughput::doubles);
  fields["tensor"] = found.peak(&base::Throughput::tensor);
  fields["compute"] = py::make_tuple(found.compute_major, found.compute_minor);
  fields["sm_count"] = found.sm_count;
  fields["warps_per_sm"] = found.max_warps_per_sm;
  fields["blocks_per_sm"] = found.max_blocks_per_sm;
  fields["registers_per_sm"] = found.registers_per_sm;
  fields["shared_per_sm"] = found.shared_per_sm;
  return fields;
}

/// The library's own kernels, by what a record of a launch says of them.
void bind_library_kernels(py::module_& module) {
  using Options = std::vector<std::string>;
  module.def(
      "library_resources",
      [](std::string file, std::string entry, std::string spec, Options options,
         const std::string& gpu) {
        return runtime::resources(
            {std::move(file), std::move(entry), std::move(spec), std::move(options)},
            gpu);
      },
      py::arg("file"), py::arg("entry"), py::arg("spec"), py::arg("options"),
      py::arg("gpu"), Nogil(), "`resources` of one of the library's kernels.");
  module.def(
      "library_ptx",
      [](std::string file, std::string entry, std::string spec, Options options) {
        return runtime::ptx_of(
            {std::move(file), std::move(entry), std::move(spec), std::move(options)});
      },
      py::arg("file"), py::arg("entry"), py::arg("spec"), py::arg("options"), Nogil(),
      "The PTX of one of the library's kernels.");
  module.def(
      "library_source",
      [](const std::string& file) { return std::string(kernels::source(file)); },
      py::arg("file"), "The text of a file of cpp/kernels.");
}

}  // namespace

void init_resources(py::module_& module) {
  py::class_<Resources>(module, "Resources", "What a kernel takes on one card.")
      .def_property_readonly("kernel",
                             [](const Resources& self) { return text_of(self.kernel); })
      .def_property_readonly(
          "gpu", [](const Resources& self) { return std::string(self.card.key); })
      .def_property_readonly(
          "gpu_name", [](const Resources& self) { return std::string(self.card.name); })
      .def_readonly("registers", &Resources::registers)
      .def_readonly("shared_bytes", &Resources::shared_bytes)
      .def_readonly("local_bytes", &Resources::local_bytes)
      .def_readonly("constant_bytes", &Resources::constant_bytes)
      .def_readonly("parameter_bytes", &Resources::parameter_bytes)
      .def_readonly("spill_stores", &Resources::spill_stores)
      .def_readonly("spill_loads", &Resources::spill_loads)
      .def_readonly("recursive", &Resources::recursive)
      .def_readonly("barriers", &Resources::barriers)
      .def_readonly("max_threads", &Resources::max_threads)
      .def_readonly("code_bytes", &Resources::code_bytes)
      .def("occupancy", &occupancy, py::arg("threads"), py::arg("dynamic_shared"),
           "Blocks on one multiprocessor by each limit, as a dictionary.");
  module.def("card", &card, py::arg("gpu"),
             "Peaks of a card ('': the device's), in bytes and operations a second,"
             " and what one multiprocessor holds.");
  module.def(
      "resources",
      [](const runtime::RawKernel& kernel, const std::string& gpu) {
        return runtime::resources(kernel, gpu);
      },
      py::arg("kernel"), py::arg("gpu"), Nogil(),
      "Compiles for a card ('': the device's) and reads its needs.");
  module.def(
      "resident_blocks",
      [](int threads, int registers, uint64_t static_shared, uint64_t dynamic_shared) {
        Resources kernel;
        kernel.card = runtime::card_of(runtime::current_device());
        kernel.registers = registers;
        kernel.shared_bytes = static_shared;
        return runtime::occupancy(kernel, threads, dynamic_shared).blocks;
      },
      py::arg("threads"), py::arg("registers"), py::arg("static_shared"),
      py::arg("dynamic_shared"), "Blocks that a multiprocessor of the device holds.");
  bind_library_kernels(module);
}

}  // namespace minitorch::bindings
