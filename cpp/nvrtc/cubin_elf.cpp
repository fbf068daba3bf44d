#include "nvrtc/cubin_elf.h"

#include "base/error.h"
#include "base/text.h"

namespace minitorch::nvrtc {
namespace {

constexpr uint64_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint64_t kSymbolTable = 2, kNoBits = 8;  // section types

[[noreturn]] void damaged(const char* what) {
  throw base::ValueError("cubin", base::text("got a damaged image (", what,
                                             "); need a cubin as NVRTC makes it."));
}

std::string_view part(std::string_view file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset)
    damaged("a section reaches beyond the end");
  return file.substr(offset, size);
}

std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) damaged("a name lies outside its table");
  const std::string_view rest = table.substr(offset);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) damaged("a name has no end");
  return rest.substr(0, end);
}

// What a section header says, before names are known.
struct Header {
  uint64_t name, type, flags, offset, size, link;
};

std::vector<Header> headers_of(std::string_view file) {
  const uint64_t offset = read_number(file, 40, 8);
  const uint64_t width = read_number(file, 58, 2), count = read_number(file, 60, 2);
  if (count > 0 && width != kSectionBytes) damaged("its section headers have odd size");
  const std::string_view table = part(file, offset, count * kSectionBytes);
  std::vector<Header> headers;
  for (uint64_t at = 0; at < table.size(); at += kSectionBytes)
    headers.push_back({read_number(table, at, 4), read_number(table, at + 4, 4),
                       read_number(table, at + 8, 8), read_number(table, at + 24, 8),
                       read_number(table, at + 32, 8), read_number(table, at + 40, 4)});
  return headers;
}

std::string_view bytes_of(std::string_view file, const Header& header) {
  return header.type == kNoBits ? std::string_view()
                                : part(file, header.offset, header.size);
}

const Header& at_index(const std::vector<Header>& headers, uint64_t index) {
  if (index >= headers.size()) damaged("a section is missing");
  return headers[index];
}

std::vector<ElfSymbol> symbols_of(std::string_view table, std::string_view names) {
  std::vector<ElfSymbol> symbols;
  for (uint64_t at = 0; at + kSymbolBytes <= table.size(); at += kSymbolBytes)
    symbols.push_back({text_at(names, read_number(table, at, 4)),
                       static_cast<uint8_t>(read_number(table, at + 4, 1)),
                       static_cast<uint8_t>(read_number(table, at + 5, 1))});
  return symbols;
}

}  // namespace

uint64_t read_number(std::string_view bytes, uint64_t at, int width) {
  if (at > bytes.size() || static_cast<uint64_t>(width) > bytes.size() - at)
    damaged("it is cut short");
  uint64_t value = 0;
  for (int i = width; i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[at + static_cast<uint64_t>(i)]);
  return value;
}

const ElfSection* Elf::section(std::string_view name) const {
  for (const ElfSection& each : sections)
    if (each.name == name) return &each;
  return nullptr;
}

Elf read_elf(std::string_view file) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF\x02\x01\x01";
  if (file.size() < kHeaderBytes || !file.starts_with(kMagic))
    damaged("it is no 64-bit ELF file");
  Elf elf;
  elf.abi_version = static_cast<uint8_t>(file[8]);
  elf.machine = static_cast<uint16_t>(read_number(file, 18, 2));
  elf.flags = static_cast<uint32_t>(read_number(file, 48, 4));
  const std::vector<Header> headers = headers_of(file);
  if (headers.empty()) return elf;
  const std::string_view names =
      bytes_of(file, at_index(headers, read_number(file, 62, 2)));
  for (const Header& header : headers) {
    const std::string_view name =
        header.type == 0 ? std::string_view() : text_at(names, header.name);
    elf.sections.push_back({name, header.flags, header.size, bytes_of(file, header)});
    if (header.type == kSymbolTable)
      elf.symbols = symbols_of(elf.sections.back().bytes,
                               bytes_of(file, at_index(headers, header.link)));
  }
  return elf;
}

}  // namespace minitorch::nvrtc
