#include "ptx/declarations.h"

#include <algorithm>

#include "base/text.h"
#include "ptx/constants.h"
#include "ptx/decode.h"
#include "ptx/demangle.h"

namespace minitorch::ptx {
namespace {

using syntax::Declaration;
using syntax::Initial;
using syntax::Storage;

Space space_of(Storage storage) {
  switch (storage) {
    case Storage::Const:
      return Space::Const;
    case Storage::Shared:
      return Space::Shared;
    case Storage::Local:
      return Space::Local;
    case Storage::Parameter:
      return Space::Param;
    default:
      return Space::Global;
  }
}

uint32_t element_size(const Declaration& declaration) {
  return std::max(1u, size_of(declaration.type));
}

[[noreturn]] void fail(syntax::Place place, const std::string& what) {
  throw PtxError(place.line, place.column, what, false);
}

void put(std::vector<uint8_t>& bytes, uint64_t offset, uint64_t value, uint32_t size) {
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  for (uint32_t i = 0; i < size; ++i)
    bytes[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

// One address of 8 bytes. Of the eight masked bytes of one address (0xFF(sym),
// 0xFF00(sym), ...) the first makes the relocation and the others follow from it.
void relocate(const Initial& initial, uint64_t offset, uint32_t size,
              const ModuleNames& names, Variable& variable) {
  const bool masked = initial.mask != 0;
  if (masked && initial.mask != 0xff) return;
  if (!masked && size != 8)
    fail(initial.place, base::text("got the address of '", initial.symbol,
                                   "' as a value of ", size, " bytes; need 8 bytes."));
  if (offset + 8 > variable.size)
    fail(initial.place, "got an address past the end of the array; need 8 bytes.");
  Variable::Relocation relocation{offset, false, kNone, initial.addend,
                                  initial.generic};
  if (const auto found = names.variables.find(initial.symbol);
      found != names.variables.end()) {
    relocation.index = found->second;
  } else if (const auto function = names.functions.find(initial.symbol);
             function != names.functions.end()) {
    relocation.function = true;
    relocation.index = function->second;
  } else {
    fail(initial.place, base::text("got '", initial.symbol,
                                   "'; need a declared variable or function."));
  }
  put(variable.initial, offset, 0, 8);
  variable.relocations.push_back(relocation);
}

}  // namespace

Variable make_variable(const Declaration& declaration) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
  constexpr uint32_t kMaxAlignment = 1u << 16;
  Variable variable;
  variable.name = declaration.name;
  variable.display = variable_display(declaration.name);
  variable.space = space_of(declaration.storage);
  variable.type = declaration.type;
  const uint64_t element = uint64_t{element_size(declaration)} * declaration.vector;
  if (declaration.count > kMaxBytes / element)
    fail(declaration.place, base::text("got '", declaration.name,
                                       "' of more than 2^40 bytes; need less."));
  if (declaration.alignment > kMaxAlignment)
    fail(declaration.place,
         base::text("got '", declaration.name, "' aligned to ", declaration.alignment,
                    " bytes; need at most ", kMaxAlignment, "."));
  variable.size = declaration.unsized ? 0 : declaration.count * element;
  variable.alignment = std::max(declaration.alignment, static_cast<uint32_t>(element));
  variable.array = declaration.array;
  variable.external = declaration.external && declaration.unsized;
  variable.managed = declaration.managed;
  return variable;
}

void fill_initial(const Declaration& declaration, const ModuleNames& names,
                  Variable& variable) {
  constexpr uint64_t kMaxInitial = uint64_t{1} << 30;
  const uint32_t size = element_size(declaration);
  const uint64_t count = variable.size / size;
  for (const Initial& initial : declaration.initial) {
    if (initial.index >= count)
      fail(initial.place, base::text("got more values than '", declaration.name,
                                     "' has elements; need at most ", count, "."));
    const uint64_t offset = initial.index * size;
    if (offset >= kMaxInitial)
      fail(initial.place,
           base::text("got a value ", offset, " bytes into '", declaration.name,
                      "'; need initial values within 1 GiB."));
    if (!initial.symbol.empty()) {
      relocate(initial, offset, size, names, variable);
      continue;
    }
    put(variable.initial, offset,
        bits_of(initial.constant, declaration.type, initial.place), size);
  }
}

std::vector<Parameter> place_parameters(const std::vector<Declaration>& declarations,
                                        uint32_t& bytes) {
  constexpr uint64_t kMaxBytes = 1u << 20;
  std::vector<Parameter> parameters;
  uint64_t end = 0;
  for (const Declaration& declaration : declarations) {
    const Variable shape = make_variable(declaration);
    end = (end + shape.alignment - 1) / shape.alignment * shape.alignment;
    if (end + shape.size > kMaxBytes)
      fail(declaration.place, "got parameters of more than 1 MiB; need less.");
    parameters.push_back({std::string(declaration.name), declaration.type,
                          static_cast<uint32_t>(end), static_cast<uint32_t>(shape.size),
                          shape.alignment, shape.array});
    end += shape.size;
  }
  bytes = static_cast<uint32_t>(end);
  return parameters;
}

}  // namespace minitorch::ptx
