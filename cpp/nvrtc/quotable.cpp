#include "nvrtc/quotable.h"

#include <algorithm>

#include "nvrtc/includes.h"

namespace minitorch::nvrtc {
namespace {

namespace fs = std::filesystem;

// Where a path really is; empty when that cannot be told.
fs::path real(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::canonical(path, error);
  return error ? fs::path() : found;
}

bool inside(const fs::path& file, const fs::path& folder) {
  if (folder.empty()) return false;
  const auto [end, rest] =
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  // "/a/" has an empty part behind its last slash.
  return end == folder.end() || (end->empty() && std::next(end) == folder.end());
}

bool inside_any(const fs::path& file, const std::vector<fs::path>& folders) {
  return !file.empty() &&
         std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& folder) { return inside(file, folder); });
}

}  // namespace

QuotableFiles::QuotableFiles(const Request& request,
                             const std::vector<std::string>& toolkit) {
  texts_.push_back(request.source.name);
  for (const SourceFile& header : request.headers) texts_.push_back(header.name);
  for (const std::string& folder : include_folders(request.options))
    folders_.push_back(real(folder));
  if (const fs::path own = real(request.source.name); !own.empty())
    folders_.push_back(own.parent_path());
  for (const std::string& folder : toolkit) {
    toolkit_.push_back(fs::path(folder).lexically_normal());
    folders_.push_back(real(folder));
  }
}

bool QuotableFiles::hold(const std::string& file) const {
  if (std::find(texts_.begin(), texts_.end(), file) != texts_.end()) return true;
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return true;
  // The toolkit's own links lead to the toolkit.
  return inside_any(real(file), folders_) ||
         inside_any(fs::path(file).lexically_normal(), toolkit_);
}

}  // namespace minitorch::nvrtc
