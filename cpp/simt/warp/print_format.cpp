#include "simt/warp/print_format.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace minitorch::simt {
namespace {

/// Reads the arguments one after the other, each at a multiple of its size.
class Arguments {
 public:
  explicit Arguments(const PrintSource& source) : source_(source) {}

  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    source_.read(offset_, &value, sizeof value);
    offset_ += sizeof(T);
    return value;
  }

 private:
  const PrintSource& source_;
  uint64_t offset_ = 0;
};

/// One conversion: "%-8.3lld" is flags and width "-8.3", length "ll", letter 'd'.
struct Conversion {
  std::string flags;
  bool wide = false;
  char letter = 0;
};

// A width of billions is a kernel's mistake, and neither time nor memory of this
// process.
constexpr size_t kMostDigits = 4;

std::string limited(const std::string& flags) {
  std::string kept;
  size_t digits = 0;
  for (char letter : flags) {
    digits = letter >= '0' && letter <= '9' ? digits + 1 : 0;
    if (digits <= kMostDigits) kept += letter;
  }
  return kept;
}

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
  made.flags = limited(made.flags);
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

std::string convert(const Conversion& wanted, const PrintSource& source,
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
      const std::string text = source.text(arguments.next<uint64_t>());
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

}  // namespace

std::string format_print(const std::string& format, const PrintSource& source) {
  Arguments arguments(source);
  std::string text;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    const Conversion wanted = parse(format, ++at, arguments);
    text += convert(wanted, source, arguments);
  }
  return text;
}

}  // namespace minitorch::simt
