// Cp.async of the scalar oracle: what is copied is read at once and arrives in shared
// memory at the wait for it, no sooner, so that a forgotten wait shows.
#include <algorithm>
#include <cstring>

#include "simt/oracle/machine.h"

namespace minitorch::simt::scalar {

using ptx::Instruction;
using ptx::Space;
using ptx::Type;

// Bytes beyond the source size are zero.
void Machine::copy_async(Thread& thread, const Instruction& instruction) {
  const auto& sources = instruction.sources;
  const auto size = static_cast<uint32_t>(value(thread, sources[0]));
  if (size != 4 && size != 8 && size != 16) {
    fail(thread, MtFinding_Unsupported, "cp.async copies 4, 8 or 16 bytes");
  }
  uint64_t wanted = size;
  if (sources.size() > 1) {
    const auto& last = sources[1];
    const bool ignores =
        last.kind == ptx::Operand::Kind::Register &&
        thread.frame().function->registers[last.index].type == Type::Pred;
    const uint64_t given = value(thread, last) & 0xffffffff;
    wanted = ignores ? (given ? 0 : size) : std::min<uint64_t>(given, size);
  }
  Copy copy;
  copy.number = thread.started++;
  copy.address = address(thread, instruction.address, ptx::Space::Shared);
  place(thread, {Space::Shared, copy.address, size, MtAccess_Write});
  copy.bytes.resize(size);
  const uint64_t from = address(thread, instruction.source_address, ptx::Space::Global);
  if (wanted == size) {
    std::memcpy(copy.bytes.data(),
                place(thread, {Space::Global, from, size, MtAccess_Read}), size);
  } else {
    for (uint64_t i = 0; i < wanted; ++i) {
      copy.bytes[i] = *place(thread, {Space::Global, from + i, 1, MtAccess_Read});
    }
  }
  thread.copies.push_back(std::move(copy));
}

void Machine::commit_copies(Thread& thread) {
  for (Copy& copy : thread.copies) {
    if (copy.group == 0) copy.group = thread.groups + 1;
  }
  ++thread.groups;
}

// wait_all waits for copies that belong to no group, too.
void Machine::wait_for_copies(Thread& thread, const Instruction& instruction) {
  const bool all = instruction.sources.empty();
  const uint64_t pending = all ? 0 : value(thread, instruction.sources[0]) & 0xffffffff;
  std::vector<Copy> left;
  for (Copy& copy : thread.copies) {
    const bool arrives =
        all || (copy.group != 0 && copy.group + pending <= thread.groups);
    if (!arrives) {
      left.push_back(std::move(copy));
      continue;
    }
    const auto size = static_cast<uint32_t>(copy.bytes.size());
    std::memcpy(place(thread, {Space::Shared, copy.address, size, MtAccess_Write}),
                copy.bytes.data(), size);
  }
  thread.copies = std::move(left);
}

}  // namespace minitorch::simt::scalar
