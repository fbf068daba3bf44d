// Anomaly mode: where each op was called, and which op first gave NaN on the way back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// Does this thread look for NaN?
bool anomaly_mode();

/// Switches it on this thread; returns what it was.
bool set_anomaly_mode(bool enabled);

/// The line that calls an op now, as `set_call_site` says how to find it.
std::string call_site();
void set_call_site(std::function<std::string()> find);

/// Throws StateError for the first gradient with a NaN, naming the op and its
/// line `origin`.
void refuse_nan(const char* name, const std::string& origin,
                const std::vector<TensorPtr>& gradients);
/// The same for the gradient that a backward starts from.
void refuse_nan_at_start(const TensorPtr& gradient);

}  // namespace minitorch::autograd
