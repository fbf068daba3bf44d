#include "ptx/decode.h"

#include "base/text.h"
#include "ptx/analysis.h"
#include "ptx/body_decoder.h"
#include "ptx/demangle.h"
#include "ptx/parser.h"

namespace minitorch::ptx {

PtxError::PtxError(uint32_t line, uint32_t column, const std::string& what,
                   bool unsupported)
    : base::Error("ptx", base::text(what, " Line ", line, ", column ", column, ".")),
      line(line),
      column(column),
      unsupported(unsupported) {}

namespace {

// Every name of the module gets its index; a definition completes its declaration.
// Returns for each function the syntax that describes it best.
std::vector<const syntax::Function*> declare_names(const syntax::Module& tree,
                                                   DecodingModule& shared) {
  Module& module = shared.module;
  std::vector<const syntax::Function*> sources;
  for (const syntax::Declaration& declaration : tree.variables) {
    if (declaration.storage == syntax::Storage::Register ||
        declaration.storage == syntax::Storage::Parameter ||
        declaration.storage == syntax::Storage::Local)
      throw PtxError(declaration.place.line, declaration.place.column,
                     base::text("got '", declaration.name,
                                "' outside of functions; need .global, .const or "
                                ".shared there."),
                     false);
    const auto [known, fresh] = shared.names.variables.try_emplace(
        declaration.name, static_cast<uint32_t>(module.variables.size()));
    if (fresh) {
      module.variables.push_back(make_variable(declaration));
    } else if (!declaration.external || !declaration.initial.empty()) {
      module.variables[known->second] = make_variable(declaration);
    }
  }
  for (const syntax::Function& function : tree.functions) {
    const auto [known, fresh] = shared.names.functions.try_emplace(
        function.name, static_cast<uint32_t>(sources.size()));
    if (fresh) {
      sources.push_back(&function);
    } else if (function.defined) {
      if (sources[known->second]->defined)
        throw PtxError(function.place.line, function.place.column,
                       base::text("got '", function.name,
                                  "' twice; need one definition of each function."),
                       false);
      sources[known->second] = &function;
    }
  }
  for (const auto& [name, target] : tree.aliases)
    if (const auto found = shared.names.functions.find(target);
        found != shared.names.functions.end())
      shared.names.functions[name] = found->second;
  return sources;
}

void describe_functions(const std::vector<const syntax::Function*>& sources,
                        Module& module) {
  for (const syntax::Function* source : sources) {
    Function& function = module.functions.emplace_back();
    function.name = source->name;
    function.display = function_display(source->name);
    function.entry = source->entry;
    function.external = !source->defined;
    function.parameters =
        place_parameters(source->parameters, function.parameter_bytes);
    function.returns = place_parameters(source->returns, function.return_bytes);
    function.max_threads = source->max_threads;
    function.max_registers = source->max_registers;
    for (int axis = 0; axis < 3; ++axis)
      function.required_threads[axis] = source->required_threads[axis];
  }
}

void fill_variables(const syntax::Module& tree, DecodingModule& shared) {
  for (const syntax::Declaration& declaration : tree.variables)
    if (!declaration.initial.empty())
      fill_initial(
          declaration, shared.names,
          shared.module.variables[shared.names.variables.at(declaration.name)]);
}

}  // namespace

std::shared_ptr<const Module> decode(std::string_view text,
                                     const DecodeOptions& options) {
  const syntax::Module tree = Parser(text, options.index_checks).parse_module();
  const auto module = std::make_shared<Module>();
  module->version_major = tree.version_major;
  module->version_minor = tree.version_minor;
  module->target_sm = tree.target_sm;
  module->debug = tree.debug;

  DecodingModule shared{*module, {}, {}, {}, options.index_checks};
  const auto sources = declare_names(tree, shared);
  describe_functions(sources, *module);
  fill_variables(tree, shared);
  for (size_t i = 0; i < sources.size(); ++i)
    if (sources[i]->defined)
      BodyDecoder(shared, *sources[i], module->functions[i]).run();
  shared.positions.finish(tree, *module);

  for (Function& function : module->functions) {
    if (function.external) continue;
    build_control_flow(function);
    if (options.index_checks) {
      gather_index_checks(function);
      build_control_flow(function);  // of what is left
    }
    find_undefined_registers(function);
    mark_uniform(function, *module);
  }
  mark_uses(*module);
  lay_out_variables(*module);
  return module;
}

}  // namespace minitorch::ptx
