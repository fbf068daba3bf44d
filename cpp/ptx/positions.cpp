#include "ptx/positions.h"

#include "ptx/demangle.h"

namespace minitorch::ptx {
namespace {

/// A string as the assembler's language spells it: "jos\303\251" for "josé".
std::string unescaped(std::string_view text) {
  constexpr std::string_view kLetters = "bfnrt", kMeanings = "\b\f\n\r\t";
  const auto octal = [&](size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '7';
  };
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    if (octal(++at)) {
      int byte = 0;
      const size_t end = at + 3;
      for (; at < end && octal(at); ++at) byte = byte * 8 + (text[at] - '0');
      --at;
      plain += static_cast<char>(byte);
      continue;
    }
    const size_t letter = kLetters.find(text[at]);
    plain += letter < kLetters.size() ? kMeanings[letter] : text[at];
  }
  return plain;
}

}  // namespace

uint32_t PositionTable::add(const syntax::Location& location, uint32_t previous) {
  if (location.line == 0) return previous;
  uint32_t inlined_at = kNone;
  if (location.is_inlined) {
    const Spot call{location.inlined[0], location.inlined[1], location.inlined[2]};
    const auto known = latest_.find(call);
    inlined_at = known != latest_.end() ? known->second : intern(call, kNone);
  }
  const size_t known = positions_.size();
  const uint32_t index =
      intern({location.file, location.line, location.column}, inlined_at);
  if (index == known && !location.function.empty())
    named_[location.function].push_back(index);
  return index;
}

uint32_t PositionTable::intern(const Spot& spot, uint32_t inlined_at) {
  const auto [entry, fresh] =
      known_.try_emplace({spot, inlined_at}, static_cast<uint32_t>(positions_.size()));
  if (fresh) {
    const auto [file, line, column] = spot;
    positions_.push_back({file, line, column, inlined_at, kNone});
  }
  return latest_[spot] = entry->second;
}

void PositionTable::finish(const syntax::Module& tree, Module& module) {
  std::map<uint32_t, uint32_t> index_of;
  for (const auto& [number, name] : tree.files) {
    index_of[number] = static_cast<uint32_t>(module.files.size());
    module.files.push_back(unescaped(name));
  }
  for (Position& position : positions_) {
    const auto found = index_of.find(position.file);
    position.file = found != index_of.end() ? found->second : kNone;
  }
  name_functions(tree, module);
  module.positions = std::move(positions_);
}

void PositionTable::name_functions(const syntax::Module& tree, Module& module) {
  for (const auto& [label, name] : tree.strings) {
    const auto found = named_.find(label);
    if (found == named_.end()) continue;
    for (uint32_t position : found->second)
      positions_[position].function =
          static_cast<uint32_t>(module.inlined_names.size());
    module.inlined_names.push_back(function_display(name));
  }
}

}  // namespace minitorch::ptx
