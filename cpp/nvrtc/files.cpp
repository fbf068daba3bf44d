#include "nvrtc/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace minitorch::nvrtc {
namespace {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (file.bad() || bytes.bad()) return {};
  return std::move(bytes).str();
}

bool write_file(const std::string& path, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const std::string temporary =
      base::text(path, ".", getpid(), ".", counter.fetch_add(1), ".part");
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  bool whole = write_all(file, bytes);
  // A full disk may show only here.
  whole = ::close(file) == 0 && whole;
  whole = whole && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!whole) ::unlink(temporary.c_str());
  return whole;
}

std::optional<FileStamp> file_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return FileStamp{
      static_cast<uint64_t>(status.st_size),
      int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace minitorch::nvrtc
