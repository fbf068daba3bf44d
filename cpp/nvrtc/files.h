// Reading and writing whole files so that other processes never see half of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace minitorch::nvrtc {

/// The whole file, or nothing when it cannot be read.
std::optional<std::string> read_file(const std::string& path);

/// Makes missing folders, writes beside `path`, renames. False when anything fails;
/// then nothing is left behind.
bool write_file(const std::string& path, std::string_view bytes);

/// Size and modification time in nanoseconds; nothing when there is no such file.
struct FileStamp {
  uint64_t size = 0;
  int64_t time = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
std::optional<FileStamp> file_stamp(const std::string& path);

}  // namespace minitorch::nvrtc
