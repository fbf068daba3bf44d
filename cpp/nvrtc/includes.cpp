#include "nvrtc/includes.h"

#include <set>

#include "nvrtc/files.h"

namespace minitorch::nvrtc {
namespace {

std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kWord = "include";
  for (size_t at = text.find(kWord); at != std::string_view::npos;
       at = text.find(kWord, at)) {
    at += kWord.size();
    const size_t open = text.find_first_not_of(" \t", at);
    if (open == std::string_view::npos) break;
    if (text[open] != '<' && text[open] != '"') continue;
    const size_t close = text.find_first_of(">\"\n", open + 1);
    if (close == std::string_view::npos || text[close] == '\n') continue;
    names.emplace_back(text.substr(open + 1, close - open - 1));
  }
  return names;
}

class HeaderWalk {
 public:
  explicit HeaderWalk(const Request& request)
      : folders_(include_folders(request.options)) {
    for (const SourceFile& header : request.headers) seen_.insert(header.name);
  }

  void visit(const std::string& text) {
    for (const std::string& name : included_names(text)) {
      if (!seen_.insert(name).second) continue;
      found.any = true;
      for (const std::string& folder : folders_) {
        const std::string path = folder + "/" + name;
        const std::optional<std::string> file = read_file(path);
        if (!file) continue;
        found.user_files.push_back({path, *file});
        visit(*file);
        break;
      }
    }
  }

  OutsideIncludes found;

 private:
  std::vector<std::string> folders_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> include_folders(const std::vector<std::string>& options) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const bool alone = option == "-I" || option == "--include-path";
    if (alone && i + 1 < options.size())
      folders.push_back(options[++i]);
    else if (option.starts_with("--include-path="))
      folders.push_back(option.substr(15));
    else if (option.starts_with("-I") && !alone)
      folders.push_back(option.substr(2));
  }
  return folders;
}

OutsideIncludes outside_includes(const Request& request) {
  HeaderWalk walk(request);
  walk.visit(request.source.text);
  for (const SourceFile& header : request.headers) walk.visit(header.text);
  return walk.found;
}

}  // namespace minitorch::nvrtc
