#include "ptx/link.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "ptx/link_results.h"
#include "ptx/link_text.h"
#include "ptx/opcode.h"
#include "ptx/parser.h"

namespace minitorch::ptx {

using syntax::Declaration;
using syntax::Linkage;

namespace {

/// Dynamic shared memory: every module may declare it, nobody defines it.
bool dynamic_shared(const Declaration& variable) {
  return variable.storage == syntax::Storage::Shared && variable.unsized;
}

uint64_t bytes_of(const Declaration& variable) {
  return variable.count * variable.vector * std::max(1u, size_of(variable.type));
}

}  // namespace

/// One link: binds all names, then writes.
class Linking {
 public:
  explicit Linking(const Linker& linker) : linker_(linker) {}

  std::string make(uint32_t max_registers) {
    for (size_t unit = 0; unit < linker_.units_.size(); ++unit) bind_unit(unit);
    rename_internal_names();
    add_missing_results();
    write_header();
    for (auto& replacement : replacements_) replacement.max_registers = max_registers;
    for (size_t unit = 0; unit < linker_.units_.size(); ++unit) write_unit(unit);
    check_resolved();
    text_ += bridges_;
    return std::move(text_);
  }

 private:
  /// The declaration that stands for a name in the linked module.
  struct Symbol {
    int strength = 0;  // 0 declared only, 1 common, 2 weak, 3 strong
    size_t unit = 0;
    uint64_t bytes = 0;  // of a common
    std::string_view statement;
    bool runtime = false;  // needs no definition
  };

  const syntax::Module& tree(size_t unit) const { return linker_.units_[unit]->tree; }

  void bind_unit(size_t unit) {
    replacements_.emplace_back();
    for (const Declaration& variable : tree(unit).variables) {
      if (variable.linkage == Linkage::Internal) {
        internal_[variable.name].insert(unit);
        continue;
      }
      Symbol symbol{strength(variable.linkage), unit, bytes_of(variable),
                    variable.statement, dynamic_shared(variable)};
      if (symbol.runtime) symbol.strength = 0;
      bind(variable.name, symbol);
    }
    for (const syntax::Function& function : tree(unit).functions) {
      if (function.linkage == Linkage::Internal &&
          (function.defined || inside(unit, function.name))) {
        internal_[function.name].insert(unit);
        continue;
      }
      bind(function.name,
           {function.defined ? std::max(2, strength(function.linkage)) : 0, unit, 0,
            function.statement, linker_.provided_(function.name)});
    }
  }

  static int strength(Linkage linkage) {
    switch (linkage) {
      case Linkage::Extern:
        return 0;
      case Linkage::Common:
        return 1;
      case Linkage::Weak:
        return 2;
      default:
        return 3;
    }
  }

  /// A name declared first and defined later in the same module.
  bool inside(size_t unit, std::string_view name) const {
    const auto& functions = tree(unit).functions;
    return std::any_of(functions.begin(), functions.end(), [&](const auto& function) {
      return function.name == name && function.defined;
    });
  }

  void bind(std::string_view name, const Symbol& symbol) {
    const auto [known, fresh] = symbols_.try_emplace(name, symbol);
    if (fresh) return;
    Symbol& taken = known->second;
    if (taken.strength == 3 && symbol.strength == 3)
      throw LinkError(base::text("got '", name, "' defined in '",
                                 linker_.units_[taken.unit]->name, "' and in '",
                                 linker_.units_[symbol.unit]->name,
                                 "'; need one definition of each name."));
    const bool larger =
        taken.strength == 1 && symbol.strength == 1 && symbol.bytes > taken.bytes;
    if (symbol.strength > taken.strength || larger) taken = symbol;
  }

  /// Names of one module that another module uses for something else.
  void rename_internal_names() {
    for (const auto& [name, units] : internal_) {
      size_t number = symbols_.contains(name) ? 1 : 0;
      for (const size_t unit : units) {
        if (number++ == 0) continue;  // the first keeps its name
        replacements_[unit].names.emplace(name, fresh_name(name));
      }
    }
  }

  std::string fresh_name(std::string_view name) {
    std::string fresh;
    do fresh = base::text(name, "_", ++renamed_);
    while (symbols_.contains(fresh) || internal_.contains(fresh));
    return fresh;
  }

  /// A module that declares a function with results calls it through one that has them.
  void add_missing_results() {
    for (size_t unit = 0; unit < linker_.units_.size(); ++unit) {
      for (const syntax::Function& declared : tree(unit).functions) {
        const auto found = symbols_.find(declared.name);
        if (declared.defined || found == symbols_.end()) continue;
        const auto& others = tree(found->second.unit).functions;
        const auto defined =
            std::find_if(others.begin(), others.end(), [&](const auto& other) {
              return other.defined && other.name == declared.name;
            });
        if (defined == others.end() || !lacks_results(declared, *defined)) continue;
        std::string fresh = fresh_name(declared.name);
        bridges_ += call_without_results(fresh, declared, *defined);
        replacements_[unit].names.emplace(declared.name, std::move(fresh));
      }
    }
  }

  void write_header() {
    std::pair<int, int> version{0, 0};
    int target = 0;
    bool debug = false;
    for (size_t unit = 0; unit < linker_.units_.size(); ++unit) {
      const syntax::Module& module = tree(unit);
      version = std::max(version, {module.version_major, module.version_minor});
      target = std::max(target, module.target_sm);
      debug = debug || module.debug;
    }
    text_ = base::text(".version ", version.first, ".", version.second, "\n.target sm_",
                       target, debug ? ", debug" : "", "\n.address_size 64\n");
  }

  void write_unit(size_t unit) {
    const syntax::Module& module = tree(unit);
    write_debug(unit);
    std::string_view last;
    for (const Declaration& variable : module.variables) {
      if (variable.statement.data() == last.data())
        continue;  // `a, b;`: written with a
      last = variable.statement;
      const bool defines = variable.linkage != Linkage::Extern;
      if (chosen_whole(unit, last)) write(unit, last, defines);
    }
    for (const syntax::Function& function : module.functions) {
      const auto found = symbols_.find(function.name);
      const bool internal = internal_to(unit, function.name);
      if (internal || (found != symbols_.end() &&
                       found->second.statement.data() == function.statement.data()))
        write(unit, function.statement, function.defined);
    }
    for (const auto& [name, target] : module.aliases)
      text_ += base::text(".alias ", renamed(unit, name), ", ", renamed(unit, target),
                          ";\n");
  }

  /// Source files with numbers of their own, and the names of inlined functions.
  void write_debug(size_t unit) {
    uint32_t last = 0;
    Replacement& replacement = replacements_[unit];
    replacement.first_file = files_;
    for (const auto& [number, name] : tree(unit).files) {
      text_ += base::text(".file ", files_ + number, " \"", name, "\"\n");
      last = std::max(last, number);
    }
    files_ += last;
    if (tree(unit).strings.empty()) return;
    text_ += ".section .debug_str {\n";
    for (const auto& [label, string] : tree(unit).strings) {
      std::string& fresh = replacement.names[label];
      fresh = base::text("$L__linked_string", ++strings_);
      text_ += fresh + ":\n.b8 ";
      for (const char c : string)
        text_ += std::to_string(static_cast<unsigned char>(c)) + ",";
      text_ += "0\n";
    }
    text_ += "}\n";
  }

  bool internal_to(size_t unit, std::string_view name) const {
    const auto found = internal_.find(name);
    return found != internal_.end() && found->second.contains(unit);
  }

  /// Whether all names that a statement declares are taken from it; none: false.
  bool chosen_whole(size_t unit, std::string_view statement) const {
    size_t names = 0, taken = 0;
    std::string_view name;
    for (const Declaration& variable : tree(unit).variables) {
      if (variable.statement.data() != statement.data()) continue;
      ++names;
      name = variable.name;
      const auto found = symbols_.find(variable.name);
      if (internal_to(unit, variable.name) ||
          (found != symbols_.end() &&
           found->second.statement.data() == statement.data()))
        ++taken;
    }
    if (taken != 0 && taken != names)
      throw LinkError(base::text("got '", name, "' of '", linker_.units_[unit]->name,
                                 "' in one statement with others, of which some are "
                                 "defined elsewhere; need a statement for each."));
    return taken != 0;
  }

  std::string renamed(size_t unit, std::string_view name) const {
    const auto& names = replacements_[unit].names;
    const auto found = names.find(name);
    return found == names.end() ? std::string(name) : found->second;
  }

  void write(size_t unit, std::string_view statement, bool defines) {
    std::set<std::string_view> words;
    text_ += replaced(statement, replacements_[unit], words);
    text_ += '\n';
    if (defines) used_.merge(words);  // to declare a name is no use of it
  }

  void check_resolved() const {
    std::string missing;
    for (const auto& [name, symbol] : symbols_) {
      if (symbol.strength > 0 || symbol.runtime || !used_.contains(name)) continue;
      missing += base::text(missing.empty() ? "" : ", ", "'", name, "' (declared in '",
                            linker_.units_[symbol.unit]->name, "')");
    }
    if (!missing.empty())
      throw LinkError(base::text("got no definition of ", missing,
                                 "; need a module that defines what .extern names."));
  }

  const Linker& linker_;
  std::map<std::string_view, Symbol> symbols_;             // visible to others
  std::map<std::string_view, std::set<size_t>> internal_;  // name -> its modules
  std::vector<Replacement> replacements_;                  // by module
  std::set<std::string_view> used_;
  std::string text_, bridges_;
  uint32_t files_ = 0, strings_ = 0, renamed_ = 0;
};

void Linker::add(std::string name, std::string text) {
  auto unit = std::make_unique<Unit>();
  unit->name = std::move(name);
  unit->text = std::move(text);
  unit->tree = Parser(unit->text).parse_module();
  units_.push_back(std::move(unit));
}

std::string Linker::finish(uint32_t max_registers) const {
  return Linking(*this).make(max_registers);
}

}  // namespace minitorch::ptx
