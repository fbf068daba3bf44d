// What the engine's tests share: a module from PTX, memory, a launch.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/decode.h"
#include "simt/program/launch.h"

namespace minitorch::simt {

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The PTX of a file of kernels: "simt/map" is that of tests/simt/data/map.cu.
inline std::string read_ptx(const std::string& name) {
  return read_text(MINITORCH_TEST_PTX "/" + name + ".ptx");
}

/// A module's text with the header that every PTX file needs.
inline std::string module_text(const std::string& body) {
  return ".version 7.5\n.target sm_75\n.address_size 64\n" + body;
}

/// One emulated card with one module loaded.
class Machine {
 public:
  explicit Machine(const std::string& text, const ptx::DecodeOptions& options = {})
      : memory_(uint64_t{1} << 30) {
    loaded_.module = ptx::decode(text, options);
    for (const ptx::Variable& variable : loaded_.module->variables) {
      loaded_.variable_address.push_back(place(variable));
    }
  }

  template <class T>
  uint64_t upload(const std::vector<T>& values) {
    const uint64_t address = memory_.allocate(values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(address));
    memory_.mark_written(address, values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(uint64_t address, size_t count) const {
    const T* from = reinterpret_cast<const T*>(address);
    return std::vector<T>(from, from + count);
  }

  /// A launch of `kernel` whose parameters are `values`, each aligned to its size.
  template <class... Values>
  Launch launch(const std::string& kernel, base::Dim3 grid, base::Dim3 block,
                const Values&... values) {
    Launch made;
    made.module = &loaded_;
    made.function = loaded_.module->find_function(kernel);
    made.code = make_code(loaded_, made.function);
    made.grid = grid;
    made.block = block;
    made.memory = &memory_;
    made.print = [this](const std::string& text) { printed_ += text; };
    (add(made.parameters, values), ...);
    return made;
  }
  template <class... Values>
  Outcome run_kernel(const std::string& kernel, base::Dim3 grid, base::Dim3 block,
                     const Values&... values) {
    return run(launch(kernel, grid, block, values...));
  }

  Memory& memory() { return memory_; }
  const std::string& printed() const { return printed_; }
  const LoadedModule& loaded() const { return loaded_; }

 private:
  uint64_t place(const ptx::Variable& variable) {
    const bool constant = variable.space == ptx::Space::Const;
    if (!constant && variable.space != ptx::Space::Global) return 0;
    const uint64_t address =
        memory_.allocate(variable.size, constant ? Allocation::Kind::Constant
                                                 : Allocation::Kind::Global);
    std::fill_n(reinterpret_cast<uint8_t*>(address), variable.size, uint8_t{0});
    std::copy(variable.initial.begin(), variable.initial.end(),
              reinterpret_cast<uint8_t*>(address));
    for (const auto& relocation : variable.relocations) {
      if (!relocation.function) continue;
      *reinterpret_cast<uint64_t*>(address + relocation.offset) =
          kFunctionWindow + relocation.index;
    }
    memory_.mark_written(address, variable.size);
    memory_.set_label(address, variable.display);
    return address;
  }
  template <class T>
  static void add(std::vector<uint8_t>& bytes, const T& value) {
    while (bytes.size() % sizeof(T) != 0) bytes.push_back(0);
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }

  Memory memory_;
  LoadedModule loaded_;
  std::string printed_;
};

}  // namespace minitorch::simt
