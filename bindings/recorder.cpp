// The binding of recordings: rows as plain values, and scopes that begin in Python.
#include "runtime/recording.h"

#include <pybind11/stl.h>

#include <map>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "bindings/array_fields.h"
#include "bindings/bindings.h"
#include "bindings/python_places.h"
#include "bindings/text.h"
#include "runtime/launch_site.h"
#include "runtime/work_note.h"

namespace minitorch::bindings {
namespace {

using runtime::Recording;
using runtime::ScopeKind;
using runtime::WorkKind;

constexpr const char* kScopeKinds[] = {"op",   "inner", "backward", "module",
                                       "user", "step",  "loop",     "compile"};
constexpr const char* kWorkKinds[] = {"kernel", "copy", "fill", "event_wait", "graph"};
constexpr const char* kDirections[] = {"", "HtoD", "DtoH", "DtoD", "HtoH"};

ScopeKind scope_kind(const std::string& word) {
  constexpr size_t kOfPython = 6;  // without loops and compiling
  for (size_t i = 0; i < kOfPython; ++i)
    if (word == kScopeKinds[i]) return static_cast<ScopeKind>(i);
  throw base::ValueError("begin_scope",
                         base::text("got kind '", word,
                                    "'; need op, inner, backward, module, user or "
                                    "step."));
}

/// "cpp/ops/matmul.cpp" of the path that the compiler was given.
std::string_view house_path(std::string_view file) {
  const size_t at = file.rfind("cpp/");  // "….cpp" ends without a stroke
  return at == std::string_view::npos ? file : file.substr(at);
}

py::tuple extent(const base::Dim3& dim) { return py::make_tuple(dim.x, dim.y, dim.z); }

/// A recording, and what its numbers of places mean: they are forgotten when the last
/// one goes.
class PythonRecording {
 public:
  explicit PythonRecording(const runtime::RecordingOptions& options)
      : recording_(Recording::open(options)) {
    ++alive();
  }
  ~PythonRecording() {
    recording_ = nullptr;
    if (--alive() == 0) forget_places();
  }
  PythonRecording(const PythonRecording&) = delete;
  PythonRecording& operator=(const PythonRecording&) = delete;

  void close() {
    const ReleaseGil nogil;
    recording_->close();
  }
  const Recording& any() const { return *recording_; }
  const Recording& closed(const char* what) const {
    if (!recording_->closed())
      throw base::StateError("recording", base::text("got ", what,
                                                     "() of a recording that is open; "
                                                     "need close() first."));
    return *recording_;
  }

 private:
  static int& alive() {  // guarded by the GIL
    static int count = 0;
    return count;
  }
  std::shared_ptr<Recording> recording_;
};

/// While one lives, Python does not look for garbage: among many new rows it would do
/// so again and again, which takes three times as long as they do, and find none.
class NoCollection {
 public:
  NoCollection() : was_on_(PyGC_Disable()) {}
  ~NoCollection() {
    if (was_on_) PyGC_Enable();
  }
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;

 private:
  int was_on_;
};

/// Places as Python's values, each made once.
struct Words {
  std::unordered_map<uint32_t, py::str> sites;
  std::unordered_map<uint32_t, py::tuple> stacks;
  std::unordered_map<const char*, py::str> literals;

  py::str site(uint32_t place) {
    const auto found = sites.find(place);
    if (found != sites.end()) return found->second;
    return sites.emplace(place, text_of(site_of(place))).first->second;
  }
  py::tuple stack(const Recording& recording, uint32_t place) {
    if (!recording.options().stack) return py::tuple(0);
    const auto found = stacks.find(place);
    if (found != stacks.end()) return found->second;
    py::list lines;
    for (const std::string& line : stack_of(place)) lines.append(text_of(line));
    return stacks.emplace(place, py::tuple(lines)).first->second;
  }
  py::str literal(const char* text) {
    const auto found = literals.find(text);
    if (found != literals.end()) return found->second;
    return literals.emplace(text, text_of(text)).first->second;
  }
};

void add_inputs(py::dict& fields, const Recording::Row<runtime::ScopeRecord>& row) {
  const runtime::ScopeRecord& scope = *row.record;
  py::list shapes, dtypes;
  for (size_t i = 0; i < scope.input_count; ++i) {
    const runtime::InputRecord& input = row.log->inputs.at(scope.first_input + i);
    shapes.append(tuple_from(input.shape));
    dtypes.append(dtype_name(input.dtype));
  }
  const size_t output = scope.output;
  fields["output"] = output
                         ? py::object(tuple_from(row.log->inputs.at(output - 1).shape))
                         : py::none();
  fields["shapes"] = shapes;
  fields["dtypes"] = dtypes;
}

py::list scopes(const PythonRecording& self) {
  const Recording& recording = self.closed("scopes");
  const NoCollection rows_are_no_garbage;
  Words words;
  py::list all;
  for (const auto& row : recording.scopes()) {
    const runtime::ScopeRecord& scope = *row.record;
    const int64_t end = scope.end;
    const bool ended = end != 0 && end <= recording.closed_ns();
    py::dict fields;
    fields["id"] = all.size();
    fields["parent"] = row.scope;
    fields["thread"] = row.log->thread;
    fields["name"] = words.literal(scope.name);
    fields["kind"] = kScopeKinds[static_cast<size_t>(scope.kind)];
    fields["detail"] = words.literal(scope.detail);
    fields["begin"] = scope.begin;
    fields["end"] = ended ? end : recording.closed_ns();
    fields["sequence"] = scope.sequence.load();
    fields["file"] = text_of(house_path(scope.file));
    fields["line"] = scope.line;
    fields["site"] = words.site(scope.place);
    fields["stack"] = words.stack(recording, scope.place);
    add_inputs(fields, row);
    all.append(fields);
  }
  return all;
}

py::list arrays(const Recording::Row<runtime::WorkRecord>& row,
                const std::vector<std::string>& names) {
  py::list all;
  const size_t first = row.record->first_array;
  for (size_t i = 0; i < row.record->array_count; ++i)
    all.append(array_fields(row.log->arrays.at(first + i), names));
  return all;
}

void add_kernel(py::dict& fields, const runtime::WorkRecord& work) {
  static const runtime::KernelFacts kNone;
  const runtime::KernelFacts& facts = work.facts ? *work.facts : kNone;
  fields["name"] = text_of(work.facts ? facts.name : work.name);
  fields["file"] = text_of(facts.file);
  fields["entry"] = text_of(facts.entry);
  fields["spec"] = text_of(facts.spec);
  fields["source"] = text_of(facts.source);
  fields["options"] = py::cast(facts.options);
  fields["grid"] = extent(work.grid);
  fields["block"] = extent(work.block);
  fields["static_shared"] = facts.static_shared;
  fields["dynamic_shared"] = work.dynamic_shared;
  fields["registers"] = facts.registers;
  fields["library"] = work.library;
}

py::list works(const PythonRecording& self) {
  const Recording& recording = self.closed("works");
  const NoCollection rows_are_no_garbage;
  Words words;
  std::map<const runtime::KernelFacts*, std::vector<std::string>> names;
  py::list all;
  for (size_t i = 0; i < recording.works().size(); ++i) {
    const auto& row = recording.works()[i];
    const runtime::WorkRecord& work = *row.record;
    const Recording::DeviceTime& time = recording.device_times()[i];
    const runtime::KernelFacts* const facts = work.facts.get();
    if (facts && !names.contains(facts))
      names.emplace(facts, runtime::parameter_names(*facts));
    py::dict fields;
    fields["id"] = i;
    fields["kind"] = kWorkKinds[static_cast<size_t>(work.kind)];
    add_kernel(fields, work);
    fields["stream"] = work.stream;
    fields["bytes"] = work.bytes;
    fields["direction"] = kDirections[static_cast<size_t>(work.direction)];
    fields["pinned"] = work.pinned;
    fields["host_begin"] = work.host_begin;
    fields["host_end"] = work.host_end;
    fields["device_begin"] = time.begin;
    fields["device_end"] = time.end;
    fields["depth"] = time.depth;
    fields["scope"] = row.scope;
    fields["thread"] = row.log->thread;
    fields["site"] =
        work.tag ? text_of(runtime::launch_site(work.tag)) : words.site(work.place);
    fields["arrays"] =
        arrays(row, facts ? names.at(facts) : std::vector<std::string>{});
    fields["launch"] = work.number;
    all.append(fields);
  }
  return all;
}

py::list waits(const PythonRecording& self) {
  const Recording& recording = self.closed("waits");
  const NoCollection rows_are_no_garbage;
  Words words;
  py::list all;
  for (const auto& row : recording.waits()) {
    const runtime::WaitRecord& wait = *row.record;
    py::dict fields;
    fields["reason"] = runtime::name_of(wait.reason);
    fields["begin"] = wait.begin;
    fields["end"] = wait.end;
    fields["scope"] = row.scope;
    fields["thread"] = row.log->thread;
    fields["site"] = words.site(wait.place);
    fields["stack"] = words.stack(recording, wait.place);
    all.append(fields);
  }
  return all;
}

py::list memory(const PythonRecording& self) {
  const NoCollection rows_are_no_garbage;
  py::list all;
  for (const auto& row : self.closed("memory").memory()) {
    const runtime::MemoryRecord& change = *row.record;
    py::dict fields;
    fields["address"] = change.address;
    fields["bytes"] = change.bytes;
    fields["device"] = change.on_device ? "cuda" : "cpu";
    fields["allocated"] = change.allocated;
    fields["reserved"] = change.reserved;
    fields["time"] = change.time;
    fields["scope"] = row.scope;
    fields["thread"] = row.log->thread;
    all.append(fields);
  }
  return all;
}

}  // namespace

void init_recorder(py::module_& module) {
  runtime::set_place_provider({&take_place});
  py::class_<PythonRecording>(module, "Recording",
                              "What ran on all threads while it was open.")
      .def_static(
          "open",
          [](bool shapes, bool stack, bool memory, bool device, uint64_t most_records,
             bool loops) {
            return std::make_unique<PythonRecording>(runtime::RecordingOptions{
                shapes, stack, memory, device, loops, most_records});
          },
          py::arg("shapes") = false, py::arg("stack") = false,
          py::arg("memory") = false, py::arg("device") = false,
          py::arg("most_records") = 1'000'000, py::arg("loops") = false,
          "Begins one. Recordings may be nested or overlap.")
      .def("close", &PythonRecording::close, "Ends it, and waits for the device.")
      .def("scopes", &scopes, "Dicts in order of beginning.")
      .def("works", &works, "Launches, copies, fills and waits for events, as dicts.")
      .def("waits", &waits, "Waits of the host for the device, as dicts.")
      .def("memory", &memory, "Memory made (bytes above 0) and given back, as dicts.")
      .def_property_readonly(
          "opened", [](const PythonRecording& self) { return self.any().opened_ns(); },
          "When it began, in ns of the host's monotonic clock.")
      .def_property_readonly(
          "closed",
          [](const PythonRecording& self) { return self.closed("closed").closed_ns(); },
          "When it ended.")
      .def_property_readonly(
          "dropped",
          [](const PythonRecording& self) { return self.closed("dropped").dropped(); },
          "Records that there was no room for.");
  module.def("recording", &runtime::is_recording, "Is any recording open?");
  module.def(
      "begin_scope",
      [](const std::string& name, const std::string& kind, const std::string& detail) {
        runtime::begin_scope(runtime::interned(name), scope_kind(kind),
                             runtime::interned(detail));
      },
      py::arg("name"), py::arg("kind"), py::arg("detail") = "",
      "Begins a scope of this thread, which end_scope() ends.");
  module.def("end_scope", &runtime::end_scope,
             "Ends the innermost scope that begin_scope() began on this thread.");
  module.def("set_place_words", &set_place_words, py::arg("is_inside"),
             py::arg("display_name"),
             "Sets what tells the library's files, and what files are called.");
}

}  // namespace minitorch::bindings
