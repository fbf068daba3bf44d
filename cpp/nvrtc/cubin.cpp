#include "nvrtc/cubin.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "nvrtc/cubin_elf.h"

namespace minitorch::nvrtc {
namespace {

constexpr uint16_t kMachineCuda = 190;
constexpr uint8_t kNewAbi = 8;
constexpr uint8_t kFunctionSymbol = 2, kEntryBit = 0x10;

// Formats of an attribute: what follows its two leading bytes.
enum Format : uint8_t { kNoValue = 1, kByte = 2, kHalf = 3, kSized = 4 };

// EIATTR_* in use.
enum Attribute : uint8_t {
  kMaxThreads = 0x05,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameterBytes = 0x19,
  kRegisterCount = 0x2f,
  kBarrierCount = 0x4c,
};

constexpr uint64_t kUnknownStack = 0xffffffff;
// From compute 9.0 on a block's section begins with what the driver keeps for itself.
constexpr uint64_t kReservedShared = 1024;
constexpr int kReservedFrom = 90;

struct AttributeValue {
  uint8_t attribute;
  uint64_t number;         // of a byte or half
  std::string_view bytes;  // of a sized one
};

void each_attribute(std::string_view info,
                    const std::function<void(const AttributeValue&)>& visit) {
  for (uint64_t at = 0; at < info.size();) {
    const auto format = static_cast<uint8_t>(read_number(info, at, 1));
    const auto attribute = static_cast<uint8_t>(read_number(info, at + 1, 1));
    const uint64_t word = read_number(info, at + 2, 2);
    at += 4;
    if (format == kSized) {
      if (word > info.size() - at)
        throw base::ValueError("cubin",
                               "got a damaged image (an attribute reaches beyond its "
                               "section); need a cubin as NVRTC makes it.");
      visit({attribute, 0, info.substr(at, word)});
      at += word;
    } else if (format == kByte || format == kHalf || format == kNoValue) {
      visit({attribute, format == kByte ? word & 0xff : word, {}});
    } else {
      throw base::ValueError(
          "cubin", base::text("got an attribute of format ", int{format},
                              "; need 1 to 4. This CUDA version is not known here."));
    }
  }
}

struct Stack {
  uint64_t registers = 0, frame = 0, least = 0;
  bool has_least = false;
};

// Attributes of the whole file name a function by its symbol: (symbol, value).
std::map<std::string_view, Stack> stacks_of(const Elf& elf) {
  std::map<std::string_view, Stack> stacks;
  const ElfSection* info = elf.section(".nv.info");
  if (!info) return stacks;
  each_attribute(info->bytes, [&](const AttributeValue& value) {
    if (value.bytes.size() < 8) return;
    const uint64_t symbol = read_number(value.bytes, 0, 4);
    if (symbol >= elf.symbols.size()) return;
    Stack& stack = stacks[elf.symbols[symbol].name];
    const uint64_t number = read_number(value.bytes, 4, 4);
    if (value.attribute == kRegisterCount) stack.registers = number;
    if (value.attribute == kFrameSize) stack.frame = number;
    if (value.attribute == kMinStackSize) {
      stack.least = number;
      stack.has_least = true;
    }
  });
  return stacks;
}

uint64_t threads_in(std::string_view three_words) {
  uint64_t threads = 1;
  for (uint64_t i = 0; i < 3; ++i)
    threads *= std::min<uint64_t>(read_number(three_words, 4 * i, 4), 1024);
  return threads;
}

void read_info(std::string_view info, CubinKernel* kernel) {
  each_attribute(info, [&](const AttributeValue& value) {
    switch (value.attribute) {
      case kParameterBytes:
        kernel->parameter_bytes = value.number;
        break;
      case kBarrierCount:
        kernel->barriers = static_cast<int>(value.number);
        break;
      case kMaxThreads:
      case kRequiredThreads:
        kernel->max_threads = static_cast<int>(threads_in(value.bytes));
        break;
      default:
        break;
    }
  });
}

int architecture_of(const Elf& elf) {
  const uint32_t shift = elf.abi_version >= kNewAbi ? 8 : 0;
  return static_cast<int>(elf.flags >> shift & 0xff);
}

CubinKernel read_kernel(const Elf& elf, std::string_view name, const Stack& stack) {
  CubinKernel kernel;
  kernel.name = name;
  kernel.registers = static_cast<int>(std::min<uint64_t>(stack.registers, 0xffff));
  kernel.recursive = stack.has_least && stack.least == kUnknownStack;
  kernel.local_bytes = stack.has_least && !kernel.recursive ? stack.least : stack.frame;
  if (const auto* code = elf.section(base::text(".text.", name))) {
    kernel.code_bytes = code->size;
    if (elf.abi_version < kNewAbi)
      kernel.barriers = static_cast<int>(code->flags >> 20 & 0x7f);
  }
  if (const auto* info = elf.section(base::text(".nv.info.", name)))
    read_info(info->bytes, &kernel);
  if (const auto* shared = elf.section(base::text(".nv.shared.", name))) {
    const uint64_t reserved =
        architecture_of(elf) >= kReservedFrom ? kReservedShared : 0;
    kernel.shared_bytes = shared->size - std::min(shared->size, reserved);
  }
  return kernel;
}

}  // namespace

const CubinKernel* Cubin::kernel(std::string_view name) const {
  for (const CubinKernel& each : kernels)
    if (each.name == name) return &each;
  return nullptr;
}

Cubin read_cubin(std::string_view image) {
  const Elf elf = read_elf(image);
  if (elf.machine != kMachineCuda)
    throw base::ValueError("cubin", base::text("got an ELF file for machine ",
                                               elf.machine, "; need 190 (CUDA)."));
  Cubin cubin;
  cubin.architecture = architecture_of(elf);
  if (const auto* constants = elf.section(".nv.constant3"))
    cubin.constant_bytes = constants->size;
  std::map<std::string_view, Stack> stacks = stacks_of(elf);
  for (const ElfSymbol& symbol : elf.symbols) {
    const bool entry =
        (symbol.info & 0xf) == kFunctionSymbol && symbol.other & kEntryBit;
    if (entry)
      cubin.kernels.push_back(read_kernel(elf, symbol.name, stacks[symbol.name]));
  }
  return cubin;
}

}  // namespace minitorch::nvrtc
