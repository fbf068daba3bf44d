#include "ops/transfer.h"

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/layout.h"
#include "runtime/memory.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

Array to_device(const Array& a, Device device) {
  if (a.device() == device) return a;
  const runtime::OpScope scope("to_device", {&a});
  const Array source = contiguous(a);
  Array out = empty(a.shape(), a.dtype(), device);
  const size_t bytes = static_cast<size_t>(a.size()) * size_of(a.dtype());
  if (bytes == 0) return out;
  if (device == Device::Cuda) {
    runtime::copy_to_device(out.device_address(), source.raw_data(), bytes);
  } else {
    runtime::copy_to_host(out.raw_data(), source.device_address(), bytes,
                          runtime::WaitReason::Value);
  }
  return out;
}

double item(const Array& a) {
  const runtime::OpScope scope("item", {&a});
  if (a.size() != 1) {
    throw base::ValueError("item", base::text("got shape ", base::tuple_text(a.shape()),
                                              "; need exactly one element."));
  }
  const Array host = to_device(a, Device::Cpu);
  return visit_stored(a.dtype(), [&](auto type) {
    return static_cast<double>(*host.data<typename decltype(type)::type>());
  });
}

}  // namespace minitorch::ops
