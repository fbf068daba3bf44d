#include "simt/warp/looks.h"

#include <cstring>
#include <map>

#include "base/text.h"
#include "simt/program/engine.h"
#include "simt/warp/describe.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

/// A place in memory that a path looks at while it goes round.
struct Look {
  const Step* hint = nullptr;  // null: it does not
  bool shared = false;
  uint64_t address = 0;  // or offset in shared memory
};

Look look_of(const Warp& warp, const Path& path) {
  const uint32_t lane = first_lane(path.mask);
  const Step* const hint = warp.states[lane].looks;
  const auto& steps = path.frame->code->steps;
  const bool own = hint && hint >= steps.data() && hint < steps.data() + steps.size();
  if (!own || hint->b == kNoRow) return {};
  const uint8_t* const row = path.frame->registers + hint->b;
  const uint64_t base = hint->c == 8 ? reinterpret_cast<const uint64_t*>(row)[lane]
                                     : reinterpret_cast<const uint32_t*>(row)[lane];
  const uint64_t address = base + static_cast<uint64_t>(hint->immediate);
  const bool generic = address >> 56 == kSharedWindow >> 56;
  const bool shared = static_cast<Looks>(hint->a) == Looks::Inside || generic;
  const uint64_t offset = address - kSharedBase - (generic ? kSharedWindow : 0);
  return {hint, shared, shared ? offset & 0xffffffffu : address};
}

/// Whether the instruction is part of cuda::barrier, where that is plain memory.
bool is_of_barrier(const ptx::Module& module, uint32_t function, uint32_t instruction) {
  const auto& positions = module.positions;
  uint32_t at = module.functions[function].instructions[instruction].position;
  for (; at < positions.size(); at = positions[at].inlined_at) {
    const uint32_t file = positions[at].file;
    if (file >= module.files.size()) continue;
    if (module.files[file].find("/__barrier/") != std::string::npos) return true;
  }
  return false;
}

/// What cuda::barrier keeps in memory below compute_80: 2^31 less the arrivals that a
/// phase expects, above it 2^31 less those that are missing, above that the phase.
struct BarrierWord {
  uint32_t expected = 0, missing = 0;

  explicit BarrierWord(uint64_t bits)
      : expected((1u << 31) - static_cast<uint32_t>(bits)),
        missing((1u << 31) - (static_cast<uint32_t>(bits >> 32) & 0x7fff'ffffu)) {}
};

}  // namespace

bool waits_for_host(const LaunchState& launch, const Block& block) {
  bool found = false;
  const auto table = launch.launch->memory->table();
  for_each_ready(block, [&](const Warp& warp, const Path& path) {
    const Look look = look_of(warp, path);
    if (!look.hint || look.shared || found) return;
    const Allocation* const at = table->find(look.address);
    found = at != nullptr && at->kind == Allocation::Kind::Host;
  });
  return found;
}

bool waits_for_others(const Block& block) {
  bool found = false;
  for_each_ready(block, [&](const Warp& warp, const Path& path) {
    const Look look = look_of(warp, path);
    found |= look.hint && !look.shared;
  });
  return found;
}

std::string arrivals_text(const Context& context, const Block& block) {
  std::map<std::pair<bool, uint64_t>, std::string> texts;
  for_each_ready(block, [&](const Warp& warp, const Path& path) {
    const Look look = look_of(warp, path);
    if (!look.hint || !is_of_barrier(*context.program->module, path.frame->code->index,
                                     look.hint->instruction)) {
      return;
    }
    const bool inside = look.shared ? look.address + 8 <= context.launch->shared_bytes
                                    : context.memory->holds(look.address, 8);
    if (!inside || look.address % 8 != 0) return;
    uint64_t bits = 0;
    std::memcpy(&bits,
                look.shared ? block.shared + look.address
                            : reinterpret_cast<const uint8_t*>(look.address),
                sizeof bits);
    const BarrierWord word(bits);
    if (word.missing > word.expected) return;
    const MtSpace space = look.shared ? MtSpace_Shared : MtSpace_Global;
    texts[{look.shared, look.address}] = base::text(
        "cuda::barrier ", name_of_place(*context.launch, space, look.address), " has ",
        word.expected - word.missing, " of ", word.expected,
        " arrivals and nobody else comes");
  });
  std::string text;
  for (const auto& [place, each] : texts) text += (text.empty() ? "" : "; ") + each;
  if (!text.empty() && block.exited) {
    text += base::text("; ", block.exited, block.exited == 1 ? " has" : " have",
                       " left the kernel");
  }
  return text;
}

}  // namespace minitorch::simt
