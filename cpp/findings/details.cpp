#include "findings/details.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace minitorch::findings {
namespace {

std::string race_detail(const MtFinding& f, const Wording& wording) {
  return base::text("the other thread ", access_verb(f.other_access), "; ",
                    missing_order_text(f, wording));
}

std::string stream_text(const MtOperation& operation) {
  switch (operation.stream_kind) {
    case MtStream_Default:
      return "the default stream";
    case MtStream_NonBlocking:
      return base::text("stream ", operation.stream, " (non-blocking)");
    default:
      return base::text("stream ", operation.stream);
  }
}

const char* operation_text(const MtOperation& operation) {
  switch (operation.kind) {
    case MtOperation_CopyToHost:
      return "a copy to the host";
    case MtOperation_CopyFromHost:
      return "a copy from the host";
    case MtOperation_CopyOnDevice:
      return "a copy on the device";
    default:
      return "a fill";
  }
}

/// "nothing orders this, in stream 5, and a copy to the host, in the default stream,
/// which reads the same".
std::string operations_detail(const MtFinding& f) {
  const auto& [told, other] = f.operations;
  const std::string who = other.kind == MtOperation_Kernel
                              ? base::text("kernel '", f.other_kernel, "'")
                              : operation_text(other);
  return base::text("nothing orders ",
                    told.kind == MtOperation_Kernel ? "this" : operation_text(told),
                    ", in ", stream_text(told), ", and ", who, ", in ",
                    stream_text(other), ", which ",
                    other.access == MtAccess_Read ? "reads" : "writes", " the same");
}

/// ": 32 waiting at line 8, 1 running at line 5".
std::string whereabouts_text(const MtFinding& f, const Wording& wording) {
  std::string text;
  const size_t count = std::min<size_t>(f.whereabouts_count, std::size(f.whereabouts));
  for (size_t i = 0; i < count; ++i) {
    const MtWhereabouts& each = f.whereabouts[i];
    text += base::text(i == 0 ? ": " : ", ", each.threads,
                       each.running ? " running at line " : " waiting at line ",
                       wording.line ? wording.line(each.line) : each.line);
  }
  return text;
}

std::string whole_detail(const MtFinding& f, const Wording& wording) {
  if (is_race(f.kind) && f.other_access != MtAccess_None)
    return race_detail(f, wording);
  if (is_between_operations(f.kind) && f.operations[1].kind != MtOperation_None)
    return operations_detail(f);
  return f.detail + whereabouts_text(f, wording);
}

}  // namespace

std::string detail_text(const MtFinding& finding, const Wording& wording) {
  constexpr size_t kMost = sizeof finding.detail - 1;
  const std::string whole = whole_detail(finding, wording);
  return std::string(base::first_bytes(whole, kMost));
}

std::string missing_order_text(const MtFinding& f, const Wording& wording) {
  const char* const advice = advice_of(f.remedy, wording.language);
  if (*advice == '\0') return "";
  // A read that came before any write has got no value in this order of the threads.
  return base::text(
      filled(advice, f, wording),
      f.read_first ? " (here the read came first and found no value)" : "");
}

}  // namespace minitorch::findings
