#include "findings/report_line.h"

#include <sstream>

#include "base/text.h"
#include "findings/details.h"
#include "findings/fields.h"
#include "findings/kinds.h"

namespace minitorch::findings {
namespace {

void write_access(std::ostream& out, const MtFinding& finding) {
  out << access_name(finding.access) << " of " << finding.size << " bytes";
  if (finding.has_allocation == 0) {
    out << " at 0x" << std::hex << finding.address << std::dec;
    return;
  }
  const std::string distance = distance_text(finding);
  if (distance.empty()) {
    out << " at offset " << finding.allocation_offset << " of ";
  } else {
    out << ", " << distance << ' ';
  }
  if (finding.allocation_label[0] == '\0') {
    out << "an allocation";
  } else {
    out << "'" << finding.allocation_label << "'";
  }
  out << " (" << finding.allocation_size << " bytes)";
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

std::string same_mistake_key(const MtFinding& finding) {
  const bool of_copies =
      is_between_operations(finding.kind) && finding.kernel[0] == '\0';
  return base::text(finding.kind, ' ', finding.kernel, ' ', finding.site.position.file,
                    ' ', finding.site.position.line, ' ', finding.other.position.line,
                    ' ', of_copies ? detail_text(finding) : "");
}

std::string report_line(const MtFinding& finding) {
  const std::string detail = detail_text(finding);
  std::ostringstream out;
  out << "[emulator] " << kind_name(finding.kind);
  if (finding.kernel[0] != '\0') out << " in " << finding.kernel;
  out << ": ";
  if (finding.access != MtAccess_None) {
    write_access(out, finding);
    out << ": ";
  }
  if (is_between_operations(finding.kind)) {
    out << detail;
    write_operations(out, finding);
  } else {
    if (!detail.empty()) out << detail << ": ";
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

}  // namespace minitorch::findings
