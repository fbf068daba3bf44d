#include "cpu/scalar_program.h"

#include <algorithm>

#include "base/error.h"
#include "base/loop_watch.h"
#include "base/text.h"
#include "base/thread_pool.h"

namespace minitorch::cpu {
namespace {

constexpr size_t kNoSlot = static_cast<size_t>(-1);
// Below this many elements a thread costs more than it saves.
constexpr size_t kProgramGrain = 16 * ScalarProgram::kBlock;

template <class T>
void fill(void* out, const std::variant<int64_t, double>& value) {
  const T number = std::visit([](auto v) { return static_cast<T>(v); }, value);
  std::fill_n(static_cast<T*>(out), ScalarProgram::kBlock, number);
}

void fill(void* out, ScalarType type, const std::variant<int64_t, double>& value) {
  switch (type) {
    case ScalarType::Bool:
      return fill<bool>(out, value);
    case ScalarType::Int32:
      return fill<int32_t>(out, value);
    case ScalarType::Int64:
      return fill<int64_t>(out, value);
    case ScalarType::Float32:
      return fill<float>(out, value);
    case ScalarType::Float64:
      return fill<double>(out, value);
  }
}

}  // namespace

ScalarProgram::ScalarProgram(std::vector<ScalarType> arguments,
                             std::vector<ScalarInstruction> instructions, size_t result,
                             ScalarType output)
    : arguments_(std::move(arguments)), output_(output), types_(arguments_) {
  for (const ScalarInstruction& instruction : instructions) add(instruction);
  if (result >= types_.size()) {
    throw base::ValueError("cpu",
                           base::text("got result ", result, " of ", types_.size(),
                                      " values; need one of them."));
  }
  // The last step writes straight to the output, so there always is one.
  const std::string conversion = base::text("from_", scalar_type_name(types_[result]));
  if (types_[result] != output || steps_.empty() || step_values_.back() != result) {
    add({conversion, output, {result}});
  }
  assign_slots();
}

void ScalarProgram::add(const ScalarInstruction& instruction) {
  const size_t value = types_.size();
  if (instruction.operation == "constant") {
    constants_.push_back({instruction.type, instruction.constant, kNoSlot});
    constant_values_.push_back(value);
    types_.push_back(instruction.type);
    return;
  }
  const Operation operation = find_operation(instruction.operation, instruction.type);
  check(instruction, operation);
  steps_.push_back({operation.loop, instruction.operands, kNoSlot});
  step_values_.push_back(value);
  types_.push_back(operation.result);
}

void ScalarProgram::check(const ScalarInstruction& instruction,
                          const Operation& operation) const {
  const auto& operands = instruction.operands;
  bool fits = operands.size() == static_cast<size_t>(operation.operands);
  const bool is_select = instruction.operation == "select";
  for (size_t i = 0; fits && i < operands.size(); ++i) {
    ScalarType expected = is_select && i == 0 ? ScalarType::Bool : instruction.type;
    if (instruction.operation.starts_with("from_")) {
      expected = parse_scalar_type(std::string_view(instruction.operation).substr(5));
    }
    fits = operands[i] < types_.size() && types_[operands[i]] == expected;
  }
  if (fits) return;
  throw base::ValueError(
      "cpu", base::text("got '", instruction.operation, "' of ",
                        scalar_type_name(instruction.type), " on values ",
                        base::tuple_text(operands), "; need ", operation.operands,
                        " earlier values of its type."));
}

// A slot is free again after the last step that reads its value.
void ScalarProgram::assign_slots() {
  std::vector<size_t> last_use(types_.size(), 0);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (size_t operand : steps_[s].operands) last_use[operand] = s;
  }
  for (Constant& constant : constants_) constant.slot = slot_count_++;
  std::vector<size_t> slot_of(types_.size(), kNoSlot), free;
  for (size_t s = 0; s < steps_.size(); ++s) {
    if (free.empty()) free.push_back(slot_count_++);
    slot_of[step_values_[s]] = steps_[s].slot = free.back();
    free.pop_back();
    for (size_t operand : steps_[s].operands) {
      if (slot_of[operand] == kNoSlot || last_use[operand] != s) continue;
      free.push_back(slot_of[operand]);
      slot_of[operand] = kNoSlot;  // an operand may be named twice
    }
  }
}

void ScalarProgram::run(std::span<const void* const> inputs, void* out,
                        size_t count) const {
  const base::HostLoop loop("run");
  const auto body = [&](size_t begin, size_t end) {
    std::vector<const void*> shifted;
    for (size_t i = 0; i < inputs.size(); ++i) {
      shifted.push_back(static_cast<const char*>(inputs[i]) +
                        begin * size_of(arguments_[i]));
    }
    char* target = static_cast<char*>(out) + begin * size_of(output_);
    ScalarEvaluator(*this).run(shifted, target, end - begin);
  };
  base::shared_pool().parallel_for(count, kProgramGrain, body);
}

ScalarEvaluator::ScalarEvaluator(const ScalarProgram& program)
    : program_(program),
      memory_(new double[program.slot_count_ * ScalarProgram::kBlock]),
      values_(program.types_.size()) {
  for (size_t i = 0; i < program.constants_.size(); ++i) {
    const auto& constant = program.constants_[i];
    fill(slot(constant.slot), constant.type, constant.value);
    values_[program.constant_values_[i]] = slot(constant.slot);
  }
}

void ScalarEvaluator::run(std::span<const void* const> inputs, void* out,
                          size_t count) {
  for (size_t begin = 0; begin < count; begin += ScalarProgram::kBlock) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      values_[i] =
          static_cast<const char*>(inputs[i]) + begin * size_of(program_.arguments_[i]);
    }
    char* target = static_cast<char*>(out) + begin * size_of(program_.output_);
    run_block(target, std::min(ScalarProgram::kBlock, count - begin));
  }
}

void ScalarEvaluator::run_block(void* out, size_t count) {
  const size_t last = program_.steps_.size() - 1;
  for (size_t s = 0; s <= last; ++s) {
    const ScalarProgram::Step& step = program_.steps_[s];
    const void* inputs[3];
    for (size_t i = 0; i < step.operands.size(); ++i) {
      inputs[i] = values_[step.operands[i]];
    }
    void* target = s == last ? out : slot(step.slot);
    step.loop(inputs, target, count);
    values_[program_.step_values_[s]] = target;
  }
}

}  // namespace minitorch::cpu
