// The Python form of findings, and the checks that produce them. Composes no text.
#include "runtime/findings.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string_view>

#include "base/enumerators.h"
#include "bindings/bindings.h"
#include "bindings/finding_fields.h"
#include "bindings/text.h"
#include "findings/details.h"
#include "findings/kinds.h"
#include "findings/sentences.h"
#include "runtime/launch_site.h"

namespace minitorch::bindings {
namespace {

py::object position(const MtPosition& at) {
  if (at.line == 0) return py::none();
  return py::make_tuple(text_of(at.file), at.line, at.column);
}

py::tuple coordinates(const uint32_t (&at)[3]) {
  return py::make_tuple(at[0], at[1], at[2]);
}

/// `of_thread`: the site is one thread's.
py::dict site_fields(const MtSite& site, bool of_thread) {
  py::list calls;
  for (int i = 0; i < site.inlined_count; ++i)
    calls.append(position(site.inlined_from[i]));
  py::dict fields;
  fields["position"] = position(site.position);
  fields["call_chain"] = calls;
  const py::object none = py::none();
  fields["block"] = of_thread ? py::object(coordinates(site.block)) : none;
  fields["thread"] = of_thread ? py::object(coordinates(site.thread)) : none;
  return fields;
}

py::object allocation_fields(const MtFinding& finding) {
  if (!finding.has_allocation) return py::none();
  py::dict fields;
  fields["base"] = finding.allocation_base;
  fields["size"] = finding.allocation_size;
  fields["offset"] = finding.allocation_offset;
  fields["label"] = text_of(finding.allocation_label);
  fields["parameter"] = finding.parameter_index;
  return fields;
}

/// The row of a value of the inspection interface; None for the first one.
template <class Enum>
struct Name {
  Enum value;
  const char* name;
};
template <class Enum, size_t count>
py::object name_of(int32_t value, const Name<Enum> (&names)[count]) {
  if (value <= 0 || static_cast<size_t>(value) >= count) return py::none();
  return py::str(names[value].name);
}

constexpr Name<MtSpace> kSpaces[] = {
    {MtSpace_None, ""},          {MtSpace_Global, "global"}, {MtSpace_Shared, "shared"},
    {MtSpace_Local, "local"},    {MtSpace_Const, "const"},   {MtSpace_Param, "param"},
    {MtSpace_Generic, "generic"}};
constexpr Name<MtAccess> kAccesses[] = {
    {MtAccess_None, ""},          {MtAccess_Read, "read"},
    {MtAccess_Write, "write"},    {MtAccess_Atomic, "atomic"},
    {MtAccess_CopyTo, "copy_to"}, {MtAccess_CopyFrom, "copy_from"}};
constexpr auto kValue = [](const auto& row) { return row.value; };
static_assert(base::rows_follow_enumerators<kSpaces>(kValue) &&
              base::rows_follow_enumerators<kAccesses>(kValue));

py::list last_findings() {
  py::list all;
  for (const auto& finding : runtime::last_findings())
    all.append(whole_finding(finding));
  return all;
}

void set_warning_hook(const py::function& hook) {
  auto* kept = new py::function(hook);  // outlives the interpreter
  runtime::set_warning_hook([kept](const runtime::Finding& finding) {
    while_python_lives([&] { (*kept)(whole_finding(finding)); });
  });
}

/// The catalogue's words for one finding of a Python kernel.
struct WordsOfFinding {
  MtFinding finding;
};

void set_finding_words(const py::function& words) {
  auto* kept = new py::function(words);  // outlives the interpreter
  // No words are needed as the process ends: C++'s own text is told.
  runtime::set_finding_words([kept](const runtime::Finding& finding) {
    return while_python_lives([&] { return utf8_of((*kept)(whole_finding(finding))); });
  });
}

using LineOf = std::function<uint32_t(uint32_t)>;

constexpr auto kPython = findings::Language::Python;

py::str what_of(const WordsOfFinding& words, const LineOf& line,
                const std::string& element, const std::optional<std::string>& detail) {
  return text_of(findings::what_text(words.finding, {kPython, line, element, detail}));
}

py::str hint_of(const WordsOfFinding& words) {
  return text_of(findings::hint_text(words.finding, {kPython, {}, {}, {}}));
}

/// The hint that it would have in another case of its kind.
py::str advice_of(const WordsOfFinding& words, const std::string& remedy) {
  WordsOfFinding other = words;
  for (int32_t each = 0; each < MtRemedy_Count; ++each)
    if (findings::remedy_name(each) == remedy) other.finding.remedy = each;
  return hint_of(other);
}

/// For another process with this library; it may have made the finding.
py::bytes pickled_words(const WordsOfFinding& words) {
  return {reinterpret_cast<const char*>(&words.finding), sizeof words.finding};
}

WordsOfFinding unpickled_words(const py::bytes& given) {
  const std::string_view bytes = given;
  WordsOfFinding words{};
  if (bytes.size() != sizeof words.finding)
    throw py::value_error("[findings] got another version's finding; need this one's.");
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&words.finding));
  return words;
}

void init_words(py::module_& module) {
  py::class_<WordsOfFinding>(module, "FindingWords")
      .def(
          "what", &what_of, py::arg("line"), py::arg("element") = "",
          py::arg("detail") = py::none(),
          "What happened. `line` gives the Python line of a line of the kernel's file; "
          "`element` and `detail` stand for the core's own, which know no subscripts.")
      .def_property_readonly("hint", &hint_of, "What to do, or \"\".")
      .def("advice", &advice_of, py::arg("remedy"),
           "What to do in another case, by the name of its remedy.")
      .def_property_readonly(
          "does",
          [](const WordsOfFinding& words) {
            return findings::access_verb(words.finding.access);
          },
          "What the thread does to memory, such as \"writes\".")
      .def_property_readonly(
          "other_does",
          [](const WordsOfFinding& words) {
            return findings::access_verb(words.finding.other_access);
          },
          "The same of a race's other thread.")
      .def(py::pickle(&pickled_words, &unpickled_words));
}

std::vector<findings::Kind> finding_kinds() {
  std::vector<findings::Kind> all;
  for (int32_t kind = 0; kind < MtFinding_Count; ++kind)
    all.push_back(*findings::kind_of(kind));
  return all;
}

/// A member of a kind's row.
template <auto member>
auto column(const findings::Kind& kind) {
  return kind.*member;
}

void init_kinds(py::module_& module) {
  using findings::Kind;
  py::class_<Kind>(module, "FindingKind", "A row of the catalogue of findings.")
      .def_property_readonly("name", &column<&Kind::name>, "As users write it.")
      .def_property_readonly(
          "severity",
          [](const Kind& kind) {
            return findings::severity_name(static_cast<int32_t>(kind.severity));
          },
          "\"error\", \"warning\" or \"note\".")
      .def_property_readonly(
          "goes_on",
          [](const Kind& kind) { return kind.after == findings::After::GoesOn; },
          "Does the kernel go on after it?")
      .def_property_readonly(
          "always_on", [](const Kind& kind) { return kind.check == 0; },
          "Is it looked for without being asked?")
      .def_property_readonly(
          "form", [](const Kind& kind) { return findings::form_name(kind.form); },
          "What it speaks of: \"thread\", \"access\", \"outside\" (of an array), "
          "\"race\", \"operations\", \"device\" or \"reserved\".")
      .def_property_readonly(
          "memory", [](const Kind& kind) { return findings::memory_name(kind.memory); },
          "The memory it is about, such as \"shared\", or \"\".")
      .def_property_readonly("picture", &column<&Kind::picture>,
                             "What the thread does, for pictures; \"\": none is to "
                             "blame.")
      .def_property_readonly(
          "meaning", &column<&Kind::meaning>,
          "The definition, in Markdown; \"\": as of the one before.");
  module.def("finding_kinds", &finding_kinds, "The catalogue of findings, in order.");
}

}  // namespace

py::dict finding_fields(const MtFinding& finding) {
  const bool placed = finding.kind != MtFinding_DeviceFault;
  const bool of_thread = !findings::is_between_operations(finding.kind);
  py::dict fields;
  fields["kind"] = findings::kind_name(finding.kind);
  fields["severity"] = findings::severity_name(finding.severity);
  fields["kernel"] = text_of(finding.kernel);
  fields["site"] =
      placed ? py::object(site_fields(finding.site, of_thread)) : py::none();
  fields["other"] = finding.has_other
                        ? py::object(site_fields(finding.other, of_thread))
                        : py::none();
  fields["space"] = name_of(finding.space, kSpaces);
  fields["access"] = name_of(finding.access, kAccesses);
  fields["other_access"] = name_of(finding.other_access, kAccesses);
  const bool memory = finding.space != MtSpace_None;
  fields["address"] = memory ? py::object(py::int_(finding.address)) : py::none();
  fields["size"] = memory ? py::object(py::int_(finding.size)) : py::none();
  fields["allocation"] = allocation_fields(finding);
  fields["count"] = finding.count;
  fields["detail"] = text_of(findings::detail_text(finding));
  fields["remedy"] = findings::remedy_name(finding.remedy);
  py::list indices;
  for (uint32_t i = 0; i < finding.index_count; ++i) {
    const MtIndex& each = finding.indices[i];
    indices.append(py::make_tuple(each.dimension, each.index, each.extent));
  }
  fields["indices"] = indices;
  fields["index_access"] = finding.index_access;
  fields["owner"] = runtime::launch_owner(finding.launch_tag);
  fields["arguments"] = py::bytes(reinterpret_cast<const char*>(finding.parameters),
                                  finding.parameter_bytes);
  return fields;
}

py::dict whole_finding(const runtime::Finding& finding) {
  py::dict fields = finding_fields(finding.raw);
  fields["launch_site"] = text_of(finding.launch_site);
  fields["launched"] = text_of(finding.launched);
  fields["message"] = text_of(finding.text);
  fields["words"] = WordsOfFinding{finding.raw};
  return fields;
}

void init_findings(py::module_& module) {
  init_kinds(module);
  init_words(module);
  py::enum_<runtime::CheckLevel>(module, "CheckLevel")
      .value("memory", runtime::CheckLevel::Memory)
      .value("full", runtime::CheckLevel::Full);
  module.def("set_checks", &runtime::set_checks, py::arg("level"),
             py::arg("library_too") = false,
             "What user kernels launched from now on are checked for.");
  module.def("checks", &runtime::checks, "The level set by `set_checks`.");
  module.def("set_budget", &runtime::set_budget, py::arg("warp_instructions"),
             "Warp instructions that one block of a user kernel may execute; 0: any.");
  module.def("budget", &runtime::budget, "The budget set by `set_budget`.");
  module.def("set_time_limit", &runtime::set_time_limit, py::arg("nanoseconds"),
             "Processor time that a launch of a user kernel may use without a block "
             "ending; 0: any.");
  module.def("time_limit", &runtime::time_limit,
             "The limit set by `set_time_limit`, in nanoseconds.");
  module.def("last_findings", &last_findings,
             "Findings of the last synchronisation that had any, as dictionaries.");
  module.def("clear_findings", &runtime::clear_findings, "Forgets `last_findings`.");
  module.def("set_finding_words", &set_finding_words, py::arg("words"),
             "Calls `words(fields)` for the text of a finding of a kernel with an "
             "owner; an empty text leaves it as it is.");
  module.def("set_warning_hook", &set_warning_hook, py::arg("hook"),
             "Calls `hook(fields)` at a synchronisation for each warning.");
}

}  // namespace minitorch::bindings
