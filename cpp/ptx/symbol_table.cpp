#include "ptx/symbol_table.h"

#include <charconv>

namespace minitorch::ptx {

void SymbolTable::open_scope() { scopes_.emplace_back(); }

void SymbolTable::close_scope() {
  for (std::string_view name : scopes_.back().symbols) symbols_[name].pop_back();
  for (std::string_view prefix : scopes_.back().ranges) ranges_[prefix].pop_back();
  scopes_.pop_back();
}

void SymbolTable::declare(std::string_view name, Symbol symbol) {
  symbol.depth = static_cast<uint32_t>(scopes_.size());
  symbols_[name].push_back(symbol);
  scopes_.back().symbols.push_back(name);
}

void SymbolTable::declare_range(std::string_view prefix, Type type, uint32_t count) {
  Symbol symbol;
  symbol.type = type;
  symbol.depth = static_cast<uint32_t>(scopes_.size());
  ranges_[prefix].push_back({std::vector<Symbol>(count, symbol), symbol.depth});
  scopes_.back().ranges.push_back(prefix);
}

Symbol* SymbolTable::find(std::string_view name) {
  Symbol* found = nullptr;
  const auto exact = symbols_.find(name);
  if (exact != symbols_.end() && !exact->second.empty()) found = &exact->second.back();

  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits >= name.size()) return found;
  if (name[digits] == '0' && digits + 1 < name.size()) return found;  // %r01 is not %r1
  const auto range = ranges_.find(name.substr(0, digits));
  if (range == ranges_.end() || range->second.empty()) return found;
  uint32_t number = 0;
  const auto parsed =
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
  Range& innermost = range->second.back();
  if (parsed.ec != std::errc{} || number >= innermost.symbols.size()) return found;
  if (found != nullptr && found->depth > innermost.depth) return found;
  return &innermost.symbols[number];
}

}  // namespace minitorch::ptx
