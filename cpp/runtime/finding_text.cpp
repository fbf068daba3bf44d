// Owns the sentences about a finding. Must not know how it was found.
#include "runtime/finding_text.h"

#include <string_view>

#include "base/text.h"
#include "runtime/race_text.h"

namespace minitorch::runtime {
namespace {

const char* access_word(int32_t access) {
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
  return base::text(access_word(f.access), " of ", f.size,
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

// Where the address lies against the allocation: "64 past the end of 'out' (...)".
std::string bounds_text(const MtFinding& f) {
  if (!f.has_allocation)
    return base::text(access_text(f), " at ", address_text(f),
                      ", which belongs to no allocation");
  const int64_t size = static_cast<int64_t>(f.allocation_size);
  const int64_t past = f.allocation_offset - size;
  if (f.allocation_offset < 0)
    return base::text(access_text(f), ", ", -f.allocation_offset,
                      " before the start of ", allocation_text(f));
  if (past >= 0)
    return base::text(access_text(f), ", ", past, " past the end of ",
                      allocation_text(f));
  return base::text(access_text(f), ", reaching over the end of ", allocation_text(f));
}

std::string inside_text(const MtFinding& f) {
  if (!f.has_allocation) return address_text(f);
  return base::text("offset ", f.allocation_offset, " of ", allocation_text(f));
}

std::string detail_or(const MtFinding& f, const char* otherwise) {
  return f.detail[0] ? f.detail : otherwise;
}

std::string with_detail(const char* what, const MtFinding& f) {
  return f.detail[0] ? base::text(what, " (", f.detail, ")") : what;
}

std::string index_hint(const MtFinding& f) {
  if (!f.has_allocation || f.size == 0 || f.allocation_offset % f.size != 0) return "";
  if (f.allocation_size % f.size != 0) return "";
  return base::text("Counted in ", f.size, "-byte elements that is index ",
                    f.allocation_offset / static_cast<int64_t>(f.size), " of ",
                    f.allocation_size / f.size, ". ");
}

}  // namespace

std::string short_file(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string what_text(const MtFinding& f) {
  switch (f.kind) {
    case MtFinding_OobGlobal:
    case MtFinding_OobShared:
    case MtFinding_OobLocal:
    case MtFinding_OobConst:
      return bounds_text(f);
    case MtFinding_Misaligned:
      return base::text(access_text(f), " at ", address_text(f),
                        ", which is not a multiple of ", f.size);
    case MtFinding_NullPointer:
      return base::text(access_text(f), " through a null pointer (address ", f.address,
                        ")");
    case MtFinding_WildPointer:
      if (f.size == 0) return detail_or(f, "a jump to what is no code");
      return base::text(access_text(f), " at ", address_text(f),
                        ", which no allocation is near");
    case MtFinding_UseAfterFree:
      return base::text(access_text(f), " at ", inside_text(f), ", which was freed");
    case MtFinding_ReadonlyWrite:
      return base::text(access_text(f), " at ", inside_text(f), ", which is read-only");
    case MtFinding_UninitGlobal:
    case MtFinding_UninitShared:
    case MtFinding_UninitLocal:
      return base::text(access_text(f), " at ", inside_text(f),
                        f.detail[0] ? ": " : ", which nobody has written", f.detail);
    case MtFinding_UninitRegister:
      return detail_or(f, "use of a variable that was never given a value");
    case MtFinding_RaceShared:
    case MtFinding_RaceGlobal:
    case MtFinding_RaceBenign:
      return race_what(f);
    case MtFinding_RaceHost:
    case MtFinding_RaceStream:
      return base::text("race: ", access_text(f), " at ", inside_text(f), ": ",
                        f.detail);
    case MtFinding_BarrierDivergence:
      return detail_or(f, "__syncthreads() is not reached by all threads of the block");
    case MtFinding_Deadlock:
      return detail_or(f, "no thread of the block can go on");
    case MtFinding_Timeout:
      return detail_or(f, "the block executed more instructions than its budget");
    case MtFinding_StackOverflow:
      return detail_or(f, "the stack of a thread is used up");
    case MtFinding_DivByZero:
      return with_detail("integer division by zero", f);
    case MtFinding_Trap:
      return "the kernel executed a trap";
    case MtFinding_Assert:
      return detail_or(f, "an assertion failed");
    case MtFinding_Unsupported:
      return base::text("not supported here: ", detail_or(f, "an instruction"));
    default:
      return detail_or(f, "a fault");
  }
}

std::string site_text(const MtSite& site) {
  std::string text = base::text("thread (", site.thread[0], ",", site.thread[1], ",",
                                site.thread[2], ") of block (", site.block[0], ",",
                                site.block[1], ",", site.block[2], ")");
  if (site.position.line > 0)
    text += base::text(", ", short_file(site.position.file), ":", site.position.line);
  for (int32_t i = 0; i < site.inlined_count; ++i)
    text += base::text(", called from ", short_file(site.inlined_from[i].file), ":",
                       site.inlined_from[i].line);
  return text;
}

std::string hint_text(const MtFinding& f) {
  switch (f.kind) {
    case MtFinding_OobGlobal:
      return index_hint(f) +
             "Guard the access with the array's length, e.g. if (i < n), or check the "
             "grid.";
    case MtFinding_OobShared:
      if (f.has_allocation && f.allocation_size == 0)
        return "The launch gave the block no dynamic shared memory (shared_mem was 0): "
               "pass its size in bytes as shared_mem.";
      return index_hint(f) +
             "Check the size of the shared array against the block size, and "
             "shared_mem at "
             "the launch.";
    case MtFinding_OobLocal:
    case MtFinding_OobConst:
      return index_hint(f) + "Check the index against the array's declared size.";
    case MtFinding_Misaligned:
      return "A pointer to a type of this size must be a multiple of it; look for "
             "casts "
             "such as (float4*) and odd offsets.";
    case MtFinding_NullPointer:
      return "Pass an array for this parameter, or test the pointer before use.";
    case MtFinding_WildPointer:
      return "Check the pointer arithmetic, and that arguments come in the kernel's "
             "order.";
    case MtFinding_UseAfterFree:
      if (std::string_view(f.allocation_label) == "device malloc")
        return "The kernel's own free() released it; free it after its last use.";
      return "The array was freed before this launch; keep it alive until the kernel "
             "is "
             "done.";
    case MtFinding_InvalidFree:
      return "Free each allocation once, by its own pointer.";
    case MtFinding_ReadonlyWrite:
      return "Write to a copy in global memory instead.";
    case MtFinding_UninitGlobal:
      return "Fill the array first: device_array() has no values; to_device() and "
             "zeros() "
             "do.";
    case MtFinding_UninitShared:
      if (f.detail[0])
        return "Let one thread call init(), then __syncthreads(), before others use "
               "the barrier; nothing else may use its bytes until it is over.";
      return "Write every element of the shared array, then __syncthreads(), before "
             "reading.";
    case MtFinding_UninitLocal:
    case MtFinding_UninitRegister:
      return "Give the variable a value on every path.";
    case MtFinding_RaceShared:
    case MtFinding_RaceGlobal:
      return race_hint(f);
    case MtFinding_RaceBenign:
      return "All write the same value: harmless here, but no order is promised.";
    case MtFinding_RaceHost:
      return "Synchronise the kernel's stream before the copy, or copy in that stream.";
    case MtFinding_RaceStream:
      return "Let the other stream wait for an event recorded after the first, wait "
             "for it on the host, or use one stream.";
    case MtFinding_BarrierDivergence:
      if (std::string_view(f.detail).starts_with("mbarrier:"))
        return "Give init() the number of arrivals of a phase, and let as many come "
               "between two waits.";
      return "Move __syncthreads() out of the if or loop, so that all threads reach "
             "the "
             "same one.";
    case MtFinding_WarpSync:
      return "The mask must name exactly the threads that take part.";
    case MtFinding_Deadlock:
      return "Every waiting thread waits for one that never comes; look at the "
             "conditions "
             "around barriers and spin loops.";
    case MtFinding_Timeout:
      return "Look for a loop that never ends. A kernel that needs longer gets it by "
             "cuda.set_launch_limits(seconds=..., instructions=...) or "
             "MINITORCH_TIME_LIMIT (seconds).";
    case MtFinding_Trap:
      return short_file(f.site.position.file) == "cooperative_groups.h"
                 ? "this_grid().sync() needs a cooperative launch: make the kernel "
                   "with "
                   "enable_cooperative_groups=True."
                 : "";
    case MtFinding_StackOverflow:
      return "Look for recursion without end.";
    case MtFinding_DivByZero:
      return "Test the divisor first.";
    default:
      return "";
  }
}

}  // namespace minitorch::runtime
