#include "simt/warp/race_remedy.h"

#include <algorithm>
#include <string_view>

#include "simt/program/provenance.h"

namespace minitorch::simt {
namespace {

using ptx::Comparison;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

/// How the value of a register follows from the one that was loaded; what is made of
/// two of them is the later one here.
enum class From : uint8_t {
  Nothing,
  Value,     // it is that value
  Compared,  // a predicate: is it smaller or larger than another value?
  Extreme,   // the larger or the smaller of it and others
  Changed,
};

bool is_order(Comparison comparison) {
  switch (comparison) {
    case Comparison::None:
    case Comparison::Eq:
    case Comparison::Ne:
    case Comparison::Equ:
    case Comparison::Neu:
    case Comparison::Num:
    case Comparison::Nan:
      return false;
    default:
      return true;
  }
}

/// A function's registers and the one instruction that gives each, if it is one.
class Values {
 public:
  explicit Values(const ptx::Function& function)
      : function_(function), made_by_(function.registers.size(), kNever) {
    for (uint32_t i = 0; i < function.instructions.size(); ++i)
      for (const Operand& to : function.instructions[i].destinations) {
        if (to.kind != Kind::Register) continue;
        uint32_t& by = made_by_[to.index];
        by = by == kNever ? i : kOften;
      }
  }

  /// Do both read or write the same place, whatever thread executes them?
  bool same_place(uint32_t a, uint32_t b) const {
    const Instruction &one = at(a), &other = at(b);
    return one.opcode.space == other.opcode.space &&
           one.opcode.vector == other.opcode.vector &&
           ptx::size_of(one.opcode.type) == ptx::size_of(other.opcode.type) &&
           one.address.offset == other.address.offset &&
           same(one.address.base, other.address.base, kDepth) &&
           !is_given(one.address.base, std::min(a, b), std::max(a, b));
  }

  /// Equal but for conversions?
  bool alike(const Operand& a, const Operand& b) const {
    return same(converted_from(a), converted_from(b), kDepth);
  }

  const Instruction& at(uint32_t i) const { return function_.instructions[i]; }

 private:
  static constexpr uint32_t kNever = ptx::kNone, kOften = ptx::kNone - 1;
  static constexpr int kDepth = 8;

  const Instruction* maker(const Operand& value) const {
    if (value.kind != Kind::Register) return nullptr;
    const uint32_t by = made_by_[value.index];
    return by < kOften ? &at(by) : nullptr;
  }

  bool same(const Operand& a, const Operand& b, int depth) const {
    if (a.kind != b.kind || a.offset != b.offset || a.negated != b.negated)
      return false;
    if (a.kind == Kind::Immediate) return a.bits == b.bits;
    if (a.kind == Kind::Special) return a.special == b.special;
    if (a.index == b.index) return true;
    const Instruction *const one = maker(a), *const other = maker(b);
    return depth > 0 && one && other && same_result(*one, *other, depth - 1);
  }

  /// Does an instruction give what the other gives, as far as registers show it?
  bool same_result(const Instruction& a, const Instruction& b, int depth) const {
    const auto effect = ptx::facts(a.opcode.op).effect;
    const bool plain = effect == ptx::Effect::None || effect == ptx::Effect::Read;
    if (!plain || a.opcode.text != b.opcode.text || a.guard != ptx::kNone ||
        b.guard != ptx::kNone || a.destinations.size() != 1 ||
        b.destinations.size() != 1 || a.sources.size() != b.sources.size())
      return false;
    if (effect == ptx::Effect::Read &&
        (a.opcode.order != ptx::Order::Weak || a.parameter != b.parameter ||
         a.address.offset != b.address.offset ||
         !same(a.address.base, b.address.base, depth)))
      return false;
    for (size_t i = 0; i < a.sources.size(); ++i)
      if (!same(a.sources[i], b.sources[i], depth)) return false;
    return true;
  }

  Operand converted_from(Operand value) const {
    for (const Instruction* by = maker(value); by; by = maker(value)) {
      if (by->opcode.op != Op::Mov && by->opcode.op != Op::Cvt) break;
      value = by->sources[0];
    }
    return value;
  }

  bool is_given(const Operand& value, uint32_t from, uint32_t to) const {
    if (value.kind != Kind::Register || made_by_[value.index] < kOften) return false;
    for (uint32_t i = from; i < to; ++i)
      if (any_is_register(at(i).destinations, value.index)) return true;
    return false;
  }

  const ptx::Function& function_;
  std::vector<uint32_t> made_by_;
};

/// The way of what `load` reads to `store`, in the order of the text.
class Update {
 public:
  Update(const ptx::Function& function, uint32_t load, uint32_t store)
      : function_(function),
        values_(function),
        load_(load),
        store_(store),
        from_(function.registers.size()),
        compared_with_(function.registers.size()) {}

  /// `both_write`: of both threads it is known that they execute the store.
  MtRemedy remedy(bool both_write) {
    if (!values_.same_place(load_, store_) || uses_other_elements())
      return MtRemedy_OfKind;
    give(values_.at(load_), From::Value);
    for (uint32_t i = load_ + 1; i < store_; ++i) {
      const Instruction& instruction = values_.at(i);
      if (ptx::facts(instruction.opcode.op).effect == ptx::Effect::Barrier)
        return MtRemedy_OfKind;
      give(instruction, result(instruction));
    }
    bool compared = false;
    for (const uint32_t test : tests()) {
      if (from_[test] == From::Nothing && !both_write) return MtRemedy_OfKind;
      compared |= from_[test] == From::Compared && stores(compared_with_[test]);
    }
    const From stored = of_sources(values_.at(store_));
    if (stored == From::Changed) return MtRemedy_AtomicUpdate;
    if (stored == From::Extreme || (stored == From::Nothing && compared))
      return MtRemedy_AtomicExtremum;
    return MtRemedy_OfKind;
  }

 private:
  From of(const Operand& value) const {
    return value.kind == Kind::Register ? from_[value.index] : From::Nothing;
  }

  From of_sources(const Instruction& instruction) const {
    From found = of(instruction.address.base);
    if (found != From::Nothing) found = From::Changed;
    for (const Operand& each : instruction.sources) found = std::max(found, of(each));
    return found;
  }

  From result(const Instruction& instruction) const {
    const auto& [op, type] = std::pair(instruction.opcode.op, instruction.opcode.type);
    const From made = of_sources(instruction);
    if (made == From::Nothing) return made;
    const auto& from = instruction.sources;
    if (op == Op::Mov || op == Op::Cvt) return made;
    if (op == Op::Setp && is_order(instruction.opcode.comparison))
      return made == From::Value ? From::Compared : From::Changed;
    if (type == ptx::Type::Pred) return made;
    if (op == Op::Max || op == Op::Min)
      return made == From::Changed ? made : From::Extreme;
    if (op != Op::Selp) return From::Changed;
    const From chosen = std::max(of(from[0]), of(from[1]));
    if (of(from[2]) == From::Nothing) return chosen;
    const bool extreme = of(from[2]) == From::Compared &&
                         (chosen == From::Value || chosen == From::Extreme);
    return extreme ? From::Extreme : From::Changed;
  }

  void give(const Instruction& instruction, From made) {
    if (made == From::Nothing) return;
    for (const Operand& to : instruction.destinations) {
      if (to.kind != Kind::Register) continue;
      from_[to.index] = std::max(from_[to.index], made);
      if (made == From::Compared) compared_with_[to.index] = other_of(instruction);
    }
  }

  /// What the loaded value is compared with.
  Operand other_of(const Instruction& instruction) const {
    for (const Operand& each : instruction.sources)
      if (of(each) == From::Compared) return compared_with_[each.index];
    return instruction.sources[of(instruction.sources[0]) == From::Value ? 1 : 0];
  }

  bool stores(const Operand& value) const {
    const auto& sources = values_.at(store_).sources;
    return sources.size() == 1 && values_.alike(sources[0], value);
  }

  /// The predicates that decide after the load whether the store is executed.
  std::vector<uint32_t> tests() const {
    std::vector<uint32_t> found;
    for (uint32_t i = load_ + 1; i < store_; ++i) {
      const Instruction& branch = values_.at(i);
      const bool decides = ptx::facts(branch.opcode.op).effect == ptx::Effect::Branch &&
                           branch.guard != ptx::kNone &&
                           branch.join > store_;  // kNone, too
      if (decides) found.push_back(branch.guard);
    }
    if (values_.at(store_).guard != ptx::kNone)
      found.push_back(values_.at(store_).guard);
    return found;
  }

  /// Is what is stored made of other elements of the array, too? Then rounds of the
  /// threads may follow each other, and want a barrier.
  bool uses_other_elements() const {
    const auto bases = find_provenance(function_);
    const Provenance own = provenance_of(bases, values_.at(load_).address.base);
    std::vector<bool> uses(function_.registers.size());
    const auto any = [&](const Instruction& instruction) {
      return std::any_of(instruction.sources.begin(), instruction.sources.end(),
                         [&](const Operand& each) {
                           return each.kind == Kind::Register && uses[each.index];
                         });
    };
    for (int round = 0; round < 2; ++round)  // a loop's values come from its end
      for (uint32_t i = 0; i < function_.instructions.size(); ++i) {
        const Instruction& each = values_.at(i);
        const bool loads = each.opcode.op == Op::Ld &&
                           each.opcode.space == values_.at(load_).opcode.space &&
                           provenance_of(bases, each.address.base) == own &&
                           !values_.same_place(i, load_);
        if (!loads && !any(each)) continue;
        for (const Operand& to : each.destinations)
          if (to.kind == Kind::Register) uses[to.index] = true;
      }
    const auto steers = [&](uint32_t test) { return uses[test]; };
    const auto all = tests();
    return any(values_.at(store_)) || std::any_of(all.begin(), all.end(), steers);
  }

  const ptx::Function& function_;
  Values values_;
  uint32_t load_, store_;
  std::vector<From> from_;
  std::vector<Operand> compared_with_;
};

/// Of the store `store` and another access of the race.
MtRemedy update_remedy(const ptx::Function& function, uint32_t store, uint32_t other) {
  const auto is = [&](uint32_t i, Op op) {
    return function.instructions[i].opcode.op == op;
  };
  if (!is(store, Op::St)) return MtRemedy_OfKind;
  if (is(other, Op::Ld)) {
    if (other >= store) return MtRemedy_OfKind;
    return Update(function, other, store).remedy(/*both_write=*/false);
  }
  const Values values(function);
  for (uint32_t i = store; i-- > 0;)
    if (is(i, Op::Ld) && values.same_place(i, store))
      return Update(function, i, store).remedy(/*both_write=*/true);
  return MtRemedy_OfKind;
}

std::string_view file_of(const ptx::Module& module, const Site& site) {
  const auto& instructions = module.functions[site.function].instructions;
  const uint32_t position = instructions[site.instruction].position;
  if (position >= module.positions.size()) return "";
  const uint32_t file = module.positions[position].file;
  if (file >= module.files.size()) return "";
  const std::string_view path = module.files[file];
  return path.substr(path.rfind('/') + 1);
}

/// The state of a generator is read and written by its header alone.
bool draws_numbers(std::string_view file) {
  return file == "random.cuh" || file.starts_with("curand");
}

/// The variable of dynamic shared memory from which the access is derived, or kNone.
uint32_t dynamic_array(const ptx::Module& module, const Site& site) {
  const ptx::Function& function = module.functions[site.function];
  const Provenance base = provenance_of(
      find_provenance(function), function.instructions[site.instruction].address.base);
  const bool dynamic = base.base == Provenance::Base::Variable &&
                       module.variables[base.index].external &&
                       module.variables[base.index].space == ptx::Space::Shared;
  return dynamic ? base.index : ptx::kNone;
}

bool share_dynamic_memory(const ptx::Module& module, const FindingRecord& record) {
  if (record.space != MtSpace_Shared) return false;
  const uint32_t one = dynamic_array(module, record.site);
  const uint32_t other = dynamic_array(module, record.other);
  return one != other && one != ptx::kNone && other != ptx::kNone;
}

}  // namespace

MtRemedy race_remedy(const ptx::Module& module, const FindingRecord& record) {
  const Site &one = record.site, &other = record.other;
  if (draws_numbers(file_of(module, one)) && draws_numbers(file_of(module, other)))
    return MtRemedy_OwnRandomState;
  if (share_dynamic_memory(module, record)) return MtRemedy_OneDynamicArray;
  if (one.function != other.function) return record.remedy;
  const ptx::Function& function = module.functions[one.function];
  for (const auto& [store, access] : {std::pair(one, other), std::pair(other, one)}) {
    const MtRemedy found =
        update_remedy(function, store.instruction, access.instruction);
    if (found != MtRemedy_OfKind) return found;
  }
  return record.remedy;
}

}  // namespace minitorch::simt
