#include "nvrtc/program.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "base/text.h"
#include "nvrtc/assembler_log.h"
#include "nvrtc/quotable.h"
#include "nvrtc/source_lines.h"

namespace minitorch::nvrtc {
namespace {

constexpr int kCompilationError = 6;
constexpr int kInvalidOption = 5;
constexpr std::string_view kEndOfAssembly = "// end inline asm";
constexpr std::string_view kArchitectureOptions[] = {"--gpu-architecture", "-arch"};
constexpr std::string_view kLanguageOptions[] = {"--std", "-std"};
constexpr std::string_view kLineOptions[] = {"-lineinfo", "--generate-line-info", "-G",
                                             "--device-debug"};

// A program that is destroyed whatever happens.
class Program {
 public:
  Program(const Library& library, const Request& request) : library_(library) {
    std::vector<const char*> texts, names;
    for (const SourceFile& header : request.headers) {
      texts.push_back(header.text.c_str());
      names.push_back(header.name.c_str());
    }
    const int result = library.create_program(
        &handle_, request.source.text.c_str(), request.source.name.c_str(),
        static_cast<int>(texts.size()), texts.data(), names.data());
    if (result != Library::kSuccess)
      throw base::StateError("nvrtc", base::text("got result ", result,
                                                 " from nvrtcCreateProgram "
                                                 "for ",
                                                 request.source.name, "."));
  }
  ~Program() { library_.destroy_program(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Library::Program handle() const { return handle_; }

  using Size = int (*)(Library::Program, size_t*);
  using Read = int (*)(Library::Program, char*);
  // Bytes of a result, or "" where there is none.
  std::string bytes(Size size, Read read) const {
    size_t count = 0;
    if (size(handle_, &count) != Library::kSuccess || count == 0) return "";
    std::string out(count, '\0');
    if (read(handle_, out.data()) != Library::kSuccess) return "";
    return out;
  }
  std::string text(Size size, Read read) const {
    std::string out = bytes(size, read);
    out.resize(std::min(out.size(), out.find('\0')));
    return out;
  }

 private:
  const Library& library_;
  Library::Program handle_ = nullptr;
};

// Does a line of PTX have the directive `.loc`? `.local` is another word.
bool has_loc(std::string_view line) {
  constexpr std::string_view kLoc = ".loc";
  for (size_t at = line.find(kLoc); at != std::string_view::npos;
       at = line.find(kLoc, at + 1)) {
    const size_t end = at + kLoc.size();
    if (end == line.size() || !std::isalnum(static_cast<unsigned char>(line[end])))
      return true;
  }
  return false;
}

// Does PTX hold a `.loc` outside of inline assembly?
bool moves_lines(std::string_view ptx) {
  bool assembly = false;
  while (!ptx.empty()) {
    const size_t end = std::min(ptx.find('\n'), ptx.size());
    const std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    if (line.find("// begin inline asm") != std::string_view::npos) assembly = true;
    if (line.find(kEndOfAssembly) != std::string_view::npos) assembly = false;
    if (!assembly && has_loc(line)) return true;
  }
  return false;
}

bool has_option(const std::vector<std::string>& options,
                std::span<const std::string_view> prefixes) {
  for (const std::string& option : options)
    for (const std::string_view prefix : prefixes)
      if (option.starts_with(prefix)) return true;
  return false;
}

std::vector<SourceFile> all_sources(const Request& request) {
  std::vector<SourceFile> sources = {request.source};
  sources.insert(sources.end(), request.headers.begin(), request.headers.end());
  return sources;
}

[[noreturn]] void throw_compile_error(const Request& request,
                                      std::vector<Diagnostic> diagnostics,
                                      const std::string& log) {
  std::string text;
  int errors = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != "error") continue;
    ++errors;
    text += base::text(text.empty() ? "" : "\n", diagnostic_text(diagnostic));
  }
  if (errors == 0) text = base::text(request.source.name, " does not compile:\n", log);
  throw CompileError(text, std::move(diagnostics), log);
}

// In assembly such a mark would end the compiler's own account of what is assembly, and
// the lines of findings with it.
void refuse_assembly_marks(const Request& request) {
  std::vector<Diagnostic> found;
  std::string log;
  for (const SourceFile& source : all_sources(request)) {
    for (const int line : lines_with_assembly_marks(source.text)) {
      found.push_back(
          {"error", source.name, line, 0, "",
           "got a string with '// begin inline asm' or '// end inline asm'; the "
           "compiler marks inline assembly with these. Leave them out.",
           ""});
      log +=
          base::text(source.name, '(', line, "): error: ", found.back().message, '\n');
    }
  }
  if (!found.empty()) throw_compile_error(request, std::move(found), log);
}

// Is a file that `#line` names one of the request's, or one that this library makes up?
bool own_file(const Request& request, std::string_view name) {
  const std::string& source = request.source.name;
  const std::string_view last = std::string_view(source).substr(source.rfind('/') + 1);
  if (name == source || name == last) return true;
  if (name.starts_with("/minitorch/") && name.find("..") == std::string_view::npos)
    return true;
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [&](const SourceFile& header) { return header.name == name; });
}

// The request with lines that are its own.
Request with_own_lines(Request request) {
  const Request whole = request;
  const auto own = [&](std::string_view name) { return own_file(whole, name); };
  request.source.text = without_foreign_lines(whole.source.text, own);
  for (SourceFile& header : request.headers)
    header.text = without_foreign_lines(header.text, own);
  return request;
}

std::string architecture_option(const Library& library, const Request& request) {
  const std::vector<int>& supported = library.supported();
  if (supported.empty()) return base::text("compute_", request.architecture);
  if (request.architecture < supported.front())
    throw base::ValueError(
        "nvrtc", base::text("got a card of compute capability ",
                            request.architecture / 10, ".", request.architecture % 10,
                            "; NVRTC ", library.version_number() / 1000, ".",
                            library.version_number() % 1000, " compiles for ",
                            supported.front() / 10, ".", supported.front() % 10,
                            " and newer. Install an older one: pip install "
                            "\"minitorch-cuda[nvrtc12]\"."));
  const bool known =
      std::binary_search(supported.begin(), supported.end(), request.architecture);
  if (known)
    return base::text(request.cubin ? "sm_" : "compute_", request.architecture);
  // A card newer than this NVRTC: PTX for the newest it knows, which the driver
  // assembles.
  const auto above =
      std::upper_bound(supported.begin(), supported.end(), request.architecture);
  return base::text("compute_", *(above - 1));
}

}  // namespace

std::vector<std::string> compiler_options(
    const Library& library, const Request& request,
    const std::vector<std::string>& include_dirs) {
  if (has_option(request.options, kArchitectureOptions))
    throw base::ValueError(
        "nvrtc",
        "got an option for the architecture; it is that of the device. "
        "Leave it out.");
  std::vector<std::string> options = {"--gpu-architecture=" +
                                      architecture_option(library, request)};
  if (!has_option(request.options, kLanguageOptions)) options.push_back("--std=c++17");
  if (!has_option(request.options, kLineOptions)) options.push_back("-lineinfo");
  options.insert(options.end(), request.options.begin(), request.options.end());
  for (const std::string& folder : include_dirs)
    options.push_back("--include-path=" + folder);
  return options;
}

namespace {

// Compiles; the program then holds what came out.
int compile_with(const Library& library, const Request& request,
                 const std::vector<std::string>& options, const Program& program) {
  for (const std::string& expression : request.name_expressions)
    library.add_name_expression(program.handle(), expression.c_str());
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  return library.compile_program(program.handle(), static_cast<int>(pointers.size()),
                                 pointers.data());
}

// A translated kernel's own text without the functions that check its indices
// (minitorch/cuda/language/emit/indices.py), whose assembly is known.
std::string without_index_checks(const std::string& text) {
  constexpr std::string_view kCheck =
      "template <class I> __device__ __forceinline__ I py_index_";
  std::string left;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.compare(at, kCheck.size(), kCheck) != 0) left.append(text, at, end - at);
    at = end;
  }
  return left;
}

// May a string of the request's own texts become inline assembly that macros put
// together, so that its marks stand nowhere in one piece?
bool may_make_marks(const Request& request, std::string_view ptx) {
  const size_t first = ptx.find(kEndOfAssembly);
  if (first == std::string_view::npos) return false;
  if (ptx.find(kEndOfAssembly, first + 1) == std::string_view::npos) return false;
  // Kernels in Python bring headers of ours, which have assembly.
  const bool translated = request.source.name.starts_with("/minitorch/py/");
  for (const SourceFile& source : all_sources(request)) {
    if (translated && source.text.starts_with("#line 1 \"/minitorch/language/"))
      continue;
    const std::string text =
        translated ? without_index_checks(source.text) : source.text;
    for (const char* word : {"asm", "##"})
      if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

// Without line information the compiler writes no `.loc`: one that stands outside of
// assembly is from assembly that made its marks itself.
void refuse_hidden_marks(const Library& library, const Request& request,
                         std::vector<std::string> options, std::string_view ptx) {
  if (!may_make_marks(request, ptx)) return;
  std::erase_if(options, [](const std::string& option) {
    return has_option({option}, kLineOptions);
  });
  const Program again(library, request);
  if (compile_with(library, request, options, again) != Library::kSuccess) return;
  if (!moves_lines(again.text(library.ptx_size, library.ptx))) return;
  const std::string message = base::text(
      "got inline assembly with ", kEndOfAssembly,
      " and .loc; the compiler marks inline assembly with these. Leave them out.");
  throw_compile_error(request, {{"error", request.source.name, 0, 0, "", message, ""}},
                      base::text(request.source.name, ": error: ", message, '\n'));
}

// "function "<unnamed>::put" was declared but never referenced": of a kernel that only
// this file sees, which the host launches.
bool of_own_kernel(const Diagnostic& warning, std::string_view ptx) {
  constexpr std::string_view kHead = "function \"",
                             kUnused = "\" was declared but never";
  const std::string_view message = warning.message;
  const size_t end = message.find(kUnused);
  if (!message.starts_with(kHead) || end == std::string_view::npos) return false;
  std::string_view name = message.substr(kHead.size(), end - kHead.size());
  name = name.substr(0, name.find('('));
  if (const size_t scope = name.rfind("::"); scope != std::string_view::npos)
    name.remove_prefix(scope + 2);
  // Its name in the PTX: "_ZN…3putEPi".
  const std::string mangled = base::text(name.size(), name);
  for (size_t at = ptx.find(".entry "); at != std::string_view::npos;
       at = ptx.find(".entry ", at + 1)) {
    const std::string_view entry = ptx.substr(at, ptx.find('(', at) - at);
    if (entry.find(mangled) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Result run_compiler(const Library& library, const Request& request,
                    const std::vector<std::string>& include_dirs) {
  const std::vector<std::string> options =
      compiler_options(library, request, include_dirs);
  refuse_assembly_marks(request);
  const Request compiled = with_own_lines(request);
  const Program program(library, compiled);
  const int status = compile_with(library, compiled, options, program);
  const QuotableFiles quotable(request, include_dirs);
  const std::string log =
      without_other_files(program.text(library.log_size, library.log),
                          [&](const std::string& file) { return quotable.hold(file); });
  std::vector<Diagnostic> diagnostics = parse_log(log, all_sources(request));
  if (status == kCompilationError)
    throw_compile_error(request, std::move(diagnostics), log);
  if (status == kInvalidOption)
    throw CompileError(
        base::text("got an option that NVRTC does not know; need one of its own. ",
                   log),
        std::move(diagnostics), log);
  if (status != Library::kSuccess)
    throw base::StateError(
        "nvrtc", base::text("got an internal failure (result ", status, ") for ",
                            request.source.name, ". ", log));
  Result result;
  result.ptx = program.text(library.ptx_size, library.ptx);
  refuse_hidden_marks(library, compiled, options, result.ptx);
  if (request.cubin) result.cubin = program.bytes(library.cubin_size, library.cubin);
  for (const std::string& expression : request.name_expressions) {
    const char* name = nullptr;
    library.lowered_name(program.handle(), expression.c_str(), &name);
    if (name) result.lowered_names[expression] = name;
  }
  std::erase_if(diagnostics, [&](const Diagnostic& found) {
    return found.severity != "warning" || of_own_kernel(found, result.ptx);
  });
  result.warnings = std::move(diagnostics);
  result.assembler_log = assembler_lines(log);
  return result;
}

}  // namespace minitorch::nvrtc
