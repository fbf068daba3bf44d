#include "autograd/region.h"

#include "autograd/node.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Array;

/// Zeros laid out in memory as the base is.
Array base_like(const Array& like, const Region& region) {
  const Array memory =
      ops::full({region.base_elements}, ops::Number{0}, like.dtype(), like.device());
  return Array(like.dtype(), region.base_shape, region.base_strides, region.base_start,
               memory.storage());
}

/// The region of an array that is laid out as the base is.
Array part_of(const Array& laid_out, const Region& region) {
  return Array(laid_out.dtype(), region.shape, region.strides, region.start,
               laid_out.storage());
}

Array in_base_layout(const Array& a, const Region& region) {
  Array out = base_like(a, region);
  ops::copy_into(a, out);
  return out;
}

}  // namespace

Region::Region(const Array& base, const Array& view)
    : base_shape(base.shape()),
      shape(view.shape()),
      base_strides(base.strides()),
      strides(view.strides()) {
  const auto [low, high] = base.reach();
  base_start = -low;
  start = view.offset() - base.offset() - low;
  base_elements = base.size() == 0 ? 0 : high - low + 1;
}

TensorPtr take(const TensorPtr& a, const Region& region) {
  const runtime::OpScope scope("take", {&a->value});
  return record("take", part_of(in_base_layout(a->value, region), region), {a}, [&] {
    return [region](const TensorPtr& g, Node&) { return Gradients{put(g, region)}; };
  });
}

TensorPtr put(const TensorPtr& part, const Region& region) {
  const runtime::OpScope scope("put", {&part->value});
  Array out = base_like(part->value, region);
  ops::copy_into(part->value, part_of(out, region));
  return record("put", out, {part}, [&] {
    return [region](const TensorPtr& g, Node&) { return Gradients{take(g, region)}; };
  });
}

TensorPtr clear(const TensorPtr& a, const Region& region) {
  const runtime::OpScope scope("clear", {&a->value});
  Array out = in_base_layout(a->value, region);
  const Array zero =
      ops::full(array::Shape{}, ops::Number{0}, out.dtype(), out.device());
  ops::copy_into(zero.expand(region.shape), part_of(out, region));
  return record("clear", out, {a}, [&] {
    return [region](const TensorPtr& g, Node&) { return Gradients{clear(g, region)}; };
  });
}

void follow_base(const TensorPtr& view) {
  const TensorPtr& base = view->base;
  view->history = base->history;
  if (view->untracked_view || (view->is_leaf() && view->requires_grad)) return;
  view->requires_grad = base->requires_grad;
  view->node.reset();
  if (!base->requires_grad) return;
  GradMode recording(true);
  const Region region(base->value, view->value);
  view->node = record("view", view->value, {base}, [&] {
                 return [region](const TensorPtr& g, Node&) {
                   return Gradients{put(g, region)};
                 };
               })->node;
}

}  // namespace minitorch::autograd
