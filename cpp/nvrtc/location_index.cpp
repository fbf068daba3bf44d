#include "nvrtc/location_index.h"

#include <cstdlib>

#include "base/text.h"
#include "nvrtc/compiler.h"
#include "nvrtc/disk_cache.h"
#include "nvrtc/fields.h"

namespace minitorch::nvrtc {
namespace {

constexpr std::string_view kMagic = "minitorch nvrtc index 1";
constexpr size_t kFixedFields = 5;

std::string index_path() { return cache_directory() + "/nvrtc.index"; }

std::vector<IndexRow> read_rows() {
  std::vector<IndexRow> rows;
  if (cache_directory().empty()) return rows;
  const std::string text = read_file(index_path()).value_or("");
  std::string_view rest = text;
  if (!rest.starts_with(kMagic)) return rows;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    // A line without its end was cut.
    if (end == std::string_view::npos) break;
    const std::vector<std::string> fields = split_fields(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (fields.size() < kFixedFields) continue;
    IndexRow row;
    row.environment = fields[0];
    row.location.library = fields[1];
    row.stamp.size = std::strtoull(fields[2].c_str(), nullptr, 10);
    row.stamp.time = std::strtoll(fields[3].c_str(), nullptr, 10);
    row.version = std::atoi(fields[4].c_str());
    row.location.include_dirs.assign(fields.begin() + kFixedFields, fields.end());
    if (row.version > 0) rows.push_back(std::move(row));
  }
  return rows;
}

std::string row_text(const IndexRow& row) {
  std::vector<std::string> fields = {
      row.environment, row.location.library, std::to_string(row.stamp.size),
      std::to_string(row.stamp.time), std::to_string(row.version)};
  fields.insert(fields.end(), row.location.include_dirs.begin(),
                row.location.include_dirs.end());
  return join_fields(fields) + "\n";
}

}  // namespace

std::optional<IndexRow> remembered_location(const std::string& environment) {
  for (IndexRow& row : read_rows())
    if (row.environment == environment && file_stamp(row.location.library) == row.stamp)
      return std::move(row);
  return {};
}

int remembered_version(const std::string& path, const FileStamp& stamp) {
  for (const IndexRow& row : read_rows())
    if (row.location.library == path && row.stamp == stamp) return row.version;
  return 0;
}

void remember(const IndexRow& row) {
  if (cache_directory().empty()) return;
  std::string text = base::text(kMagic, "\n");
  for (const IndexRow& old : read_rows())
    if (old.environment != row.environment) text += row_text(old);
  text += row_text(row);
  if (!write_file(index_path(), text)) warn_unwritable(cache_directory());
}

}  // namespace minitorch::nvrtc
