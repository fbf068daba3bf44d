#include "autograd/indexing.h"

#include <algorithm>

#include "autograd/dialect.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/promotion.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/cat.h"
#include "ops/create.h"
#include "ops/gather.h"
#include "ops/layout.h"
#include "ops/where.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using array::IndexPart;
using ops::Number;

Array zeros(const array::Shape& shape, const Array& like) {
  return ops::full(shape, Number{0}, like.dtype(), like.device());
}

TensorPtr scalar_zero(const Array& like) {
  return make_tensor(zeros(array::Shape{}, like));
}

/// The gradient of `index`: zeros of `shape` with `g` where the view lies.
TensorPtr unindex(const TensorPtr& g, const array::Shape& shape,
                  const std::vector<IndexPart>& parts) {
  const runtime::OpScope scope("unindex", {&g->value});
  const Array out = zeros(shape, g->value);
  ops::copy_into(g->value, array::index(out, parts));
  return record("unindex", out, {g}, [&] {
    return [parts](const TensorPtr& gg, Node&) { return Gradients{index(gg, parts)}; };
  });
}

/// The index as int64; where an op with these inputs saves it, of its own: nobody else
/// can write to it.
Array own_index(const TensorPtr& a, int64_t dim, const TensorPtr& index,
                const char* where, const TensorPtr& source = nullptr) {
  const size_t d = array::normalise_dim(dim, a->value.dims(), where);
  const Array checked = ops::checked_index(index->value, a->value.shape()[d], where);
  const bool shared = checked.storage() == index->value.storage();
  const bool saved = records({a}) || (source && records({source}));
  return shared && saved ? ops::copy(checked) : checked;
}

/// `source` in the dtype of `a` and of the shape of the indices: what lies beyond them
/// in a larger source is not used.
TensorPtr fitted(const TensorPtr& source, const TensorPtr& a, const Array& index) {
  TensorPtr out = cast(source, a->value.dtype());
  const array::Shape given = out->value.shape();
  std::vector<IndexPart> parts;
  bool is_larger = false;
  for (size_t d = 0; d < given.size() && given.size() == index.dims(); ++d) {
    const int64_t size = std::min(given[d], index.shape()[d]);
    parts.push_back({IndexPart::Kind::Range, 0, size, 1});
    is_larger |= size < given[d];
  }
  if (is_larger) out = autograd::index(out, parts);
  return out->value.shape() == index.shape() ? out : expand(out, index.shape());
}

/// scatter() and scatter_add() of a source that fits, at an index that is checked.
TensorPtr scatter_checked(const TensorPtr& a, int64_t dim, const Array& at,
                          const TensorPtr& from) {
  return record(
      "scatter", ops::scatter(a->value, dim, at, from->value), {a, from}, [&] {
        return [dim, at](const TensorPtr& g, Node&) {
          const TensorPtr zero = scalar_zero(g->value);
          const TensorPtr rest = scatter_checked(g, dim, at, expand(zero, at.shape()));
          return Gradients{rest, gather_checked(g, dim, at)};
        };
      });
}

TensorPtr scatter_add_checked(const TensorPtr& a, int64_t dim, const Array& at,
                              const TensorPtr& from) {
  return record("scatter_add", ops::scatter_add(a->value, dim, at, from->value),
                {a, from}, [&] {
                  return [dim, at](const TensorPtr& g, Node&) {
                    return Gradients{g, gather_checked(g, dim, at)};
                  };
                });
}

}  // namespace

TensorPtr index(const TensorPtr& a, const std::vector<IndexPart>& parts) {
  const runtime::OpScope scope("index", {&a->value});
  return record("index", array::index(a->value, parts), {a}, [&] {
    return [parts, shape = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{unindex(g, shape, parts)};
    };
  });
}

TensorPtr element(const TensorPtr& a, const std::vector<IndexPart>& parts) {
  const runtime::OpScope scope("element", {&a->value});
  const Array value = ops::copy(array::index(a->value, parts));
  const TensorPtr out = record("index", value, {a}, [&] {
    return [parts, shape = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{unindex(g, shape, parts)};
    };
  });
  out->backend = nullptr;
  return out;
}

TensorPtr flip(const TensorPtr& a, const array::Dims& dims) {
  const runtime::OpScope scope("flip", {&a->value});
  std::vector<IndexPart> parts;
  for (int64_t size : a->value.shape()) {
    parts.push_back({IndexPart::Kind::Range, 0, size, 1});
  }
  for (int64_t dim : dims) {
    IndexPart& part = parts[array::normalise_dim(dim, parts.size(), "flip")];
    if (part.step < 0) {
      throw base::ValueError("flip", base::text("got dims ", base::tuple_text(dims),
                                                "; need each dimension once."));
    }
    part = {IndexPart::Kind::Range, part.count - 1, part.count, -1};
  }
  return index(a, parts);
}

TensorPtr gather_checked(const TensorPtr& a, int64_t dim, const Array& index) {
  const runtime::OpScope scope("gather", {&a->value, &index});
  return record("gather", ops::gather(a->value, dim, index), {a}, [&] {
    return [shape = a->value.shape(), dim, index](const TensorPtr& g, Node&) {
      const TensorPtr empty = make_tensor(zeros(shape, g->value));
      return Gradients{scatter_add_checked(empty, dim, index, g)};
    };
  });
}

TensorPtr gather(const TensorPtr& a, int64_t dim, const TensorPtr& index) {
  const runtime::OpScope scope("gather", {&a->value, &index->value});
  return gather_checked(a, dim, own_index(a, dim, index, "gather"));
}

TensorPtr index_select(const TensorPtr& a, int64_t dim, const TensorPtr& index) {
  const runtime::OpScope scope("index_select", {&a->value, &index->value});
  const size_t d = array::normalise_dim(dim, a->value.dims(), "index_select");
  if (index->value.dims() != 1) {
    throw base::ValueError(
        "index_select",
        base::text("got indices of shape ", base::tuple_text(index->value.shape()),
                   "; need one dimension (n,)."));
  }
  const Array checked = own_index(a, dim, index, "index_select");
  array::Shape line(a->value.dims(), 1), shape = a->value.shape();
  line[d] = shape[d] = checked.size();
  return gather_checked(a, dim, ops::reshape(checked, line).expand(shape));
}

TensorPtr scatter(const TensorPtr& a, int64_t dim, const TensorPtr& index,
                  const TensorPtr& source) {
  const runtime::OpScope scope("scatter", {&a->value, &index->value, &source->value});
  const Array at = own_index(a, dim, index, "scatter", source);
  return scatter_checked(a, dim, at, fitted(source, a, at));
}

TensorPtr scatter_add(const TensorPtr& a, int64_t dim, const TensorPtr& index,
                      const TensorPtr& source) {
  const runtime::OpScope scope("scatter_add",
                               {&a->value, &index->value, &source->value});
  const Array at = own_index(a, dim, index, "scatter_add", source);
  return scatter_add_checked(a, dim, at, fitted(source, a, at));
}

TensorPtr where(const TensorPtr& condition, const TensorPtr& a, const TensorPtr& b) {
  if (torch_promotes(a, b)) {
    const auto [x, y] = torch_promoted(a, b);
    return where(condition, x, y);
  }
  const runtime::OpScope scope("where", {&condition->value, &a->value, &b->value});
  const Array made =
      broadcasting(a->dialect == Dialect::None ? b->dialect : a->dialect,
                   [&] { return ops::where(condition->value, a->value, b->value); });
  return record("where", made, {a, b}, [&] {
    return [c = Saved(detach(condition)), left = requires_gradient(a),
            right = requires_gradient(b)](const TensorPtr& g, Node&) {
      const Number zero = 0.0;
      return Gradients{left ? where(c.tensor(), g, zero) : nullptr,
                       right ? where(c.tensor(), zero, g) : nullptr};
    };
  });
}

TensorPtr where(const TensorPtr& condition, const TensorPtr& a, Number b) {
  if (torch_promotes(a, b)) return where(condition, torch_promoted(a, b), b);
  const runtime::OpScope scope("where", {&condition->value, &a->value});
  return record("where", ops::where(condition->value, a->value, b), {a}, [&] {
    return [c = Saved(detach(condition))](const TensorPtr& g, Node&) {
      return Gradients{where(c.tensor(), g, Number{0.0})};
    };
  });
}

TensorPtr where(const TensorPtr& condition, Number a, const TensorPtr& b) {
  if (torch_promotes(b, a)) return where(condition, a, torch_promoted(b, a));
  const runtime::OpScope scope("where", {&condition->value, &b->value});
  return record("where", ops::where(condition->value, a, b->value), {b}, [&] {
    return [c = Saved(detach(condition))](const TensorPtr& g, Node&) {
      return Gradients{where(c.tensor(), Number{0.0}, g)};
    };
  });
}

TensorPtr cat(const std::vector<TensorPtr>& tensors, int64_t dim) {
  if (torch_promotes(tensors)) return cat(torch_promoted(tensors), dim);
  std::vector<Array> arrays;
  std::vector<int64_t> sizes;
  for (const TensorPtr& each : tensors) arrays.push_back(each->value);
  const runtime::OpScope scope("cat", arrays);
  const Array out = ops::cat(arrays, dim);
  const size_t d = array::normalise_dim(dim, out.dims(), "cat");
  for (const Array& each : arrays) sizes.push_back(each.shape()[d]);
  return record("cat", out, tensors, [&] {
    return [d, sizes](const TensorPtr& g, Node&) {
      Gradients parts;
      int64_t start = 0;
      for (int64_t size : sizes) {
        parts.push_back(slice(g, static_cast<int64_t>(d), start, start + size, 1));
        start += size;
      }
      return parts;
    };
  });
}

}  // namespace minitorch::autograd
