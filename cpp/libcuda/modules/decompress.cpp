#include "libcuda/modules/decompress.h"

#include <dlfcn.h>

namespace minitorch::libcuda {
namespace {

/// Reads an LZ4 block; every step checks what is left.
class Lz4Reader {
 public:
  Lz4Reader(const uint8_t* data, size_t bytes, size_t size)
      : at_(data), end_(data + bytes), size_(size) {}

  bool read(std::string& out) {
    while (at_ < end_) {
      const uint8_t token = *at_++;
      size_t literals = token >> 4, match = token & 15;
      if (!extend(literals) || literals > left() || !fits(out, literals)) return false;
      out.append(reinterpret_cast<const char*>(at_), literals);
      at_ += literals;
      if (at_ == end_) return out.size() == size_;  // the last has no match
      if (left() < 2) return false;
      const size_t distance = at_[0] | size_t{at_[1]} << 8;
      at_ += 2;
      if (!extend(match) || distance == 0 || distance > out.size()) return false;
      match += 4;
      if (!fits(out, match)) return false;
      while (match-- > 0) out.push_back(out[out.size() - distance]);  // may overlap
    }
    return out.size() == size_;
  }

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool fits(const std::string& out, size_t more) const {
    return more <= size_ - out.size();
  }
  /// A length of 15 goes on in the following bytes, up to one below 255.
  bool extend(size_t& length) {
    if (length != 15) return true;
    while (at_ < end_) {
      const uint8_t more = *at_++;
      length += more;
      if (more != 255) return length <= size_ + 15;
    }
    return false;
  }

  const uint8_t *at_, *end_;
  const size_t size_;
};

using ZstdDecompress = size_t(void*, size_t, const void*, size_t);

ZstdDecompress* zstd() {
  static ZstdDecompress* const function = [] {
    void* library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : dlsym(library, "ZSTD_decompress");
    return reinterpret_cast<ZstdDecompress*>(symbol);
  }();
  return function;
}

}  // namespace

std::optional<std::string> decompress_lz4(const uint8_t* data, size_t bytes,
                                          size_t size) {
  std::string out;
  out.reserve(size);
  if (!Lz4Reader(data, bytes, size).read(out)) return std::nullopt;
  return out;
}

bool have_zstd() { return zstd() != nullptr; }

std::optional<std::string> decompress_zstd(const uint8_t* data, size_t bytes,
                                           size_t size) {
  if (!have_zstd()) return std::nullopt;
  std::string out(size, '\0');
  // An error is a number near the top of size_t: never the expected size.
  if (zstd()(out.data(), size, data, bytes) != size) return std::nullopt;
  return out;
}

}  // namespace minitorch::libcuda
