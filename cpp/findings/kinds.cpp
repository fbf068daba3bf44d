#include "findings/kinds.h"

#include <algorithm>
#include <iterator>

#include "base/enumerators.h"

namespace minitorch::findings {
namespace {

constexpr const char* kNames[] = {
#define FINDING_KIND(name, spelled) #spelled,
#include "cuda_abi/finding_kinds.inc"
#undef FINDING_KIND
};

constexpr Kind kKinds[] = {
#define FINDING_KIND(name, severity, result, after, check, form, memory, what, remedy, \
                     python_remedy, picture, meaning)                                  \
  {MtFinding_##name,                                                                   \
   kNames[MtFinding_##name],                                                           \
   Severity::severity,                                                                 \
   result,                                                                             \
   After::after,                                                                       \
   check,                                                                              \
   Form::form,                                                                         \
   Memory::memory,                                                                     \
   what,                                                                               \
   remedy,                                                                             \
   python_remedy,                                                                      \
   picture,                                                                            \
   meaning},
#include "findings/kinds.inc"
#undef FINDING_KIND
};
static_assert(MtFinding_Count <= 64);  // bits of mtSetTolerated

struct Remedy {
  MtRemedy remedy;
  const char *name, *cpp, *python;
};

constexpr Remedy kRemedies[] = {
    {MtRemedy_OfKind, "", "", ""},
#define FINDING_REMEDY(name, cpp, python) {MtRemedy_##name, #name, cpp, python},
#include "findings/remedies.inc"
#undef FINDING_REMEDY
};

/// A name for each enumerator, in their order.
template <class Enum>
struct Name {
  Enum value;
  const char* name;
};
constexpr Name<Form> kForms[] = {
    {Form::Thread, "thread"},         {Form::Access, "access"},
    {Form::Outside, "outside"},       {Form::Race, "race"},
    {Form::Operations, "operations"}, {Form::Device, "device"},
    {Form::Reserved, "reserved"}};
constexpr Name<Memory> kMemories[] = {{Memory::None, ""},
                                      {Memory::Global, "global"},
                                      {Memory::Shared, "shared"},
                                      {Memory::Local, "local"},
                                      {Memory::Const, "const"}};
constexpr Name<Severity> kSeverities[] = {{Severity::Note, "note"},
                                          {Severity::Warning, "warning"},
                                          {Severity::Error, "error"}};
constexpr auto kValue = [](const auto& row) { return row.value; };
static_assert(base::rows_follow_enumerators<kForms>(kValue) &&
              base::rows_follow_enumerators<kMemories>(kValue) &&
              base::rows_follow_enumerators<kSeverities>(kValue));

template <const auto& rows, class OfRow>
constexpr bool follow(int32_t count, OfRow number_of) {
  int32_t next = 0;
  for (const auto& row : rows)
    if (number_of(row) != next++) return false;
  return next == count;
}
static_assert(follow<kKinds>(MtFinding_Count,
                             [](const Kind& row) -> int32_t { return row.kind; }));
static_assert(follow<kRemedies>(MtRemedy_Count, [](const Remedy& row) -> int32_t {
  return row.remedy;
}));

bool has_form(int32_t kind, Form form) {
  const Kind* const row = kind_of(kind);
  return row != nullptr && row->form == form;
}

}  // namespace

const Kind* kind_of(int32_t kind) {
  return kind >= 0 && kind < MtFinding_Count ? &kKinds[kind] : nullptr;
}

const char* kind_name(int32_t kind) {
  const Kind* const row = kind_of(kind);
  return row != nullptr ? row->name : "unknown";
}

int32_t severity_of(int32_t kind) {
  const Kind* const row = kind_of(kind);
  return static_cast<int32_t>(row != nullptr ? row->severity : Severity::Error);
}

const char* severity_name(int32_t severity) {
  const bool known =
      severity > 0 && severity < static_cast<int32_t>(std::size(kSeverities));
  return kSeverities[known ? severity : 0].name;
}

const char* form_name(Form form) { return kForms[static_cast<size_t>(form)].name; }

const char* memory_name(Memory memory) {
  return kMemories[static_cast<size_t>(memory)].name;
}

bool is_tolerable(int32_t kind) {
  const Kind* const row = kind_of(kind);
  return row != nullptr &&
         (row->after == After::GoesOn || row->after == After::EndsUnlessTolerated);
}

bool is_race(int32_t kind) { return has_form(kind, Form::Race); }

bool is_between_operations(int32_t kind) { return has_form(kind, Form::Operations); }

const char* remedy_name(int32_t remedy) {
  return remedy >= 0 && remedy < MtRemedy_Count ? kRemedies[remedy].name : "";
}

const char* advice_of(int32_t remedy, Language language) {
  if (remedy < 0 || remedy >= MtRemedy_Count) return "";
  const Remedy& row = kRemedies[remedy];
  const bool own = language == Language::Python && *row.python != '\0';
  return own ? row.python : row.cpp;
}

}  // namespace minitorch::findings
