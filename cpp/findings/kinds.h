// What is true of all findings of a kind (kinds.inc).
#pragma once

#include <cstdint>

#include "cuda_abi/inspect.h"

namespace minitorch::findings {

enum class Severity : uint8_t { Note, Warning, Error };

/// What becomes of the kernel.
enum class After : uint8_t {
  Ends,
  EndsUnlessTolerated,  // a client may ask that it goes on, as hardware would
  GoesOn,
  NotLaunched,  // the mistake is found before there is one
};

/// What a finding of the kind speaks of.
enum class Form : uint8_t {
  Thread,      // what one thread did; a second site may say where another is
  Access,      // its access to memory
  Outside,     // its access to what is no element of an array
  Race,        // the accesses of two threads
  Operations,  // two launches, copies or fills: no threads
  Device,      // nothing: a GPU tells no more
  Reserved,    // nothing yet: only the name is taken
};

enum class Memory : uint8_t { None, Global, Shared, Local, Const };

/// Whose names advice uses.
enum class Language : uint8_t { Cpp, Python };

struct Kind {
  MtFindingKind kind;
  const char* name;  // as users write it: "oob_global"
  Severity severity;
  CUresult result;
  After after;
  uint32_t check;
  Form form;
  Memory memory;
  const char *what, *remedy, *python_remedy, *picture, *meaning;
};

/// The row of a kind; null for a number that is none.
const Kind* kind_of(int32_t kind);

/// "oob_global"; "unknown" for a number that is no kind.
const char* kind_name(int32_t kind);

/// MtFinding::severity of a kind where nothing makes it a note.
int32_t severity_of(int32_t kind);
/// "error", "warning", "note".
const char* severity_name(int32_t severity);

/// "race", "outside" and so on, for those who read rows in another language.
const char* form_name(Form form);
/// "global" and so on, "" for none.
const char* memory_name(Memory memory);

/// May a client ask that this is only listed, and the kernel goes on?
bool is_tolerable(int32_t kind);
/// Two threads at two places, which nothing orders.
bool is_race(int32_t kind);
/// Races of whole launches, copies and fills: their sites name no threads.
bool is_between_operations(int32_t kind);

/// "AtomicUpdate"; "" for MtRemedy_OfKind and what is none.
const char* remedy_name(int32_t remedy);
/// Advice of a remedy; "" for MtRemedy_OfKind and what is none.
const char* advice_of(int32_t remedy, Language language);

}  // namespace minitorch::findings
