// Owns what the ops on two arrays share: one device, one shape, the launch of zip.cu.
#include "ops/elementwise.h"

#include "base/error.h"
#include "base/text.h"
#include "ops/launch.h"

namespace minitorch::ops {

using array::Array;

void require_one_device(const char* where, const Array& a, const Array& b) {
  if (a.device() == b.device()) return;
  throw base::ValueError(
      where, base::text("got tensors on ", device_name(a.device()), " and ",
                        device_name(b.device()),
                        "; need one device. Move the data to the model: the one on "
                        "cpu .to(\"cuda\")."));
}

Array spread(const Array& a, const array::Shape& shape) {
  return a.shape() == shape ? a : a.expand(shape);
}

void zip_on_device(const char* code, const Array& a, const Array& b, const Array& out) {
  KernelLaunch launch("zip", out.dtype());
  launch.type("Source", a.dtype());
  launch.line("#include \"python_math.cuh\"");
  launch.function("Source a, Source b", code);
  launch.walk(out.shape(), {&a, &b});
  launch.add(out);
  launch.add(a);
  launch.add(b);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_strides(1);
  launch.add_index(out.size());
  launch.run_elementwise();
}

}  // namespace minitorch::ops
