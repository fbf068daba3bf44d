// The expansion of matrix instructions: a warp comes together, and what it reads or
// writes in memory goes the way of ordinary accesses, one register at a time.
#include "simt/program/fragments.h"
#include "simt/program/passes/expand.h"

namespace minitorch::simt {

using ptx::Fragment;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using OpKind = WarpOp::Kind;

namespace {

/// Rows are left to be filled in by emit_steps, which knows them.
FragmentRows layout_of(const ptx::Opcode& opcode, Fragment fragment) {
  FragmentRows made;
  made.type = fragment_type(opcode.matrix, fragment);
  made.each = ptx::elements_a_register(made.type);
  const uint32_t columns = fragment_size(opcode.matrix, fragment).column;
  const uint32_t registers = fragment_registers(opcode, fragment);
  made.rows.resize(registers);
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

/// All lanes take part.
WarpOp& together(OpBuilder& builder, OpKind kind, const ptx::Opcode& opcode) {
  const Value all = builder.values.number(kFullMask, 4);
  WarpOp& op = builder.collective(kind, opcode);
  op.sources = {{}, {}, {}, all};
  return op;
}

uint32_t add_matrix(OpBuilder& builder, MatrixStep matrix) {
  auto& matrices = builder.program.code.matrices;
  matrices.push_back(std::move(matrix));
  return static_cast<uint32_t>(matrices.size() - 1);
}

}  // namespace

void expand_product(OpBuilder& builder, const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  MatrixStep matrix;
  matrix.opcode = opcode;
  std::vector<Value> sources, results;
  const auto read = [&](Fragment fragment) {
    FragmentRows made = layout_of(opcode, fragment);
    const Type type = ptx::register_type(made.type);
    for (size_t i = 0; i < made.rows.size(); ++i) {
      sources.push_back(builder.source(instruction.sources[sources.size()], type));
    }
    return made;
  };
  matrix.a = read(Fragment::A);
  matrix.b = read(Fragment::B);
  matrix.c = read(Fragment::C);
  matrix.d = layout_of(opcode, Fragment::D);
  const Type type = ptx::register_type(matrix.d.type);
  for (const Operand& to : instruction.destinations) {
    results.push_back(builder.result(to, type));
  }
  const Value all = builder.values.number(kFullMask, 4);
  WarpOp& op = builder.collective(OpKind::Product, opcode);
  op.sources = std::move(sources);
  op.sources.push_back(all);
  op.results = std::move(results);
  op.number = add_matrix(builder, std::move(matrix));
}

void expand_transposition(OpBuilder& builder, const Instruction& instruction) {
  const Value from = builder.source(instruction.sources[0], Type::B32);
  WarpOp& op = together(builder, OpKind::Collective, instruction.opcode);
  op.sources[0] = from;
  op.results = {builder.result(instruction.destinations[0], Type::B32)};
}

void expand_matrix_load(OpBuilder& builder, const Instruction& instruction,
                        const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  MemoryForm form = form_of(instruction, bases);
  form.bytes = 4;
  form.vector = 1;
  const AddressValue from = builder.address(instruction.address, form);
  ptx::Opcode sized = opcode;
  sized.source_type = form.address_bytes == 8 ? Type::U64 : Type::U32;
  // The base may be one of the destinations: all addresses come first.
  std::vector<Value> addresses;
  for (uint32_t i = 0; i < opcode.matrix.count; ++i) {
    addresses.push_back(builder.temporary(form.address_bytes));
    WarpOp& op = together(builder, OpKind::MatrixAddress, sized);
    op.sources[0] = from.base;
    op.results = {addresses[i]};
    op.element = i;
    op.offset = from.offset;
  }
  for (uint32_t i = 0; i < opcode.matrix.count; ++i) {
    WarpOp& load = builder.access(form, {addresses[i], from.offset});
    const Value word = builder.result(instruction.destinations[i], Type::B32);
    load.results = {word};
    if (!opcode.matrix.transposed) continue;
    WarpOp& turn =
        together(builder, OpKind::Collective, opcode_of(Op::Movmatrix, Type::B32));
    turn.sources[0] = word;
    turn.results = {word};
  }
}

namespace {

/// What a fragment's registers are loaded from or stored to.
struct FragmentPiece {
  MemoryForm form;
  int64_t offset;
  const Value* addresses;
  uint32_t count;  // accesses that make up one register
};

void load_piece(OpBuilder& builder, const FragmentPiece& piece, const Operand& to,
                Type type) {
  std::vector<Value> parts;
  for (uint32_t i = 0; i < piece.count; ++i) {
    parts.push_back(piece.count == 1 ? builder.result(to, type) : builder.temporary(4));
    builder.access(piece.form, {piece.addresses[i], piece.offset}).results = {parts[i]};
  }
  if (piece.count == 1) return;
  ptx::Opcode pack = opcode_of(Op::Pack, Type::B32);
  pack.vector = 2;
  builder.lane(pack, {builder.result(to, type)}, parts);
}

void store_piece(OpBuilder& builder, const FragmentPiece& piece, const Operand& from,
                 Type type) {
  const Value whole = builder.source(from, type);
  for (uint32_t i = 0; i < piece.count; ++i) {
    Value part = whole;
    if (i > 0) {
      part = builder.temporary(4);
      builder.lane(opcode_of(Op::Shr, Type::U32), {part},
                   {whole, builder.values.number(16, 4)});
    }
    builder.access(piece.form, {piece.addresses[i], piece.offset}).sources = {part};
  }
}

/// What wmma.load and wmma.store say of their fragment.
MatrixStep side_of(const ptx::Opcode& opcode) {
  const ptx::MatrixForm& matrix = opcode.matrix;
  const bool sums = matrix.fragment == Fragment::C || matrix.fragment == Fragment::D;
  MatrixStep side;
  side.opcode = opcode;
  side.d = layout_of(opcode, matrix.fragment);
  side.d.rows.clear();
  side.by_column = sums ? matrix.c_column : stored_by_column(matrix, matrix.fragment);
  return side;
}

/// Whether the elements of a register lie apart in memory.
bool is_split(const ptx::MatrixForm& form, const FragmentRows& rows) {
  const bool sums = form.fragment == Fragment::C || form.fragment == Fragment::D;
  return sums && form.c_column && rows.each > 1;
}

}  // namespace

void expand_fragment_access(OpBuilder& builder, const Instruction& instruction,
                            const Bases& bases) {
  const ptx::Opcode& opcode = instruction.opcode;
  const bool loads = opcode.op == Op::WmmaLoad;
  MatrixStep side = side_of(opcode);
  const bool split = is_split(opcode.matrix, side.d);
  const uint32_t each = side.d.each, pieces = split ? each : 1;
  MemoryForm form = form_of(instruction, bases);
  form.kind = loads ? MemoryForm::Kind::Load : MemoryForm::Kind::Store;
  form.vector = 1;
  form.bytes = static_cast<uint8_t>(ptx::size_of(opcode.type) / pieces);
  const AddressValue at = builder.address(instruction.address, form);
  const size_t registers = opcode.vector;
  const auto& sources = instruction.sources;
  const bool has_stride = sources.size() > (loads ? 0 : registers);
  const Value stride = has_stride ? builder.source(sources.back(), Type::U32) : Value{};
  const uint32_t number = add_matrix(builder, std::move(side));
  together(builder, OpKind::Collective, opcode_of(Op::BarWarpSync, Type::None));
  ptx::Opcode sized = opcode;
  sized.source_type = form.address_bytes == 8 ? Type::U64 : Type::U32;
  std::vector<Value> addresses;
  for (uint32_t i = 0; i < registers * pieces; ++i) {
    addresses.push_back(builder.temporary(form.address_bytes));
    WarpOp& op = builder.collective(OpKind::FragmentAddress, sized);
    op.sources = {at.base, stride};
    op.results = {addresses.back()};
    op.element = split ? i : i * each;
    op.number = number;
  }
  for (uint32_t i = 0; i < registers; ++i) {
    const FragmentPiece piece = {form, at.offset, &addresses[i * pieces], pieces};
    loads ? load_piece(builder, piece, instruction.destinations[i], opcode.type)
          : store_piece(builder, piece, sources[i], opcode.type);
  }
}

}  // namespace minitorch::simt
