// The reading of the conformance tables and of the small .ptx files they speak of.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

inline constexpr size_t kRows = 32;

/// All spellings that a line of data/legal_forms.txt stands for: one of each {,.a,.b}.
inline void expand(const std::string& line, std::vector<std::string>& spellings) {
  const size_t open = line.find('{'), close = line.find('}');
  if (open == std::string::npos) return spellings.push_back(line);
  std::istringstream choices(line.substr(open + 1, close - open - 1));
  for (std::string choice; std::getline(choices, choice, ',');)
    expand(line.substr(0, open) + choice + line.substr(close + 1), spellings);
}

inline std::vector<std::string> legal_forms() {
  std::ifstream file(MINITORCH_TEST_DATA "/legal_forms.txt");
  std::vector<std::string> spellings;
  for (std::string line; std::getline(file, line);) expand(line, spellings);
  return spellings;
}

/// One instruction form: rows of source words and of exact destination words.
struct Form {
  std::string name, ptx;
  uint64_t ulp = 0;
  std::vector<std::vector<uint64_t>> sources, results;  // [row][operand]
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// All forms of <family>.txt, as make_expected.py wrote it.
inline std::vector<Form> read_forms(const std::string& family) {
  const std::string folder = std::string(MINITORCH_EXPECTED) + "/";
  std::istringstream table(read_file(folder + family + ".txt"));
  std::vector<Form> forms;
  std::string word;
  while (table >> word) {
    Form form;
    size_t inputs = 0, outputs = 0;
    table >> form.name >> form.ulp >> inputs >> outputs;
    form.ptx = read_file(folder + family + "/" + form.name + ".ptx");
    for (size_t row = 0; row < kRows; ++row) {
      std::vector<uint64_t> sources(inputs), results(outputs);
      for (uint64_t& value : sources) table >> std::hex >> value;
      table >> word;
      for (uint64_t& value : results) table >> std::hex >> value;
      table >> std::dec;
      form.sources.push_back(sources);
      form.results.push_back(results);
    }
    if (!table || word != "=") throw std::runtime_error("bad table at " + form.name);
    forms.push_back(std::move(form));
  }
  return forms;
}

/// One form of a whole warp: the words it finds and those it leaves. `ulp` bounds the
/// error of results that are floats of `kind`.
struct WarpForm {
  std::string name, ptx, kind;
  uint64_t ulp = 0;
  std::vector<uint32_t> words, results;
};

inline std::vector<WarpForm> read_warp_forms(const std::string& family) {
  const std::string folder = std::string(MINITORCH_EXPECTED) + "/";
  std::istringstream table(read_file(folder + family + ".txt"));
  std::vector<WarpForm> forms;
  std::string word;
  while (table >> word) {
    WarpForm form;
    size_t inputs = 0, outputs = 0;
    table >> form.name >> form.ulp >> form.kind >> inputs >> outputs;
    form.ptx = read_file(folder + family + "/" + form.name + ".ptx");
    form.words.resize(inputs);
    form.results.resize(outputs);
    for (uint32_t& value : form.words) table >> std::hex >> value;
    table >> word;
    for (uint32_t& value : form.results) table >> std::hex >> value;
    table >> std::dec;
    if (!table || word != "=") throw std::runtime_error("bad table at " + form.name);
    forms.push_back(std::move(form));
  }
  return forms;
}

/// Whether `got` is within `ulp` representable values of `expected` (both floats of
/// `bytes`; NaNs must agree exactly).
inline bool close(uint64_t got, uint64_t expected, uint64_t ulp, uint32_t bytes) {
  if (got == expected || ulp == 0) return got == expected;
  const uint64_t top = uint64_t{1} << (8 * bytes - 1);
  const auto ordered = [&](uint64_t bits) {
    return static_cast<int64_t>(bits & top ? uint64_t{0} - (bits & (top - 1)) : bits);
  };
  const int64_t distance = ordered(got) - ordered(expected);
  return static_cast<uint64_t>(distance < 0 ? -distance : distance) <= ulp;
}

}  // namespace conformance
