#include "simt/observers/footprint/footprint.h"

#include <algorithm>
#include <bit>

namespace minitorch::simt {
namespace {

constexpr uint64_t kWord = 64;
constexpr uint64_t kWholeWord = ~uint64_t{0};
constexpr size_t kMostRuns = size_t{1} << 17;  // of one use: 3 MiB

uint64_t end_of(const WordRun& run) { return run.word + run.count; }

/// Calls visit(word, count, one run, the other) for words in which both have bytes in
/// common, in order, until it returns false.
template <class Visit>
void intersect(const std::vector<WordRun>& a, const std::vector<WordRun>& b,
               Visit visit) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t low = std::max(a[i].word, b[j].word);
    const uint64_t high = std::min(end_of(a[i]), end_of(b[j]));
    if (low < high && (a[i].bits & b[j].bits) != 0 &&
        !visit(low, high - low, a[i], b[j])) {
      return;
    }
    end_of(a[i]) <= end_of(b[j]) ? ++i : ++j;
  }
}

/// Length of the run of ones that begins at bit `from`.
uint64_t ones_from(uint64_t bits, int from) {
  return static_cast<uint64_t>(std::countr_one(bits >> from));
}

Overlap first_overlap(const std::vector<WordRun>& a, const std::vector<WordRun>& b) {
  Overlap found;
  intersect(a, b,
            [&](uint64_t word, uint64_t count, const WordRun& x, const WordRun& y) {
              const uint64_t bits = x.bits & y.bits;
              const uint64_t start = word * kWord;
              if (found.size == 0) {
                const int low = std::countr_zero(bits);
                found.address = start + static_cast<uint64_t>(low);
                found.first_place = x.place;
                found.second_place = y.place;
                const uint64_t length = ones_from(bits, low);
                found.size = length;
                if (static_cast<uint64_t>(low) + length < kWord) return false;
                if (count == 1) return true;
                // The words behind are the same.
                const uint64_t more = ones_from(bits, 0);
                found.size += more == kWord ? (count - 1) * kWord : more;
                return more == kWord;
              }
              if (found.address + found.size != start) return false;
              const uint64_t more = ones_from(bits, 0);
              found.size += more == kWord ? count * kWord : more;
              return more == kWord;
            });
  return found;
}

/// Uses of one operation against uses of the other whose order matters.
constexpr std::pair<Use, Use> kConflicts[] = {
    {Use::Write, Use::Write},       {Use::Write, Use::Read},
    {Use::Read, Use::Write},        {Use::Write, Use::StrongWrite},
    {Use::StrongWrite, Use::Write}, {Use::StrongWrite, Use::Read},
    {Use::Read, Use::StrongWrite},  {Use::Write, Use::StrongRead},
    {Use::StrongRead, Use::Write},
};

const std::vector<WordRun>& runs_of(const Footprint& footprint, Use use) {
  return footprint.runs[static_cast<size_t>(use)];
}

void cut(std::vector<WordRun>& runs, uint64_t low, uint64_t high) {
  std::vector<WordRun> kept;
  for (const WordRun& run : runs) {
    if (end_of(run) <= low || run.word >= high) {
      kept.push_back(run);
      continue;
    }
    WordRun part = run;
    part.count = static_cast<uint32_t>(low > run.word ? low - run.word : 0);
    if (part.count != 0) kept.push_back(part);
    if (end_of(run) <= high) continue;
    part.count = static_cast<uint32_t>(end_of(run) - high);
    part.word = high;
    kept.push_back(part);
  }
  runs = std::move(kept);
}

MtPosition position_of(const ptx::Module& module, uint32_t index) {
  MtPosition at{};
  if (index >= module.positions.size()) return at;
  const ptx::Position& from = module.positions[index];
  if (from.file < module.files.size()) {
    module.files[from.file].copy(at.file, sizeof at.file - 1);
  }
  at.line = static_cast<int32_t>(from.line);
  at.column = static_cast<int32_t>(from.column);
  return at;
}

}  // namespace

bool Footprint::add_words(Use use, const WordRun& wanted) {
  auto& all = runs[static_cast<size_t>(use)];
  WordRun run = wanted;
  if (!all.empty()) {
    WordRun& last = all.back();
    const uint64_t end = end_of(last);
    if (run.word + 1 < end || all.size() >= kMostRuns) return false;
    if (run.word < end) {  // shares the last word
      const uint64_t bits = last.bits | run.bits;
      if (last.count == 1) {
        last.bits = bits;
      } else if (bits != last.bits) {
        --last.count;
        all.push_back({run.word, bits, 1, run.place});
      }
      ++run.word;
      if (--run.count == 0) return true;
    }
    WordRun& before = all.back();
    if (end_of(before) == run.word && before.bits == run.bits &&
        before.place == run.place) {
      before.count += run.count;
      return true;
    }
  }
  all.push_back(run);
  return true;
}

bool Footprint::add(Use use, uint64_t address, uint64_t size, uint32_t place) {
  bool added = true;
  while (size > 0 && added) {
    const uint64_t shift = address % kWord;
    const uint64_t head = shift == 0 ? 0 : std::min(size, kWord - shift);
    WordRun run{address / kWord, kWholeWord, 1, place};
    uint64_t taken = head;
    if (head != 0) {
      run.bits = (kWholeWord >> (kWord - head)) << shift;
    } else if (size >= kWord) {
      const uint64_t most = uint64_t{1} << 31;
      run.count = static_cast<uint32_t>(std::min(size / kWord, most));
      taken = run.count * kWord;
    } else {
      run.bits = kWholeWord >> (kWord - size);
      taken = size;
    }
    added = add_words(use, run);
    address += taken;
    size -= taken;
  }
  return added;
}

void Footprint::remove(uint64_t begin, uint64_t end) {
  for (auto& all : runs) {
    if (all.empty() || end_of(all.back()) * kWord <= begin ||
        all.front().word * kWord >= end) {
      continue;
    }
    cut(all, begin / kWord, (end + kWord - 1) / kWord);
  }
}

bool Footprint::empty() const {
  return std::all_of(runs.begin(), runs.end(),
                     [](const auto& all) { return all.empty(); });
}

bool Footprint::touches(Use use, uint64_t begin, uint64_t end) const {
  for (const WordRun& run : runs_of(*this, use)) {
    if (end_of(run) * kWord > begin && run.word * kWord < end) return true;
  }
  return false;
}

Overlap find_conflict(const Footprint& first, const Footprint& second) {
  Overlap best;
  for (const auto& [one, other] : kConflicts) {
    Overlap found = first_overlap(runs_of(first, one), runs_of(second, other));
    if (found.size == 0 || (best.size != 0 && best.address <= found.address)) continue;
    found.first = one;
    found.second = other;
    best = found;
  }
  return best;
}

bool share_flag(const Footprint& first, const Footprint& second) {
  const auto meet = [&](Use one, Use other) {
    return first_overlap(runs_of(first, one), runs_of(second, other)).size != 0;
  };
  return meet(Use::StrongWrite, Use::StrongWrite) ||
         meet(Use::StrongWrite, Use::StrongRead) ||
         meet(Use::StrongRead, Use::StrongWrite);
}

MtSite site_of_place(const Footprint& footprint, uint32_t place) {
  MtSite site{};
  if (footprint.module == nullptr || place >= footprint.places.size()) return site;
  const ptx::Module& module = *footprint.module;
  const auto [function, instruction] = footprint.places[place];
  if (function >= module.functions.size()) return site;
  const auto& instructions = module.functions[function].instructions;
  if (instruction >= instructions.size()) return site;
  uint32_t at = instructions[instruction].position;
  site.position = position_of(module, at);
  constexpr auto kMost = static_cast<int32_t>(std::size(MtSite{}.inlined_from));
  while (at < module.positions.size() && site.inlined_count < kMost) {
    at = module.positions[at].inlined_at;
    if (at >= module.positions.size()) break;
    site.inlined_from[site.inlined_count++] = position_of(module, at);
  }
  return site;
}

}  // namespace minitorch::simt
