#include "findings/sentences.h"

#include <cctype>
#include <string_view>

#include "base/text.h"
#include "findings/details.h"

namespace minitorch::findings {
namespace {

/// `text` without its alternatives: [a|b] is a where there is a detail, else b.
std::string chosen(std::string_view text, bool detail) {
  std::string out;
  for (size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[')) {
    const size_t bar = text.find('|', open), close = text.find(']', open);
    out += text.substr(0, open);
    out += detail ? text.substr(open + 1, bar - open - 1)
                  : text.substr(bar + 1, close - bar - 1);
    text.remove_prefix(close + 1);
  }
  return out.append(text);
}

std::string thread_text(const MtSite& site) {
  return base::text("thread (", site.thread[0], ",", site.thread[1], ",",
                    site.thread[2], ") of block (", site.block[0], ",", site.block[1],
                    ",", site.block[2], ")");
}

std::string place_text(const MtPosition& position) {
  return base::text(short_file(position.file), ":", position.line);
}

std::string calls_text(const MtSite& site) {
  std::string text;
  for (int32_t i = 0; i < site.inlined_count; ++i)
    text += base::text(", called from ", place_text(site.inlined_from[i]));
  return text;
}

/// "thread (33,0,0) of block (0,0,0) writes it at k.cu:12".
std::string doing_text(const MtSite& site, int32_t access) {
  std::string text = base::text(thread_text(site), " ", access_verb(access), " it");
  if (site.position.line > 0) text += base::text(" at ", place_text(site.position));
  return text + calls_text(site);
}

std::string race_sites(const MtFinding& f) {
  std::string text = ": " + doing_text(f.site, f.access);
  if (f.has_other)
    text += base::text("; ", doing_text(f.other, f.other_access),
                       "; nothing orders the two");
  if (f.kernel[0]) text += base::text(", in ", f.kernel);
  return text;
}

std::string operation_sites(const MtFinding& f) {
  std::string text;
  for (const MtSite* site : {&f.site, &f.other}) {
    if (site->position.line == 0) continue;
    text += (site == &f.site ? ": " : " and ") + place_text(site->position);
  }
  if (f.kernel[0]) text += base::text(" in ", f.kernel);
  return text;
}

std::string thread_sites(const MtFinding& f) {
  std::string text;
  if (f.site.position.line > 0 || f.kernel[0]) text += ": " + site_text(f.site);
  if (f.kernel[0]) text += base::text(" in ", f.kernel);
  if (f.has_other) text += "; and " + site_text(f.other);
  return text;
}

bool same_block(const MtSite& a, const MtSite& b) {
  return a.block[0] == b.block[0] && a.block[1] == b.block[1] &&
         a.block[2] == b.block[2];
}

std::string race_hint(const MtFinding& f, const Wording& wording) {
  std::string missing = missing_order_text(f, wording);
  if (missing.empty()) {
    if (f.has_other && !same_block(f.site, f.other))
      return "Different blocks are not ordered: use an atomic, or a second kernel.";
    return filled(
        "Put {syncthreads} (in one warp: {syncwarp}) between the two accesses.", f,
        wording);
  }
  missing[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(missing[0])));
  return missing + ".";
}

}  // namespace

std::string short_file(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string what_text(const MtFinding& finding, const Wording& wording) {
  const Kind* const kind = kind_of(finding.kind);
  const char* const text = kind != nullptr ? kind->what : "[{detail}|a fault]";
  const bool detail = !filled("{detail}", finding, wording).empty();
  return filled(chosen(text, detail), finding, wording);
}

std::string site_text(const MtSite& site) {
  std::string text = thread_text(site);
  if (site.position.line > 0) text += ", " + place_text(site.position);
  return text + calls_text(site);
}

std::string hint_text(const MtFinding& finding, const Wording& wording) {
  const Kind* const kind = kind_of(finding.kind);
  if (kind == nullptr) return "";
  if (kind->form == Form::Race)
    return *kind->remedy != '\0' ? kind->remedy : race_hint(finding, wording);
  const char* const advice = advice_of(finding.remedy, wording.language);
  const bool python = wording.language == Language::Python && *kind->python_remedy;
  const char* const of_kind = python ? kind->python_remedy : kind->remedy;
  return filled(*advice != '\0' ? advice : of_kind, finding, wording);
}

std::string launched_text(const MtFinding& finding, const std::string& launch_site,
                          const std::string& other_site) {
  const auto is_kernel = [](const MtOperation& operation) {
    return operation.kind == MtOperation_None || operation.kind == MtOperation_Kernel;
  };
  const auto& [told, other] = finding.operations;
  std::string text;
  if (!launch_site.empty())
    text +=
        base::text(is_kernel(told) ? ", launched at " : ", called at ", launch_site);
  if (other.kind != MtOperation_None && !other_site.empty()) {
    const char* const what = is_kernel(other)                 ? "other launch"
                             : other.kind == MtOperation_Fill ? "fill"
                                                              : "copy";
    text += base::text("; the ", what, " at ", other_site);
  }
  return text;
}

std::string finding_text(const MtFinding& finding, const std::string& launch_site,
                         const std::string& other_site) {
  std::string text = what_text(finding);
  if (is_race(finding.kind)) {
    text += race_sites(finding);
  } else if (is_between_operations(finding.kind)) {
    text += operation_sites(finding);
  } else {
    text += thread_sites(finding);
  }
  if (finding.count > 1) text += base::text(" (", finding.count, " times)");
  text += launched_text(finding, launch_site, other_site);
  const std::string hint = hint_text(finding);
  return base::text(text, hint.empty() ? "." : ". ", hint);
}

}  // namespace minitorch::findings
