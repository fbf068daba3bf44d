// Owns the lowering of matrix instructions: a warp comes together, and what it reads or
// writes in memory goes the way of ordinary accesses, one register at a time. Must not
// know what a product is.
#include "emulator/fragments.h"
#include "emulator/lowering.h"

namespace minitorch::emulator {

using ptx::Fragment;
using ptx::Op;
using ptx::Type;

namespace {

/// Rows are left to be filled in.
FragmentRows layout_of(const ptx::Opcode& opcode, Fragment fragment) {
  FragmentRows made;
  made.type = fragment_type(opcode.matrix, fragment);
  made.each = ptx::elements_a_register(made.type);
  const uint32_t columns = fragment_size(opcode.matrix, fragment).column;
  const uint32_t registers = fragment_registers(opcode, fragment);
  for (uint32_t index = 0; index < registers; ++index) {
    for (uint32_t part = 0; part < made.each; ++part) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto at = place_in_fragment(opcode, fragment, lane, index, part);
        made.places.push_back(static_cast<uint16_t>(at.row * columns + at.column));
      }
    }
  }
  return made;
}

}  // namespace

Step& Lowering::emit_together(const ptx::Opcode& opcode) {
  Step& step = emit(engine_.collective(opcode));
  step.e = registers_.value(kFullMask, 4);
  return step;
}

void Lowering::lower_product(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  MatrixStep matrix;
  matrix.opcode = opcode;
  size_t next = 0;
  const auto read = [&](Fragment fragment) {
    FragmentRows made = layout_of(opcode, fragment);
    const Type type = ptx::register_type(made.type);
    const uint32_t count = fragment_registers(opcode, fragment);
    for (uint32_t i = 0; i < count; ++i) {
      made.rows.push_back(source(instruction.sources[next++], type));
    }
    return made;
  };
  matrix.a = read(Fragment::A);
  matrix.b = read(Fragment::B);
  matrix.c = read(Fragment::C);
  matrix.d = layout_of(opcode, Fragment::D);
  const Type type = ptx::register_type(matrix.d.type);
  for (const Operand& to : instruction.destinations) {
    matrix.d.rows.push_back(result(to, type));
  }
  Step& step = emit_together(opcode);
  step.b = static_cast<uint32_t>(code_.matrices.size());
  step.d = matrix.d.rows[0];
  code_.matrices.push_back(std::move(matrix));
}

void Lowering::lower_transposition(const Instruction& instruction) {
  const uint32_t from = source(instruction.sources[0], Type::B32);
  Step& step = emit_together(instruction.opcode);
  step.a = from;
  step.d = result(instruction.destinations[0], Type::B32);
}

void Lowering::lower_matrix_load(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  MemoryForm form;
  form.space = opcode.space;
  form.bytes = 4;
  int64_t offset = 0;
  const uint32_t base = address_row(instruction.address, form, offset);
  // The base may be one of the destinations: all addresses come first.
  uint32_t addresses[4] = {};
  for (uint32_t i = 0; i < opcode.matrix.count; ++i) {
    addresses[i] = registers_.scratch(scratch_used_++, form.address_bytes);
    ptx::Opcode sized = opcode;
    sized.source_type = form.address_bytes == 8 ? Type::U64 : Type::U32;
    Step& step = emit_together(sized);
    step.a = base;
    step.c = i;
    step.d = addresses[i];
    step.immediate = offset;
  }
  for (uint32_t i = 0; i < opcode.matrix.count; ++i) {
    Step& step = emit_access(form, addresses[i]);
    step.immediate = offset;
    step.d = result(instruction.destinations[i], Type::B32);
    probe_access();
    if (!opcode.matrix.transposed) continue;
    const uint32_t row = result(instruction.destinations[i], Type::B32);
    Step& turn = emit_together(opcode_of(Op::Movmatrix, Type::B32));
    turn.a = turn.d = row;
  }
}

namespace {

/// Whether the elements of a register lie apart in memory.
bool is_split(const ptx::MatrixForm& form, const FragmentRows& rows) {
  const bool sums = form.fragment == Fragment::C || form.fragment == Fragment::D;
  return sums && form.c_column && rows.each > 1;
}

}  // namespace

void Lowering::lower_fragment_access(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  const ptx::MatrixForm& matrix = opcode.matrix;
  const bool loads = opcode.op == Op::WmmaLoad;
  MatrixStep side;
  side.opcode = opcode;
  side.d = layout_of(opcode, matrix.fragment);
  const bool sums = matrix.fragment == Fragment::C || matrix.fragment == Fragment::D;
  side.by_column = sums ? matrix.c_column : stored_by_column(matrix, matrix.fragment);
  const bool split = is_split(matrix, side.d);
  const uint32_t pieces = split ? side.d.each : 1;
  MemoryForm form;
  form.kind = loads ? MemoryForm::Kind::Load : MemoryForm::Kind::Store;
  form.space = opcode.space;
  form.bytes = static_cast<uint8_t>(ptx::size_of(opcode.type) / pieces);
  int64_t offset = 0;
  const uint32_t base = address_row(instruction.address, form, offset);
  const size_t registers = opcode.vector;
  const auto& sources = instruction.sources;
  const bool has_stride = sources.size() > (loads ? 0 : registers);
  const uint32_t stride = has_stride ? source(sources.back(), Type::U32) : kNoRow;
  const auto index = static_cast<uint32_t>(code_.matrices.size());
  const uint32_t each = side.d.each;
  code_.matrices.push_back(std::move(side));

  emit_together(opcode_of(Op::BarWarpSync, Type::None));
  std::vector<uint32_t> addresses;
  for (uint32_t i = 0; i < registers * pieces; ++i) {
    addresses.push_back(registers_.scratch(scratch_used_++, form.address_bytes));
    ptx::Opcode sized = opcode;
    sized.source_type = form.address_bytes == 8 ? Type::U64 : Type::U32;
    Step& step = emit(engine_.collective(sized));
    step.a = base;
    step.b = stride;
    step.c = split ? i : i * each;
    step.d = addresses.back();
    step.e = index;
  }
  for (uint32_t i = 0; i < registers; ++i) {
    const FragmentPiece piece = {form, offset, &addresses[i * pieces], pieces};
    loads ? load_piece(piece, instruction.destinations[i], opcode.type)
          : store_piece(piece, sources[i], opcode.type);
  }
}

void Lowering::load_piece(const FragmentPiece& piece, const Operand& to, Type type) {
  uint32_t rows[2] = {};
  for (uint32_t i = 0; i < piece.count; ++i) {
    rows[i] =
        piece.count == 1 ? result(to, type) : registers_.scratch(scratch_used_++, 4);
    Step& step = emit_access(piece.form, piece.addresses[i]);
    step.immediate = piece.offset;
    step.d = rows[i];
    probe_access();
  }
  if (piece.count == 1) return;
  ptx::Opcode pack = opcode_of(Op::Pack, Type::B32);
  pack.vector = 2;
  emit_arithmetic(pack, result(to, type), rows[0], rows[1]);
}

void Lowering::store_piece(const FragmentPiece& piece, const Operand& from, Type type) {
  const uint32_t whole = source(from, type);
  for (uint32_t i = 0; i < piece.count; ++i) {
    uint32_t row = whole;
    if (i > 0) {
      row = registers_.scratch(scratch_used_++, 4);
      emit_arithmetic(opcode_of(Op::Shr, Type::U32), row, whole,
                      registers_.value(16, 4));
    }
    Step& step = emit_access(piece.form, piece.addresses[i]);
    step.immediate = piece.offset;
    step.b = row;
    probe_access();
  }
}

}  // namespace minitorch::emulator
