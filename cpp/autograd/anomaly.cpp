#include "autograd/anomaly.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "ops/layout.h"
#include "ops/transfer.h"

namespace minitorch::autograd {
namespace {

thread_local bool looking = false;

std::function<std::string()>& finder() {
  static auto* made = new std::function<std::string()>();  // outlives the interpreter
  return *made;
}

bool has_nan(const TensorPtr& a) {
  if (!a || !is_floating(a->value.dtype())) return false;
  const array::Array host = ops::to_device(a->value, array::Device::Cpu);
  const array::Array wide = ops::contiguous(ops::cast(host, array::Dtype::Float64));
  const double* first = wide.data<double>();
  return std::any_of(first, first + wide.size(), [](double v) { return v != v; });
}

}  // namespace

bool anomaly_mode() { return looking; }

bool set_anomaly_mode(bool enabled) { return std::exchange(looking, enabled); }

std::string call_site() { return finder() ? finder()() : std::string(); }

void set_call_site(std::function<std::string()> find) { finder() = std::move(find); }

void refuse_nan(const char* name, const std::string& origin,
                const std::vector<TensorPtr>& gradients) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!has_nan(gradients[i])) continue;
    throw base::StateError(
        "backward",
        base::text("got NaN from ", name, " as the gradient of its input ", i,
                   ", of shape ", base::tuple_text(gradients[i]->value.shape()), "; ",
                   origin.empty() ? "the forward op ran before detect_anomaly()."
                                  : base::text("the forward op ran at ", origin)));
  }
}

void refuse_nan_at_start(const TensorPtr& gradient) {
  if (!has_nan(gradient)) return;
  throw base::StateError("backward",
                         "got NaN in the gradient to start from; need numbers.");
}

}  // namespace minitorch::autograd
