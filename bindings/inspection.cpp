// The binding of inspected launches: plain values, and columns as NumPy arrays that
// keep their record alive.
#include "runtime/inspection.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/array_fields.h"
#include "bindings/bindings.h"
#include "bindings/finding_fields.h"
#include "bindings/text.h"
#include "runtime/launch_site.h"
#include "runtime/work_note.h"

namespace minitorch::bindings {
namespace {

using runtime::InspectedLaunch;
using runtime::Inspection;
using Launch = std::shared_ptr<const InspectedLaunch>;

py::tuple triple(const uint32_t (&at)[3]) {
  return py::make_tuple(at[0], at[1], at[2]);
}

py::tuple place(const MtLine& at) {
  return py::make_tuple(text_of(at.file ? at.file : ""), at.line);
}

py::list places(const MtLine* lines, uint32_t count) {
  py::list all;
  for (uint32_t i = 0; i < count; ++i) all.append(place(lines[i]));
  return all;
}

/// A read-only array over memory of the record, which it keeps.
template <class T>
py::array_t<T> column(const Launch& launch, const T* data, uint64_t rows,
                      int width = 1) {
  auto* kept = new Launch(launch);
  const py::capsule owner(kept, [](void* held) { delete static_cast<Launch*>(held); });
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(rows)};
  if (width > 1) shape.push_back(width);
  py::array_t<T> array(shape, data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::dict facts(const InspectedLaunch& launch) {
  const MtLaunch& record = *launch.record;
  py::dict fields;
  fields["kernel"] = text_of(record.kernel);
  fields["grid"] = triple(record.grid);
  fields["block"] = triple(record.block);
  fields["shared_bytes"] = record.static_shared + record.dynamic_shared;
  fields["dynamic_shared"] = record.dynamic_shared;
  fields["local_bytes"] = record.local_bytes;
  fields["stream"] = record.stream;
  fields["launch_site"] = text_of(launch.launch_site);
  fields["library"] = launch.library;
  fields["owner"] = runtime::launch_owner(record.tag);
  fields["cancelled"] = record.cancelled != 0;
  fields["nanoseconds"] = record.end_ns - record.start_ns;
  fields["blocks"] = record.blocks;
  fields["sm_count"] = record.sm_count;
  fields["blocks_per_sm"] = record.blocks_per_sm;
  fields["launch"] = record.correlation;
  return fields;
}

/// Of a kernel of the library; of another, no fields.
py::dict kernel(const InspectedLaunch& launch) {
  py::dict fields;
  if (!launch.kernel) return fields;
  fields["file"] = text_of(launch.kernel->file);
  fields["entry"] = text_of(launch.kernel->entry);
  fields["spec"] = text_of(launch.kernel->spec);
  fields["source"] = text_of(launch.kernel->source);
  fields["options"] = launch.kernel->options;
  return fields;
}

py::list arrays(const InspectedLaunch& launch) {
  py::list all;
  if (!launch.kernel) return all;
  const auto names = runtime::parameter_names(*launch.kernel);
  for (const runtime::ArrayNote& note : launch.arrays)
    all.append(array_fields(note, names));
  return all;
}

py::list findings(const InspectedLaunch& launch) {
  py::list all;
  for (const auto& finding : launch.findings) all.append(whole_finding(finding));
  return all;
}

py::object counters(const InspectedLaunch& launch) {
  const uint64_t* values = launch.record->counters;
  if (!values) return py::none();
  return py::cast(std::vector<uint64_t>(values, values + MtCounter_Count));
}

py::object footprint(const InspectedLaunch& launch) {
  const MtSectors* sectors = launch.record->sectors;
  if (!sectors) return py::none();
  py::dict counts;
  counts["read"] = sectors->read;
  counts["written"] = sectors->written;
  counts["either"] = sectors->either;
  return counts;
}

py::list line_counters(const InspectedLaunch& launch) {
  py::list all;
  for (uint32_t i = 0; i < launch.record->line_count; ++i) {
    const MtLineCounters& row = launch.record->lines[i];
    const std::vector<uint64_t> values(row.values, row.values + MtCounter_Count);
    all.append(
        py::make_tuple(place(row.at), places(row.callers, row.caller_count), values));
  }
  return all;
}

py::object trace_columns(const Launch& launch) {
  const MtTrace* trace = launch->record->trace;
  if (!trace) return py::none();
  py::dict columns;
  const auto add = [&](const char* name, const auto* data, uint64_t rows,
                       int width = 1) {
    columns[name] = column(launch, data, rows, width);
  };
  add("block", trace->block, trace->step_count);
  add("warp", trace->warp, trace->step_count);
  add("instruction", trace->instruction, trace->step_count);
  add("mask", trace->mask, trace->step_count);
  add("access_step", trace->access_step, trace->access_count);
  add("access_mask", trace->access_mask, trace->access_count);
  add("access_kind", trace->access_kind, trace->access_count);
  add("access_space", trace->access_space, trace->access_count);
  add("access_size", trace->access_size, trace->access_count);
  add("access_element", trace->access_element, trace->access_count);
  add("access_address", trace->access_address, trace->access_count, 32);
  add("access_value", trace->access_value, trace->access_count, 32);
  add("result_step", trace->result_step, trace->result_count);
  add("result_register", trace->result_register, trace->result_count);
  add("result_value", trace->result_value, trace->result_count, 32);
  columns["truncated"] = trace->truncated != 0;
  columns["bytes"] = trace->bytes;
  return columns;
}

py::list trace_instructions(const InspectedLaunch& launch) {
  py::list all;
  const MtTrace* trace = launch.record->trace;
  for (uint32_t i = 0; trace && i < trace->instruction_count; ++i) {
    const MtTraceInstruction& each = trace->instructions[i];
    all.append(py::make_tuple(text_of(each.opcode), text_of(each.function),
                              place(each.at), places(each.callers, each.caller_count),
                              each.ptx_line));
  }
  return all;
}

py::list trace_registers(const InspectedLaunch& launch) {
  py::list all;
  const MtTrace* trace = launch.record->trace;
  for (uint32_t i = 0; trace && i < trace->register_count; ++i) {
    const MtTraceRegister& each = trace->registers[i];
    all.append(
        py::make_tuple(text_of(each.name), text_of(each.type), text_of(each.function)));
  }
  return all;
}

py::list counter_names() {
  py::list all;
  for (const runtime::CounterName& each : runtime::counter_names())
    all.append(py::make_tuple(each.name, each.metric, each.meaning));
  return all;
}

MtTraceFilter trace_filter(const std::vector<uint64_t>& blocks, uint32_t warps) {
  MtTraceFilter filter;
  filter.warps = warps;
  for (const uint64_t block : blocks)
    if (filter.block_count < MtTraceFilter::kMostBlocks)
      filter.blocks[filter.block_count++] = block;
  return filter;
}

std::shared_ptr<Inspection> open(runtime::CheckLevel checks, bool counters, bool trace,
                                 bool library, uint32_t most_launches,
                                 uint64_t trace_bytes,
                                 std::vector<std::string> tolerate, bool footprint,
                                 std::optional<std::set<uint64_t>> trace_launches,
                                 const std::vector<uint64_t>& trace_blocks,
                                 uint32_t trace_warps) {
  runtime::InspectionOptions options;
  options.checks = checks;
  options.counters = counters;
  options.trace = trace;
  options.library = library;
  options.most_launches = most_launches;
  options.trace_bytes = trace_bytes;
  options.tolerate = std::move(tolerate);
  options.footprint = footprint;
  options.trace_launches = std::move(trace_launches);
  options.trace_filter = trace_filter(trace_blocks, trace_warps);
  return Inspection::open(options);
}

}  // namespace

void init_inspection(py::module_& module) {
  py::class_<InspectedLaunch, std::shared_ptr<InspectedLaunch>>(
      module, "InspectedLaunch", "The record of one launch.")
      .def("facts", &facts, "Its plain values, as a dictionary.")
      .def("kernel", &kernel, "File, entry, spec, source, options of a library's one.")
      .def("arrays", &arrays, "Arrays among the arguments of a library's kernel.")
      .def("findings", &findings, "What the checks found, as dictionaries.")
      .def("counters", &counters, "Values in the order of `counter_names`, or None.")
      .def("footprint", &footprint,
           "Different sectors that were read, written, either; or None.")
      .def("line_counters", &line_counters, "Tuples (place, callers, values).")
      .def(
          "trace_columns",
          [](const std::shared_ptr<InspectedLaunch>& self) {
            return trace_columns(self);
          },
          "Arrays by name, or None.")
      .def("trace_instructions", &trace_instructions,
           "Tuples (opcode, function, place, callers, line of the PTX).")
      .def("trace_registers", &trace_registers, "Tuples (name, type, function).");
  py::class_<Inspection, std::shared_ptr<Inspection>>(
      module, "Inspection", "The launches of one thread from open to close.")
      .def_static("open", &open, py::arg("checks"), py::arg("counters"),
                  py::arg("trace"), py::arg("library"), py::arg("most_launches"),
                  py::arg("trace_bytes"), py::arg("tolerate"), py::arg("footprint"),
                  py::arg("trace_launches"), py::arg("trace_blocks"),
                  py::arg("trace_warps"), Nogil(), "Waits, then begins to record.")
      .def("close", &Inspection::close, py::arg("quiet"), Nogil(),
           "Ends recording and waits.")
      .def(
          "launches",
          [](Inspection& self) {
            std::vector<std::shared_ptr<InspectedLaunch>> all;
            for (const Launch& each : self.launches())
              all.push_back(std::const_pointer_cast<InspectedLaunch>(each));
            return all;
          },
          Nogil(), "Those that have ended.")
      .def("include_other_clients", &Inspection::include_other_clients, Nogil(),
           "Records this thread's launches through the driver API, too.")
      .def("traces_next", &Inspection::traces_next,
           "Whether the next launch that is recorded is traced.")
      .def_property_readonly("dropped", &Inspection::dropped,
                             "Launches that were not kept.");
  module.def("counter_names", &counter_names, "Tuples (name, metric, meaning).");
}

}  // namespace minitorch::bindings
