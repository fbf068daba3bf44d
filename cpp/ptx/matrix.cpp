#include "ptx/matrix.h"

#include <charconv>
#include <vector>

#include "ptx/opcode_table.h"
#include "ptx/type_sets.h"

namespace minitorch::ptx {
namespace {

struct MatrixRow {
  Op op;
  uint16_t m, n, k;
  uint32_t factors, sums;
};
constexpr MatrixRow kMatrixRows[] = {
#define PTX_MATRIX(op, m, n, k, factors, sums) {Op::op, m, n, k, factors, sums},
#include "ptx/matrices.inc"
#undef PTX_MATRIX
};

bool takes(const MatrixRow& row, const MatrixForm& form) {
  return (form.a == Type::None || holds(row.factors, form.a)) &&
         (form.b == Type::None || holds(row.factors, form.b)) &&
         (form.c == Type::None || holds(row.sums, form.c)) &&
         (form.d == Type::None || holds(row.sums, form.d)) && row.m == form.m &&
         row.n == form.n && row.k == form.k;
}

// "m16n8k8": false when the word is no shape.
bool read_shape(std::string_view word, MatrixForm& form) {
  uint16_t* const sizes[] = {&form.m, &form.n, &form.k};
  for (int i = 0; i < 3; ++i) {
    if (word.empty() || word[0] != "mnk"[i]) return i == 2 && word.empty();
    const auto [end, error] =
        std::from_chars(word.data() + 1, word.data() + word.size(), *sizes[i]);
    if (error != std::errc{}) return false;
    word.remove_prefix(static_cast<size_t>(end - word.data()));
  }
  return word.empty();
}

// Words beside shapes and types.
struct Words {
  std::vector<bool> columns;  // of each .row or .col
  std::vector<Type> types;
  bool foreign = false;
};

bool take_word(std::string_view word, Opcode& opcode, Words& words) {
  MatrixForm& form = opcode.matrix;
  if (word == "row" || word == "col") {
    words.columns.push_back(word == "col");
  } else if (const Type type = find_type(word); type != Type::None) {
    words.types.push_back(type);
  } else if (word == "global") {
    opcode.space = Space::Global;
  } else if (word == "shared" || word == "shared::cta") {
    opcode.space = Space::Shared;
  } else if (word == "satfinite") {
    opcode.sat = true;
  } else if (word == "x1" || word == "x2" || word == "x4") {
    form.count = static_cast<uint8_t>(word[1] - '0');
  } else if (word == "trans") {
    form.transposed = true;
  } else if (word == "and") {
    form.binary_and = true;
  } else if (word != "aligned" && word != "xor" && word != "popc" && word != "rn" &&
             !read_shape(word, form)) {
    // Of later architectures: other shapes' element types, sparse and scaled products.
    words.foreign = find_foreign_word(word);
    return words.foreign;
  }
  return true;
}

bool find_row(Op op, MatrixForm& form) {
  for (const MatrixRow& row : kMatrixRows)
    if (row.op == op && takes(row, form)) return true;
  return false;
}

bool finish_product(Opcode& opcode, const Words& words) {
  MatrixForm& form = opcode.matrix;
  const auto& types = words.types;
  if (words.columns.size() != 2) return false;
  form.a_column = words.columns[0];
  form.b_column = words.columns[1];
  if (types.size() == 2 && opcode.op == Op::WmmaMma) {
    form.a = form.b = Type::F16;
    form.d = types[0];
    form.c = types[1];
  } else if (types.size() == 4) {
    form.d = types[0];
    form.a = types[1];
    form.b = types[2];
    form.c = types[3];
  } else {
    return false;
  }
  const bool integers = form.d == Type::S32;
  const bool row_by_column = !form.a_column && form.b_column;
  // Only the products of wmma on whole bytes choose their layouts.
  const bool free = opcode.op == Op::WmmaMma && element_bits(form.a) >= 8;
  if (integers ? form.c != form.d : form.a != form.b) return false;
  if (!integers && opcode.sat) return false;
  if (opcode.op == Op::Mma && form.c != form.d) return false;
  return (free || row_by_column) && find_row(opcode.op, form);
}

bool finish_access(Opcode& opcode, const Words& words) {
  MatrixForm& form = opcode.matrix;
  if (words.columns.size() != 1 || words.types.size() != 1) return false;
  const Type type = words.types[0];
  switch (form.fragment) {
    case Fragment::A:
      form.a = type;
      form.a_column = words.columns[0];
      break;
    case Fragment::B:
      form.b = type;
      form.b_column = words.columns[0];
      break;
    default:
      form.d = type;
      form.c_column = words.columns[0];
  }
  opcode.vector = static_cast<uint8_t>(fragment_registers(opcode, form.fragment));
  opcode.type = register_type(type);
  return find_row(Op::WmmaMma, form);
}

bool finish(Opcode& opcode, const Words& words) {
  const MatrixForm& form = opcode.matrix;
  if (words.foreign) return false;
  const Op op = opcode.op;
  if (op == Op::Mma || op == Op::WmmaMma) return finish_product(opcode, words);
  if (op == Op::WmmaLoad || op == Op::WmmaStore) return finish_access(opcode, words);
  opcode.type = Type::B32;
  opcode.vector = form.count;
  const bool eights = form.m == 8 && form.n == 8 && form.k == 0;
  const bool halves = words.types.size() == 1 && words.types[0] == Type::B16;
  return eights && halves && (opcode.op == Op::Ldmatrix || form.transposed);
}

}  // namespace

bool is_matrix(Op op) { return (row_of(op).groups & kMatrix) != 0; }

MatrixWords read_matrix(std::string_view mnemonic, std::string_view rest,
                        Opcode& opcode, std::string_view& word) {
  if (mnemonic.starts_with("wmma.load.a")) opcode.matrix.fragment = Fragment::A;
  if (mnemonic.starts_with("wmma.load.b")) opcode.matrix.fragment = Fragment::B;
  if (mnemonic.starts_with("wmma.load.c")) opcode.matrix.fragment = Fragment::C;
  if (mnemonic.starts_with("wmma.store.d")) opcode.matrix.fragment = Fragment::D;
  opcode.matrix.binary_and = mnemonic.starts_with("wmma.mma.and");
  opcode.aligned = true;
  Words words;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(word.size());
    if (!take_word(word, opcode, words)) return MatrixWords::Wrong;
  }
  return finish(opcode, words) ? MatrixWords::Read : MatrixWords::Foreign;
}

Type fragment_type(const MatrixForm& form, Fragment fragment) {
  switch (fragment) {
    case Fragment::A:
      return form.a;
    case Fragment::B:
      return form.b;
    case Fragment::C:
      return form.c != Type::None ? form.c : form.d;
    default:
      return form.d;
  }
}

uint32_t element_bits(Type type) {
  switch (type) {
    case Type::B1:
      return 1;
    case Type::U4:
    case Type::S4:
      return 4;
    default:
      return 8 * size_of(type);
  }
}

uint32_t elements_a_register(Type type) {
  const uint32_t bits = element_bits(type);
  return bits >= 32 || bits == 0 ? 1 : 32 / bits;
}

uint32_t fragment_registers(const Opcode& opcode, Fragment fragment) {
  const MatrixForm& form = opcode.matrix;
  const Type type = fragment_type(form, fragment);
  const bool factor = fragment == Fragment::A || fragment == Fragment::B;
  // wmma gives the factors of f16 eight registers in every shape.
  if (factor && type == Type::F16 && opcode.op != Op::Mma) return 8;
  const uint32_t rows = fragment == Fragment::B ? form.k : form.m;
  const uint32_t columns = fragment == Fragment::A ? form.k : form.n;
  const uint32_t registers = uint32_t{rows} * columns / 32 / elements_a_register(type);
  return registers == 0 ? 1 : registers;
}

Type register_type(Type element) {
  return element == Type::F64 ? Type::B64 : Type::B32;
}

}  // namespace minitorch::ptx
