// The linking of several PTX modules into one, as text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// Modules that do not fit together: a name defined twice, or nowhere.
class LinkError : public base::Error {
 public:
  explicit LinkError(const std::string& what) : base::Error("link", what) {}
};

/// Makes one PTX text of several. Names that are visible to other modules are bound by
/// the rules of the PTX ISA (.extern, .visible, .weak, .common); names of one module
/// only are renamed where they clash.
class Linker {
 public:
  /// Says of functions that nobody defines whether the device runtime has them.
  using Provided = std::function<bool(std::string_view name)>;

  explicit Linker(Provided provided) : provided_(std::move(provided)) {}

  /// Takes a module in; `name` is for messages. Raises: PtxError when it is no PTX.
  void add(std::string name, std::string text);
  bool empty() const { return units_.empty(); }

  /// The linked text; `max_registers` > 0 becomes a .maxnreg of every entry.
  /// Raises: LinkError.
  std::string finish(uint32_t max_registers) const;

 private:
  struct Unit {
    std::string name, text;
    syntax::Module tree;  // views into `text`
  };
  std::vector<std::unique_ptr<Unit>> units_;
  Provided provided_;

  friend class Linking;
};

}  // namespace minitorch::ptx
