#include "libcuda/modules/image_source.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "libcuda/contexts/failure.h"
#include "libcuda/modules/decompress.h"

namespace minitorch::libcuda {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr uint32_t kFatbinMagic = 0xba55ed50;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

/// What __fatBinC_Wrapper_t of the compiler's stubs points to.
struct Wrapper {
  uint32_t magic, version;
  const uint8_t* data;
  const void* unused;
};

struct FatbinHeader {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  // of all entries
};

struct FatbinEntry {
  enum : uint16_t { kPtx = 1, kElf = 2 };
  enum : uint64_t { kLz4 = 0x2000, kZstd = 0x8000 };

  uint16_t kind, unused;
  uint32_t header_bytes;
  uint64_t bytes;             // of the payload, with padding
  uint32_t compressed_bytes;  // without padding; 0: not compressed
  uint32_t options_offset;
  uint16_t minor, major;
  uint32_t architecture;  // 75
  uint32_t name_offset, name_bytes;
  uint64_t flags, zero;
  uint64_t decompressed_bytes;
};
static_assert(sizeof(FatbinEntry) == 64);

[[noreturn]] void fail_damaged() {
  fail(CUDA_ERROR_INVALID_IMAGE,
       "got a damaged fat binary; need one as nvcc makes it.");
}

[[noreturn]] void fail_no_ptx(const Device& device, const std::string& got) {
  fail(CUDA_ERROR_NO_BINARY_FOR_GPU, "got ", got,
       "; need PTX text, which the emulator runs. Take the PTX of the same compiler: "
       "nvrtcGetPTX with --gpu-architecture=compute_",
       device.compute_capability(),
       ", nvcc -ptx, or code type \"ptx\" instead of \"cubin\".");
}

std::string payload_text(const FatbinEntry& entry, const uint8_t* payload) {
  const bool zstd = (entry.flags & FatbinEntry::kZstd) != 0;
  const bool lz4 = (entry.flags & FatbinEntry::kLz4) != 0;
  if (!zstd && !lz4) {
    const auto* text = reinterpret_cast<const char*>(payload);
    return {text, strnlen(text, entry.bytes)};
  }
  require(lz4 || have_zstd(), CUDA_ERROR_NO_BINARY_FOR_GPU,
          "got a fat binary with PTX compressed by Zstandard; need the library "
          "libzstd.so.1 to read it. Install it, or compile with nvcc "
          "--compress-mode=none.");
  if (entry.compressed_bytes > entry.bytes || entry.decompressed_bytes > kMostBytes)
    fail_damaged();
  auto text =
      zstd ? decompress_zstd(payload, entry.compressed_bytes, entry.decompressed_bytes)
           : decompress_lz4(payload, entry.compressed_bytes, entry.decompressed_bytes);
  if (!text) fail_damaged();
  text->resize(strnlen(text->data(), text->size()));
  return std::move(*text);
}

/// A copy of memory of which only the owner knows where it ends: the kernel copies, and
/// says where it cannot go on.
std::vector<uint8_t> copy_readable(const uint8_t* from, size_t bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::vector<uint8_t> copy;
  while (copy.size() < bytes) {
    const size_t done = copy.size(), piece = std::min(kPiece, bytes - done);
    copy.resize(done + piece);
    iovec to = {copy.data() + done, piece};
    iovec source = {const_cast<uint8_t*>(from) + done, piece};
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &source, 1, 0);
    if (got < 0 && errno != EFAULT) {  // a sandbox forbids it
      std::memcpy(to.iov_base, source.iov_base, piece);
    } else if (got != static_cast<ssize_t>(piece)) {
      fail_damaged();
    }
  }
  return copy;
}

/// The newest PTX that the device can run.
std::string ptx_of_fatbin(const Device& device, const uint8_t* image, size_t room) {
  FatbinHeader header;
  if (room < sizeof header) fail_damaged();
  std::memcpy(&header, image, sizeof header);
  const bool whole = header.header_bytes >= sizeof header &&
                     header.bytes <= kMostBytes &&
                     header.header_bytes + header.bytes <= room;
  if (!whole) fail_damaged();
  std::vector<uint8_t> copy;
  if (room == kUnsized) {
    copy = copy_readable(image, header.header_bytes + header.bytes);
    image = copy.data();
  }
  const uint8_t* at = image + header.header_bytes;
  const uint8_t* const end = at + header.bytes;
  const auto most = static_cast<uint32_t>(device.compute_capability());
  FatbinEntry best{};
  const uint8_t* best_payload = nullptr;
  std::string others;
  while (end - at >= static_cast<ptrdiff_t>(sizeof(FatbinEntry))) {
    FatbinEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    const auto left = static_cast<uint64_t>(end - at);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > left ||
        entry.bytes > left - entry.header_bytes)
      fail_damaged();
    const bool ptx = entry.kind == FatbinEntry::kPtx;
    others += base::text(others.empty() ? "" : ", ", ptx ? "PTX" : "machine code",
                         " for sm_", entry.architecture);
    if (ptx && entry.architecture <= most && entry.architecture >= best.architecture) {
      best = entry;
      best_payload = at + entry.header_bytes;
    }
    at += entry.header_bytes + entry.bytes;
  }
  if (best_payload == nullptr)
    fail_no_ptx(device, base::text("a fat binary with ",
                                   others.empty() ? "nothing" : others, " only"));
  return payload_text(best, best_payload);
}

/// What a binary image is, by its first bytes; nullptr for text.
const char* binary_kind(const uint8_t* image) {
  const auto starts = [&](const char* bytes) {
    return std::strncmp(reinterpret_cast<const char*>(image), bytes,
                        std::strlen(bytes)) == 0;
  };
  if (starts("\x7f"
             "ELF"))
    return "a cubin (ELF: machine code of one GPU)";
  if (starts("\xed"
             "CN\x7f") ||
      starts("\x7f"
             "NC\xed"))
    return "LTO code (NVVM's intermediate form)";
  if (starts("BC\xc0\xde")) return "LLVM bitcode";
  if (starts("!<arch>")) return "an archive of object files";
  const bool text = image[0] == '\t' || image[0] == '\n' || image[0] == '\r' ||
                    (image[0] >= ' ' && image[0] < 0x7f);
  return text || image[0] == '\0' ? nullptr : "a binary image of an unknown kind";
}

}  // namespace

std::string ptx_of(const Device& device, const void* image, size_t bytes) {
  const auto* start = static_cast<const uint8_t*>(image);
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes of code; need PTX text.");
  uint32_t magic = 0;
  // Four bytes are there: a shorter text ends with a NUL, at which the copy stops.
  std::memcpy(&magic, start,
              std::min<size_t>(bytes, strnlen(static_cast<const char*>(image), 4)));
  if (magic == kWrapperMagic && bytes >= sizeof(Wrapper)) {
    Wrapper wrapper;
    std::memcpy(&wrapper, start, sizeof wrapper);
    return ptx_of(device, &required(wrapper.data, "fat binary's data"));
  }
  if (magic == kFatbinMagic) return ptx_of_fatbin(device, start, bytes);
  if (bytes < 8)
    return {static_cast<const char*>(image),
            strnlen(static_cast<const char*>(image), bytes)};
  const char* kind = binary_kind(start);
  if (kind != nullptr) fail_no_ptx(device, kind);
  const auto* text = static_cast<const char*>(image);
  return {text, bytes == kUnsized ? std::strlen(text) : strnlen(text, bytes)};
}

std::string file_bytes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), CUDA_ERROR_FILE_NOT_FOUND, "got '", path,
          "'; need a file that can be read.");
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace minitorch::libcuda
