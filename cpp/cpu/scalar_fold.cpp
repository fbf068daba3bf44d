#include "cpu/scalar_fold.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/loop_watch.h"
#include "base/thread_pool.h"

namespace minitorch::cpu {
namespace {

constexpr size_t kFoldLanes = ScalarProgram::kBlock;
// Rows are folded in segments, which are folded again: long chains lose accuracy, and
// one long row should keep all threads busy.
constexpr size_t kSegmentCells = 65536;
constexpr size_t kSegmentRows = 256;

/// Folds rows of `width` neighbouring cells, `stride` cells apart.
class RowFolder {
 public:
  RowFolder(const ScalarProgram& program)
      : evaluator_(program), size_(size_of(program.output())) {}

  /// Leaves the fold of `rows` >= 1 rows in `sums` (width cells).
  void fold(const char* cells, size_t rows, size_t width, size_t stride, char* sums) {
    // Narrow rows that lie side by side are folded several at a time, then together.
    const size_t together =
        width == stride ? std::clamp<size_t>(kFoldLanes / width, 1, rows) : 1;
    buffer_.resize(together * width * size_);
    std::memcpy(buffer_.data(), cells, buffer_.size());
    for (size_t row = together; row < rows; row += together) {
      const size_t count = std::min(together, rows - row);
      join(buffer_.data(), cells + row * stride * size_, count * width);
    }
    for (size_t left = together; left > 1;) {
      const size_t half = (left + 1) / 2;
      join(buffer_.data(), buffer_.data() + half * width * size_,
           (left - half) * width);
      left = half;
    }
    std::memcpy(sums, buffer_.data(), width * size_);
  }

  /// sums = f(sums, cells), cell by cell.
  void join(char* sums, const char* cells, size_t count) {
    const void* inputs[] = {sums, cells};
    evaluator_.run(inputs, sums, count);
  }

 private:
  ScalarEvaluator evaluator_;
  size_t size_;
  std::vector<char> buffer_;
};

/// One pass: (outer, length, inner) -> (outer, segments, inner).
struct Pass {
  const ScalarProgram& program;
  FoldShape shape;
  size_t segment_rows, segments, columns, column_chunks;

  Pass(const ScalarProgram& program, FoldShape shape) : program(program), shape(shape) {
    segment_rows = std::max(kSegmentRows, kSegmentCells / shape.inner);
    segments = (shape.length + segment_rows - 1) / segment_rows;
    columns = shape.inner > kFoldLanes / 2 ? kFoldLanes : shape.inner;
    column_chunks = (shape.inner + columns - 1) / columns;
  }

  void run(const char* in, char* out) const {
    const size_t tasks = shape.outer * segments * column_chunks;
    const size_t cells = std::min(segment_rows, shape.length) * columns;
    const size_t grain = std::max<size_t>(1, kSegmentCells / 4 / cells);
    base::shared_pool().parallel_for(tasks, grain, [&](size_t begin, size_t end) {
      RowFolder folder(program);
      for (size_t task = begin; task < end; ++task) fold_task(folder, task, in, out);
    });
  }

  void fold_task(RowFolder& folder, size_t task, const char* in, char* out) const {
    const size_t size = size_of(program.output());
    const size_t column = task % column_chunks * columns;
    const size_t segment = task / column_chunks % segments;
    const size_t outer = task / column_chunks / segments;
    const size_t row = segment * segment_rows;
    const size_t rows = std::min(segment_rows, shape.length - row);
    const size_t width = std::min(columns, shape.inner - column);
    const size_t first = (outer * shape.length + row) * shape.inner + column;
    const size_t target = (outer * segments + segment) * shape.inner + column;
    folder.fold(in + first * size, rows, width, shape.inner, out + target * size);
  }
};

void fill(char* out, const void* element, size_t size, size_t count) {
  for (size_t i = 0; i < count; ++i) std::memcpy(out + i * size, element, size);
}

}  // namespace

void fold(const ScalarProgram& program, const void* in, void* out, FoldShape shape,
          const void* start) {
  const base::HostLoop loop("fold");
  const size_t size = size_of(program.output());
  const size_t outputs = shape.outer * shape.inner;
  char* target = static_cast<char*>(out);
  if (outputs == 0) return;
  if (shape.length == 0) return fill(target, start, size, outputs);

  const char* source = static_cast<const char*>(in);
  std::vector<char> partial, next;
  for (bool first = true; first || shape.length > 1; first = false) {
    const Pass pass(program, shape);
    next.resize(shape.outer * pass.segments * shape.inner * size);
    pass.run(source, next.data());
    partial.swap(next);
    source = partial.data();
    shape.length = pass.segments;
  }
  fill(target, start, size, outputs);
  const void* inputs[] = {target, partial.data()};
  program.run(inputs, target, outputs);
}

}  // namespace minitorch::cpu
