// The evaluation of flat scalar programs over arrays: what `map(fn)`, `zip(fn)` and
// `reduce(fn)` run on device cpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cpu/scalar_operations.h"

namespace minitorch::cpu {

/// One value of a program: an operation (scalar_operations.h) on earlier values, or
/// "constant".
struct ScalarInstruction {
  std::string operation;
  ScalarType type;
  std::vector<size_t> operands;
  std::variant<int64_t, double> constant = int64_t{0};
};

/// A function of scalars in static single assignment: values 0.. are the arguments,
/// then one per instruction. There are no branches; a selection computes both sides.
class ScalarProgram {
 public:
  /// Elements evaluated at a time; their values stay in the first-level cache.
  static constexpr size_t kBlock = 256;

  /// `result` is the value to give out, converted to `output`.
  /// Raises base::ValueError for an operand that is not an earlier value of the type
  /// that the operation takes.
  ScalarProgram(std::vector<ScalarType> arguments,
                std::vector<ScalarInstruction> instructions, size_t result,
                ScalarType output);

  /// out[i] = f(inputs[0][i], ...) for `count` elements on the shared threads. Inputs
  /// are contiguous, of the arguments' types; `out` may be one of them if its type is
  /// the same.
  void run(std::span<const void* const> inputs, void* out, size_t count) const;

  std::span<const ScalarType> arguments() const { return arguments_; }
  ScalarType output() const { return output_; }

 private:
  friend class ScalarEvaluator;
  struct Step {
    Loop loop;
    std::vector<size_t> operands;
    size_t slot;  // where the value lies in an evaluator's memory
  };
  struct Constant {
    ScalarType type;
    std::variant<int64_t, double> value;
    size_t slot;
  };
  void add(const ScalarInstruction& instruction);
  void check(const ScalarInstruction& instruction, const Operation& operation) const;
  void assign_slots();

  std::vector<ScalarType> arguments_;
  ScalarType output_;
  std::vector<ScalarType> types_;    // of all values
  std::vector<Constant> constants_;  // by value number in `constant_values_`
  std::vector<size_t> constant_values_, step_values_;
  std::vector<Step> steps_;
  size_t slot_count_ = 0;
};

/// The working memory of one thread for one program.
class ScalarEvaluator {
 public:
  explicit ScalarEvaluator(const ScalarProgram& program);

  /// As ScalarProgram::run, on the calling thread.
  void run(std::span<const void* const> inputs, void* out, size_t count);

 private:
  void* slot(size_t number) { return memory_.get() + number * ScalarProgram::kBlock; }
  void run_block(void* out, size_t count);

  const ScalarProgram& program_;
  std::unique_ptr<double[]> memory_;
  std::vector<const void*> values_;  // where each value of the program lies now
};

}  // namespace minitorch::cpu
