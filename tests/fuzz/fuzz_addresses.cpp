// Kernels with wild addresses on the vector engine and on the scalar oracle: both must
// come to the same end (a fault or none, and of the same kind where it is the same
// thread's), and where there is no fault to the same memory. Whatever a kernel does, no
// byte outside its allocations changes; what lies around the arena cannot even be read.
//
// MINITORCH_ISA chooses the instruction set, as everywhere.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "address_program.h"
#include "base/error.h"
#include "cuda_program.h"
#include "findings/kinds.h"
#include "nvrtc/compiler.h"
#include "ptx/decode.h"
#include "simt/program/launch.h"

namespace {

namespace simt = minitorch::simt;
namespace ptx = minitorch::ptx;
using fuzz::AddressProgram;
using fuzz::CudaProgram;
using fuzz::Places;
namespace nvrtc = minitorch::nvrtc;

constexpr uint64_t kPage = 4096, kBig = 16384, kSmall = 1004, kPinned = 2048;

/// Pages beside a range that nobody may touch, where they are still free.
class Fence {
 public:
  Fence(uint64_t begin, uint64_t end) {
    for (const uint64_t at : {begin - kBytes, end}) {
      void* const wanted = reinterpret_cast<void*>(at);
      void* const got = mmap(
          wanted, kBytes, PROT_NONE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      if (got == wanted) pages_.push_back(got);
    }
  }
  ~Fence() {
    for (void* pages : pages_) munmap(pages, kBytes);
  }
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

 private:
  static constexpr uint64_t kBytes = 64 * kPage;
  std::vector<void*> pages_;
};

/// A kernel and how it is launched.
struct Subject {
  std::string text;
  uint32_t threads, grid, dynamic;
  uint64_t p0, p1;
  bool same_end, same_kind, same_memory;  // as the oracle's
};

/// A card with a few allocations, whose bytes can be put back.
class Card {
 public:
  static constexpr uint64_t kParameterBytes = 48;

  Card() : memory_(uint64_t{16} << 20), fence_(memory_.arena_base(), end()) {
    using Kind = simt::Allocation::Kind;
    places.arena = memory_.arena_base();
    places.arena_end = end();
    places.big = allocate(kBig, Kind::Device);
    places.big_size = kBig;
    places.freed = allocate(512, Kind::Device);
    places.small = allocate(kSmall, Kind::Device);
    places.small_size = kSmall;
    places.pinned = allocate(kPinned, Kind::Host);
    places.pinned_size = kPinned;
    out_ = allocate(8 * 96 * 16, Kind::Device);
    memory_.release(places.freed);
  }

  void load(const std::string& text) {
    module_.module = ptx::decode(text);
    module_.variable_address.clear();
    for (const ptx::Variable& variable : module_.module->variables) place(variable);
    uint64_t last = 0;
    for (const auto& each : memory_.table()->all()) last = std::max(last, each.end());
    first_.resize((last + 2 * kPage - places.arena) / kPage * kPage);
    for (size_t i = 0; i < first_.size(); ++i) {
      first_[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
    }
    for (size_t i = 0; i < module_.variable_address.size(); ++i) {
      const uint64_t at = module_.variable_address[i];
      if (at == 0) continue;
      const ptx::Variable& variable = module_.module->variables[i];
      std::fill_n(first_.begin() + static_cast<ptrdiff_t>(at - places.arena),
                  variable.size, uint8_t{0});
      std::copy(variable.initial.begin(), variable.initial.end(),
                first_.begin() + static_cast<ptrdiff_t>(at - places.arena));
    }
    code_ = make_code(module_, module_.module->find_function("kernel"));
  }

  simt::Launch launch(const Subject& program, uint32_t checks) {
    simt::Launch made;
    made.module = &module_;
    made.function = module_.module->find_function("kernel");
    made.code = code_;
    made.grid = {program.grid, 1, 1};
    made.block = {program.threads, 1, 1};
    made.dynamic_shared = program.dynamic;
    made.memory = &memory_;
    made.checks = checks;
    made.budget = 20000;
    made.trace_limit = uint64_t{1} << 20;
    made.print = [](const std::string&) {};
    const uint64_t words[] = {program.p0, program.p1, out_, 1, 2, 3};
    static_assert(sizeof words == kParameterBytes);
    made.parameters.resize(sizeof words);
    std::memcpy(made.parameters.data(), words, sizeof words);
    return made;
  }

  void restore() {
    std::memcpy(bytes(), first_.data(), first_.size());
    for (const auto& each : memory_.table()->all()) {
      if (each.live && each.kind != simt::Allocation::Kind::Heap) {
        memory_.mark_written(each.base, each.size);
      }
    }
    memory_.mark_undefined(places.small, 64);
  }

  /// The first byte outside of all that a kernel may write and that is not as it was;
  /// 0 when there is none.
  uint64_t damage() const {
    uint64_t at = places.arena;
    for (const auto& each : memory_.table()->all()) {
      const bool constant = each.kind == simt::Allocation::Kind::Constant;
      const uint64_t end = std::min(each.base, places.arena + first_.size());
      if (const uint64_t found = changed(at, end)) return found;
      if (constant) {
        if (const uint64_t found = changed(each.base, each.end())) return found;
      }
      at = each.end();
    }
    return changed(at, places.arena + first_.size());
  }

  bool holds(uint64_t address, uint64_t size) const {
    const auto table = memory_.table();
    const simt::Allocation* found = table->find(address);
    return found != nullptr && found->live && size <= found->end() - address;
  }

  std::vector<uint8_t> copy() const {
    return std::vector<uint8_t>(bytes(), bytes() + first_.size());
  }

  /// Of the kernel's block, up to where what is dynamic begins.
  uint64_t shared_bytes() const {
    const ptx::Module& module = *module_.module;
    const uint64_t fixed =
        module.functions[module.find_function("kernel")].shared_bytes;
    return (fixed + 15) / 16 * 16;
  }

  Places places;

 private:
  uint64_t end() const { return memory_.arena_base() + memory_.arena_size(); }
  uint8_t* bytes() const { return reinterpret_cast<uint8_t*>(places.arena); }
  uint64_t changed(uint64_t begin, uint64_t end) const {
    if (end <= begin) return 0;
    const uint8_t* const was = first_.data() + (begin - places.arena);
    const auto* const is = reinterpret_cast<const uint8_t*>(begin);
    if (std::memcmp(was, is, end - begin) == 0) return 0;
    uint64_t i = 0;
    while (was[i] == is[i]) ++i;
    return begin + i;
  }
  uint64_t allocate(uint64_t size, simt::Allocation::Kind kind) {
    return memory_.allocate(size, kind);
  }
  void place(const ptx::Variable& variable) {
    using Kind = simt::Allocation::Kind;
    const bool constant = variable.space == ptx::Space::Const;
    const bool placed = constant || variable.space == ptx::Space::Global;
    module_.variable_address.push_back(
        placed ? allocate(variable.size, constant ? Kind::Constant : Kind::Global) : 0);
  }

  simt::Memory memory_;
  Fence fence_;
  simt::LoadedModule module_;
  std::shared_ptr<const simt::Code> code_;
  std::vector<uint8_t> first_;  // the arena's bytes before a launch
  uint64_t out_ = 0;
};

const MtFinding* fault_of(const simt::Outcome& outcome) {
  return outcome.stopped() ? &outcome.findings[0] : nullptr;
}

const char* name_of(const MtFinding* finding) {
  return finding == nullptr ? "no fault"
                            : minitorch::findings::kind_name(finding->kind);
}

bool races(const simt::Outcome& outcome) {
  return std::any_of(
      outcome.findings.begin(), outcome.findings.end(), [](const MtFinding& each) {
        return each.kind == MtFinding_RaceShared || each.kind == MtFinding_RaceGlobal ||
               each.kind == MtFinding_RaceBenign;
      });
}

/// What only the engine finds: an address that is valid, but not the variable's or the
/// parameter's from which it is derived; a misaligned row of ldmatrix before it looks
/// where it is.
bool is_stricter(const MtFinding& fault, const Card& card, const Subject& subject) {
  const bool row = std::strstr(fault.detail, "ldmatrix") != nullptr;
  const uint64_t end = fault.address + fault.size;
  const bool shared =
      fault.kind == MtFinding_OobShared && end <= card.shared_bytes() + subject.dynamic;
  const bool parameter =
      fault.kind == MtFinding_OobConst && end <= Card::kParameterBytes;
  const bool global =
      fault.kind == MtFinding_OobGlobal && card.holds(fault.address, fault.size);
  return row || shared || parameter || global;
}

bool agree(const MtFinding* engine, const MtFinding* oracle, const Card& card,
           const Subject& subject) {
  if (engine != nullptr && is_stricter(*engine, card, subject)) return true;
  if (engine == nullptr || oracle == nullptr) return engine == oracle;
  const auto& a = engine->site;
  const auto& b = oracle->site;
  const bool same_thread = std::equal(a.thread, a.thread + 3, b.thread) &&
                           std::equal(a.block, a.block + 3, b.block) &&
                           a.position.line == b.position.line;
  if (!same_thread || !subject.same_kind) return true;
  // Both may be true, and what an address is derived from decides which is seen first.
  const bool misaligned =
      engine->kind == MtFinding_Misaligned || oracle->kind == MtFinding_Misaligned;
  // Local memory has no atomics, inside or outside.
  const bool atomic =
      engine->kind == MtFinding_OobLocal && engine->access == MtAccess_Atomic;
  return engine->kind == oracle->kind || misaligned || atomic;
}

std::string place(uint64_t number) {
  std::ostringstream text;
  text << "0x" << std::hex << number;
  return text.str();
}

void print(std::ostream& out, const simt::Outcome& outcome) {
  if (!outcome.stopped()) out << "  no fault\n";
  for (const MtFinding& each : outcome.findings) {
    out << "  " << name_of(&each) << " line " << each.site.position.line << " thread "
        << each.site.thread[0] << " block " << each.site.block[0] << " address "
        << place(each.address) << " size " << each.size << ' ' << each.detail << '\n';
  }
  out.flush();
}

/// After each instruction a `.loc` with its number, by which sites can be compared.
std::string with_lines(const std::string& text) {
  std::istringstream in(text);
  std::ostringstream out;
  size_t number = 0;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (inside && line.rfind("  ", 0) == 0) out << ".loc 1 " << ++number << " 1\n";
    if (line.rfind("{", 0) == 0) inside = true;
    if (line.rfind("}", 0) == 0) inside = false;
    out << line << '\n';
  }
  return out.str() + ".file 1 \"kernel.cu\"\n";
}

Subject from_ptx(uint64_t seed, const Places& places) {
  const AddressProgram made(seed, places);
  return {with_lines(made.text), made.threads,   made.grid,
          made.dynamic(),        made.p0,        made.p1,
          made.same_end,         made.same_kind, made.same_memory};
}

/// NVRTC removes what it can show to be undefined, so that of the memory nothing is
/// known; throws StateError where there is no NVRTC.
Subject from_cuda(uint64_t seed, const Places& places) {
  const CudaProgram made(seed);
  nvrtc::Request request;
  request.source = {"/fuzz/kernel.cu", made.text};
  const std::string ptx = nvrtc::compile(request)->ptx;
  nvrtc::clear_memory_cache();
  return {ptx, made.threads, 1, 0, places.small, places.big, true, true, false};
}

std::string one_input(uint64_t seed, bool cuda, bool show) {
  Card card;
  std::optional<Subject> made;
  try {
    made = cuda ? from_cuda(seed, card.places) : from_ptx(seed, card.places);
    if (show) {
      std::cout << made->text << "// " << made->grid << " blocks of " << made->threads
                << " threads, p0 = " << place(made->p0) << ", p1 = " << place(made->p1)
                << std::endl;
    }
    card.load(made->text);
  } catch (const nvrtc::CompileError& error) {
    return std::string("!refused: ") + error.what();
  } catch (const ptx::PtxError& error) {
    return std::string("!refused: ") + error.what();
  }
  const Subject& program = *made;
  // All checks, only those that are always on, and some with records.
  const uint32_t wanted[] = {MtCheck_All, 0,
                             seed % 3 == 0   ? MtCheck_Counters
                             : seed % 3 == 1 ? MtCheck_Trace | MtCheck_UninitGlobal
                                             : MtCheck_Race};
  std::vector<simt::Outcome> outcomes;
  std::vector<uint8_t> memory;
  for (const uint32_t checks : wanted) {
    card.restore();
    outcomes.push_back(run(card.launch(program, checks)));
    if (show) print(std::cout << "checks " << checks << ":\n", outcomes.back());
    if (const uint64_t at = card.damage()) {
      return "!damage outside of the allocations at " + place(at);
    }
    if (checks == 0) memory = card.copy();
  }
  card.restore();
  const simt::Outcome oracle = run_scalar(card.launch(program, 0));
  const MtFinding* const expected = fault_of(oracle);
  if (show) print(std::cout << "oracle:\n", oracle);
  if (!program.same_end) return "not compared";
  for (const simt::Outcome& outcome : outcomes) {
    if (agree(fault_of(outcome), expected, card, program)) continue;
    return std::string("!") + name_of(fault_of(outcome)) + " where the oracle has " +
           name_of(expected);
  }
  if (expected != nullptr) return name_of(expected);
  const bool stricter =
      std::any_of(outcomes.begin(), outcomes.end(),
                  [](const simt::Outcome& each) { return each.stopped(); });
  if (stricter) return "only by what the address is derived from";
  if (!program.same_memory || races(outcomes[0])) return "no fault";
  const std::vector<uint8_t> other = card.copy();
  if (memory != other) {
    const auto at = std::mismatch(memory.begin(), memory.end(), other.begin()).first;
    return "!memory differs from the oracle's at " +
           place(card.places.arena + static_cast<uint64_t>(at - memory.begin()));
  }
  return "no fault, same memory";
}

}  // namespace

int main(int argc, char** argv) {
  const fuzz::Options options(argc, argv, {"--cuda"});
  const bool cuda = options.has("--cuda");
  // No kernel comes twice: none is worth keeping on disk.
  for (const char* name : {"MINITORCH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    if (cuda) unsetenv(name);
  }
  try {
    return fuzz::run(
        cuda ? "addresses in CUDA C++" : "addresses", options,
        [&](uint64_t seed) { return one_input(seed, cuda, options.show); });
  } catch (const minitorch::base::StateError& error) {
    std::cout << "skipped: " << error.what() << std::endl;
    return fuzz::kSkipped;
  }
}
