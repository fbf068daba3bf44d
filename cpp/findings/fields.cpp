#include "findings/fields.h"

#include "base/text.h"
#include "findings/details.h"

namespace minitorch::findings {
namespace {

const char* space_word(int32_t space) {
  switch (space) {
    case MtSpace_Global:
      return "global";
    case MtSpace_Shared:
      return "shared";
    case MtSpace_Local:
      return "local";
    case MtSpace_Const:
      return "constant";
    case MtSpace_Param:
      return "parameter";
    default:
      return "generic";
  }
}

std::string access_text(const MtFinding& f) {
  return base::text(access_name(f.access), " of ", f.size,
                    f.size == 1 ? " byte" : " bytes");
}

std::string allocation_text(const MtFinding& f) {
  if (!f.has_allocation) return base::text(space_word(f.space), " memory");
  // Its name in the PTX is the compiler's.
  if (f.space == MtSpace_Param && f.parameter_index >= 0)
    return base::text("the kernel's parameter ", f.parameter_index + 1, " (",
                      f.allocation_size, " bytes)");
  if (f.allocation_label[0])
    return base::text("'", f.allocation_label, "' (", f.allocation_size, " bytes)");
  if (f.space == MtSpace_Local)
    return base::text("a local array of the thread (", f.allocation_size, " bytes)");
  return base::text("an allocation of ", f.allocation_size, " bytes");
}

std::string address_text(const MtFinding& f) {
  return base::text(space_word(f.space), " address 0x", std::hex, f.address);
}

std::string bounds_text(const MtFinding& f) {
  if (!f.has_allocation)
    return base::text(access_text(f), " at ", address_text(f),
                      ", which belongs to no allocation");
  const std::string distance = distance_text(f);
  return base::text(access_text(f), ", ",
                    distance.empty() ? "reaching over the end of" : distance, " ",
                    allocation_text(f));
}

/// Is all of a shared variable meant? It may be what the compiler made of one element
/// of an array: its place and size there are not known.
bool is_whole_variable(const MtFinding& f) {
  return f.space == MtSpace_Shared && f.has_allocation && f.allocation_label[0] &&
         f.allocation_offset == 0 && f.allocation_size == f.size;
}

std::string inside_text(const MtFinding& f) {
  if (!f.has_allocation) return address_text(f);
  if (is_whole_variable(f)) return base::text("'", f.allocation_label, "'");
  return base::text("offset ", f.allocation_offset, " of ", allocation_text(f));
}

std::string element_text(const MtFinding& f) {
  if (is_whole_variable(f)) return base::text("'", f.allocation_label, "'");
  if (!f.has_allocation)
    return base::text(f.size, " bytes at ",
                      f.space == MtSpace_Shared ? "shared" : "global", " address 0x",
                      std::hex, f.address);
  const auto size = static_cast<int64_t>(f.size);
  const std::string of =
      f.allocation_label[0]
          ? base::text("'", f.allocation_label, "' (", f.allocation_size, " bytes)")
          : base::text("an allocation of ", f.allocation_size, " bytes");
  if (size > 0 && f.allocation_offset % size == 0)
    return base::text("element ", f.allocation_offset / size, " (of ", size,
                      " bytes) of ", of);
  return base::text("offset ", f.allocation_offset, " of ", of);
}

std::string index_text(const MtFinding& f) {
  if (!f.has_allocation || f.size == 0 || f.allocation_offset % f.size != 0) return "";
  if (f.allocation_size % f.size != 0) return "";
  return base::text("Counted in ", f.size, "-byte elements that is index ",
                    f.allocation_offset / static_cast<int64_t>(f.size), " of ",
                    f.allocation_size / f.size, ". ");
}

std::string field_text(std::string_view name, const MtFinding& f,
                       const Wording& wording) {
  const bool python = wording.language == Language::Python;
  if (name == "access") return access_text(f);
  if (name == "address") return address_text(f);
  if (name == "number") return base::text(f.address);
  if (name == "size") return base::text(f.size);
  if (name == "bounds") return bounds_text(f);
  if (name == "inside") return inside_text(f);
  if (name == "accessed")
    return wording.element.empty()
               ? base::text(access_text(f), " at ", inside_text(f))
               : base::text(access_name(f.access), " of ", wording.element);
  if (name == "element")
    return wording.element.empty() ? element_text(f) : wording.element;
  if (name == "index") return index_text(f);
  if (name == "detail")
    return wording.detail ? *wording.detail : detail_text(f, wording);
  if (name == "syncthreads") return python ? "cuda.syncthreads()" : "__syncthreads()";
  if (name == "syncwarp") return python ? "cuda.syncwarp()" : "__syncwarp()";
  return base::text("{", name, "}");  // a test finds it in the tables
}

}  // namespace

const char* access_name(int32_t access) {
  switch (access) {
    case MtAccess_Read:
      return "read";
    case MtAccess_Write:
      return "write";
    case MtAccess_Atomic:
      return "atomic";
    default:
      return "access";
  }
}

const char* access_verb(int32_t access) {
  switch (access) {
    case MtAccess_Read:
      return "reads";
    case MtAccess_Write:
      return "writes";
    case MtAccess_Atomic:
      return "atomically changes";
    case MtAccess_CopyTo:
      return "copies to";
    case MtAccess_CopyFrom:
      return "copies from";
    default:
      return "accesses";
  }
}

std::string distance_text(const MtFinding& f) {
  const int64_t past = f.allocation_offset - static_cast<int64_t>(f.allocation_size);
  if (f.allocation_offset < 0)
    return base::text(-f.allocation_offset, " before the start of");
  if (past == 0) return "just past the end of";
  return past > 0 ? base::text(past, " past the end of") : "";
}

std::string filled(std::string_view text, const MtFinding& finding,
                   const Wording& wording) {
  std::string out;
  for (size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{')) {
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open);
    out += field_text(text.substr(open + 1, close - open - 1), finding, wording);
    text.remove_prefix(close + 1);
  }
  return out.append(text);
}

}  // namespace minitorch::findings
