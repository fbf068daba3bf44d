// What the tests of races share: a launch under race checks, source lines by name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "engine_run.h"
#include "findings/details.h"

namespace minitorch::simt {

class RaceTest : public testing::Test {
 protected:
  explicit RaceTest(const std::string& stem)
      : machine_(read_ptx("simt/" + stem)),
        source_(read_text(MINITORCH_TEST_DATA "/" + stem + ".cu")) {}

  template <class... Values>
  std::vector<MtFinding> find(const char* kernel, base::Dim3 grid, base::Dim3 block,
                              const Values&... values) {
    Launch launch = machine_.launch(kernel, grid, block, values...);
    launch.checks = MtCheck_Race | MtCheck_UninitShared;
    launch.threads = 2;
    launch.race_limit = race_limit_;
    return run(launch).findings;
  }
  uint64_t zeros(size_t ints) { return machine_.upload(std::vector<int>(ints, 0)); }

  /// The line of the source that ends in "// name".
  int32_t line(const std::string& name) const {
    const size_t at = source_.find("// " + name + "\n");
    EXPECT_NE(at, std::string::npos) << name;
    const auto end = source_.begin() + static_cast<std::ptrdiff_t>(at);
    return 1 + static_cast<int32_t>(std::count(source_.begin(), end, '\n'));
  }
  /// Both lines of a finding, the smaller first.
  static std::pair<int32_t, int32_t> lines(const MtFinding& finding) {
    return std::minmax({finding.site.position.line, finding.other.position.line});
  }
  std::pair<int32_t, int32_t> pair(const std::string& a, const std::string& b) const {
    return std::minmax({line(a), line(b)});
  }
  static std::string text(const std::vector<MtFinding>& findings) {
    std::ostringstream out;
    for (const MtFinding& f : findings) {
      out << "kind " << f.kind << " '" << f.allocation_label << "' + "
          << f.allocation_offset << " line " << f.site.position.line << " block "
          << f.site.block[0] << " thread " << f.site.thread[0] << " / line "
          << f.other.position.line << " block " << f.other.block[0] << " thread "
          << f.other.thread[0] << " x" << f.count << ": " << findings::detail_text(f)
          << "\n";
    }
    return out.str();
  }

  Machine machine_;
  std::string source_;
  uint32_t race_limit_ = ~uint32_t{0};
};

}  // namespace minitorch::simt
