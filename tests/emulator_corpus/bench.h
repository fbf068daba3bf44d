// One run of a corpus kernel: its module, its buffers, its launch.
#pragma once

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/decode.h"
#include "simt/program/launch.h"

namespace corpus {

namespace simt = minitorch::simt;
namespace ptx = minitorch::ptx;
using minitorch::base::Dim3;

inline std::string read_corpus(const std::string& name) {
  std::ifstream file(MINITORCH_TEST_PTX "/ptx/" + name + ".ptx");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Where and on what a kernel runs. Buffers and values are parameters in the order in
/// which they are made; `size` is 1, 2 or 3.
class Bench {
 public:
  Bench(const std::string& name, int size)
      : size(size), memory_(uint64_t{256} << 20), random_(static_cast<unsigned>(size)) {
    loaded_.module = ptx::decode(read_corpus(name));
    for (const ptx::Variable& variable : loaded_.module->variables) place(variable);
  }

  const int size;
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  uint32_t shared = 0;

  template <class T>
  void value(T number) {
    while (parameters_.size() % sizeof(T) != 0) parameters_.push_back(0);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
    parameters_.insert(parameters_.end(), bytes, bytes + sizeof(T));
  }
  template <class T>
  std::vector<T> buffer(const std::vector<T>& values) {
    value(upload(values));
    return values;
  }
  template <class T>
  uint64_t upload(const std::vector<T>& values) {
    const uint64_t address = memory_.allocate(values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(address));
    memory_.mark_written(address, values.size() * sizeof(T));
    buffers_.emplace_back(address, values.size() * sizeof(T));
    return address;
  }
  template <class T>
  void zeros(size_t count) {
    buffer(std::vector<T>(count));
  }
  /// Multiples of 1/8 between -4 and 4.
  std::vector<float> floats(size_t count) {
    std::vector<float> values(count);
    for (float& x : values)
      x = static_cast<float>(static_cast<int>(random_() % 65) - 32) / 8;
    return buffer(values);
  }
  /// Whole numbers, so that sums are exact in any order.
  std::vector<float> counts(size_t count) {
    std::vector<float> values(count);
    for (float& x : values)
      x = static_cast<float>(static_cast<int>(random_() % 21) - 10);
    return buffer(values);
  }
  std::vector<double> doubles(size_t count) {
    std::vector<double> values(count);
    for (double& x : values)
      x = static_cast<double>(static_cast<int>(random_() % 801) - 400) / 97;
    return buffer(values);
  }
  /// Of any integer type, in [low, high].
  template <class T>
  std::vector<T> integers(size_t count, int64_t low, int64_t high) {
    std::uniform_int_distribution<int64_t> pick(low, high);
    std::vector<T> values(count);
    for (T& x : values) x = static_cast<T>(pick(random_));
    return buffer(values);
  }
  template <class T>
  std::vector<T> bits(size_t count) {
    std::vector<T> values(count);
    for (T& x : values) x = static_cast<T>(random_());
    return buffer(values);
  }
  /// 16-bit floats near 1 of both signs: `one` is the bits of 1.
  std::vector<uint16_t> halves(size_t count, uint16_t one) {
    std::vector<uint16_t> values(count);
    for (uint16_t& x : values) {
      x = static_cast<uint16_t>(one + random_() % 512 - 256 +
                                (random_() % 2 ? 0x8000 : 0));
    }
    return buffer(values);
  }

  /// Sets a variable of the module, as cuMemcpyHtoD on its symbol does.
  template <class T>
  void set_variable(const std::string& name, const std::vector<T>& values) {
    const uint32_t index = loaded_.module->find_variable(name);
    std::memcpy(reinterpret_cast<void*>(loaded_.variable_address.at(index)),
                values.data(), values.size() * sizeof(T));
  }

  simt::Outcome run(simt::Outcome (*engine)(const simt::Launch&)) {
    simt::Launch launch;
    launch.module = &loaded_;
    launch.function = loaded_.module->find_function("k");
    launch.code = make_code(loaded_, launch.function);
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared = shared;
    launch.parameters = parameters_;
    launch.memory = &memory_;
    launch.profile = minitorch::base::find_card_profile("a100");
    launch.checks = MtCheck_UninitGlobal;
    launch.budget = uint64_t{1} << 24;
    launch.print = [this](const std::string& text) { printed += text; };
    return engine(launch);
  }

  /// The bytes of buffer `index`, in the order of their making (module variables are
  /// not among them).
  template <class T>
  std::vector<T> contents(size_t index) const {
    const auto [address, bytes] = buffers_.at(index);
    std::vector<T> values(bytes / sizeof(T));
    std::memcpy(values.data(), reinterpret_cast<const void*>(address), bytes);
    return values;
  }
  std::vector<std::vector<uint8_t>> everything() const {
    std::vector<std::vector<uint8_t>> all;
    for (size_t i = 0; i < buffers_.size(); ++i) all.push_back(contents<uint8_t>(i));
    for (const auto& [address, bytes] : variables_) {
      const auto* from = reinterpret_cast<const uint8_t*>(address);
      all.emplace_back(from, from + bytes);
    }
    return all;
  }

  std::string printed;

 private:
  void place(const ptx::Variable& variable) {
    using Kind = simt::Allocation::Kind;
    const bool constant = variable.space == ptx::Space::Const;
    uint64_t at = 0;
    if (constant || variable.space == ptx::Space::Global) {
      at = memory_.allocate(variable.size, constant ? Kind::Constant : Kind::Global);
      std::vector<uint8_t> bytes = variable.initial;
      bytes.resize(variable.size);
      for (const auto& relocation : variable.relocations) {
        const uint64_t address = relocation.function
                                     ? simt::kFunctionWindow + relocation.index
                                     : loaded_.variable_address.at(relocation.index) +
                                           static_cast<uint64_t>(relocation.addend);
        std::memcpy(bytes.data() + relocation.offset, &address, sizeof address);
      }
      std::memcpy(reinterpret_cast<void*>(at), bytes.data(), bytes.size());
      memory_.mark_written(at, variable.size);
      variables_.emplace_back(at, variable.size);
    }
    loaded_.variable_address.push_back(at);
  }

  simt::Memory memory_;
  simt::LoadedModule loaded_;
  std::mt19937 random_;
  std::vector<uint8_t> parameters_;
  std::vector<std::pair<uint64_t, uint64_t>> buffers_, variables_;
};

}  // namespace corpus
