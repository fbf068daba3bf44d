// Owns the wording of findings that a plain client sees on stderr.
#include "emulator/driver/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "base/text.h"

namespace minitorch::emulator::driver {
namespace {

constexpr size_t kMostLines = 20;

void write_place(std::ostream& out, const MtFinding& finding) {
  const std::string name = finding.allocation_label[0] == '\0'
                               ? std::string("an allocation")
                               : "'" + std::string(finding.allocation_label) + "'";
  const int64_t offset = finding.allocation_offset;
  const int64_t size = static_cast<int64_t>(finding.allocation_size);
  if (offset < 0) {
    out << ", " << -offset << " before the start of " << name;
  } else if (offset >= size) {
    out << ", " << offset - size << " past the end of " << name;
  } else {
    out << " at offset " << offset << " of " << name;
  }
  out << " (" << size << " bytes)";
}

/// Of a whole launch or copy: no thread is meant.
void write_operations(std::ostream& out, const MtFinding& finding) {
  for (const MtSite* site : {&finding.site, &finding.other}) {
    if (site->position.line == 0) continue;
    out << (site == &finding.site ? ": " : "; other: ") << site->position.file << ":"
        << site->position.line;
  }
}

void write_site(std::ostream& out, const MtSite& site) {
  out << "thread (" << site.thread[0] << "," << site.thread[1] << "," << site.thread[2]
      << ") of block (" << site.block[0] << "," << site.block[1] << "," << site.block[2]
      << ")";
  if (site.position.line > 0) {
    out << ", " << site.position.file << ":" << site.position.line;
  }
}

}  // namespace

bool is_between_operations(const MtFinding& finding) {
  return finding.kind == MtFinding_RaceHost || finding.kind == MtFinding_RaceStream;
}

const char* kind_name(int32_t kind) {
  static constexpr const char* kNames[] = {
#define FINDING_KIND(name, spelled, severity, result) #spelled,
#include "cuda_abi/finding_kinds.inc"
#undef FINDING_KIND
  };
  const bool known = kind >= 0 && kind < static_cast<int32_t>(std::size(kNames));
  return known ? kNames[kind] : "unknown";
}

const char* access_name(int32_t access) {
  switch (access) {
    case MtAccess_Read:
      return "read";
    case MtAccess_Write:
      return "write";
    case MtAccess_Atomic:
      return "atomic";
    default:
      return "access";
  }
}

std::string finding_place(const MtFinding& finding) {
  const bool of_copies = is_between_operations(finding) && finding.kernel[0] == '\0';
  return base::text(finding.kind, ' ', finding.kernel, ' ', finding.site.position.file,
                    ' ', finding.site.position.line, ' ', finding.other.position.line,
                    ' ', of_copies ? finding.detail : "");
}

std::string finding_text(const MtFinding& finding) {
  std::ostringstream out;
  out << "[emulator] " << kind_name(finding.kind);
  if (finding.kernel[0] != '\0') out << " in " << finding.kernel;
  out << ": ";
  if (finding.access != MtAccess_None) {
    out << access_name(finding.access) << " of " << finding.size << " bytes";
    if (finding.has_allocation != 0) {
      write_place(out, finding);
    } else {
      out << " at 0x" << std::hex << finding.address << std::dec;
    }
    out << ": ";
  }
  if (is_between_operations(finding)) {
    out << finding.detail;
    write_operations(out, finding);
  } else {
    if (finding.detail[0] != '\0') out << finding.detail << ": ";
    write_site(out, finding.site);
    if (finding.has_other != 0) {
      out << "; other: ";
      write_site(out, finding.other);
    }
  }
  if (finding.count > 1) out << "; seen " << finding.count << " times";
  out << ".";
  return out.str();
}

void print_findings(const std::vector<MtFinding>& findings) {
  // The same line of the same kernel is told once, however many launches met it.
  std::map<std::string, MtFinding> first;
  std::vector<std::string> order;
  for (const MtFinding& finding : findings) {
    const std::string place = finding_place(finding);
    const auto [known, added] = first.emplace(place, finding);
    if (added) {
      order.push_back(place);
    } else {
      known->second.count += finding.count;
    }
  }
  const size_t shown = std::min(order.size(), kMostLines);
  for (size_t i = 0; i < shown; ++i) {
    std::fprintf(stderr, "%s\n", finding_text(first.at(order[i])).c_str());
  }
  if (order.size() > shown) {
    std::fprintf(stderr, "[emulator] and %zu more places.\n", order.size() - shown);
  }
}

}  // namespace minitorch::emulator::driver
