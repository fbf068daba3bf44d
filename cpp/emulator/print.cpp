// Owns printf of kernels: formats and the arguments that the compiler laid out in
// memory. Must not know calls.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "emulator/device_call.h"
#include "emulator/findings.h"
#include "emulator/launch_state.h"
#include "emulator/poison_steps.h"

namespace minitorch::emulator {
namespace {

/// Reads the arguments one after the other, each at a multiple of its size.
class Arguments {
 public:
  Arguments(const Context& context, uint32_t lane, uint64_t address)
      : context_(context), lane_(lane), address_(address) {}

  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    read_bytes(context_, lane_, address_ + offset_, &value, sizeof value);
    unwritten_ |= is_unwritten(context_, lane_, address_ + offset_, sizeof value);
    offset_ += sizeof(T);
    return value;
  }
  /// Whether one of those read so far has no value.
  bool unwritten() const { return unwritten_; }

 private:
  const Context& context_;
  const uint32_t lane_;
  const uint64_t address_;
  uint64_t offset_ = 0;
  bool unwritten_ = false;
};

/// One conversion: "%-8.3lld" is flags and width "-8.3", length "ll", letter 'd'.
struct Conversion {
  std::string flags;
  bool wide = false;
  char letter = 0;
};

Conversion parse(const std::string& format, size_t& at, Arguments& arguments) {
  Conversion made;
  while (at < format.size() && std::strchr("-+ #0123456789.*", format[at])) {
    if (format[at] == '*') {
      made.flags += std::to_string(arguments.next<int32_t>());
    } else {
      made.flags += format[at];
    }
    ++at;
  }
  while (at < format.size() && std::strchr("hlLjzt", format[at])) {
    made.wide |= format[at] != 'h' && format[at] != 'L';
    ++at;
  }
  if (at < format.size()) made.letter = format[at++];
  return made;
}

template <class T>
std::string formatted(const std::string& format, T value) {
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size <= 0) return {};
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

std::string convert(const Conversion& wanted, const Context& context, uint32_t lane,
                    Arguments& arguments) {
  const std::string start = "%" + wanted.flags;
  switch (wanted.letter) {
    case '%':
      return "%";
    case 'd':
    case 'i':
      return wanted.wide ? formatted(start + PRId64, arguments.next<int64_t>())
                         : formatted(start + "d", arguments.next<int32_t>());
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      const std::string letter(1, wanted.letter);
      return wanted.wide
                 ? formatted(start + "ll" + letter, static_cast<unsigned long long>(
                                                        arguments.next<uint64_t>()))
                 : formatted(start + letter, arguments.next<uint32_t>());
    }
    case 'c':
      return formatted(start + "c", arguments.next<int32_t>());
    case 'p': {
      const uint64_t value = arguments.next<uint64_t>();
      return formatted(start + "p", reinterpret_cast<void*>(value));
    }
    case 's': {
      const std::string text = device_string(context, lane, arguments.next<uint64_t>());
      return formatted(start + "s", text.c_str());
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return formatted(start + std::string(1, wanted.letter), arguments.next<double>());
    default:
      return {};
  }
}

std::string format_text(Context& context, const Step* step, uint32_t lane) {
  const std::string format = device_string(context, lane, argument(context, lane, 0));
  Arguments arguments(context, lane, argument(context, lane, 8));
  std::string text;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    const Conversion wanted = parse(format, ++at, arguments);
    text += convert(wanted, context, lane, arguments);
  }
  if (arguments.unwritten()) report_printed(context, step, lane);
  return text;
}

void print(Context& context, const Step* step, uint32_t lane, const std::string& text) {
  const LaunchState& state = *context.launch;
  if (!state.launch->print || text.empty()) return;
  const std::lock_guard lock(state.print_mutex);
  if (state.print_cut) return;
  if (state.printed + text.size() > kPrintLimit) {
    state.print_cut = true;
    FindingRecord record = record_at(context, step, MtFinding_OutputLimit, lane);
    record.detail = "output of printf beyond 1 MiB was cut";
    context.findings->note(context, record);
    return;
  }
  state.printed += text.size();
  state.launch->print(text);
}

}  // namespace

const Step* call_vprintf(Context& context, const Step* step) {
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    if (!context.launch->print_cut) {
      print(context, step, lane, format_text(context, step, lane));
    }
    set_result(context, lane, 0);
  }
  return step + 1;
}

}  // namespace minitorch::emulator
