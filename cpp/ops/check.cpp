#include "ops/check.h"

#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/text.h"
#include "cpu/gather.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/transfer.h"
#include "runtime/recorder.h"
#include "runtime/refusal.h"

namespace minitorch::ops {
namespace {

using base::text;
using runtime::Refusal;

[[noreturn]] void refuse_index(const char* where, const Refusal& r) {
  throw base::IndexError(
      where, text("got index ", r.value, " for a dimension of size ", r.size, "; need ",
                  -r.size, " to ", r.size - 1, "."));
}

[[noreturn]] void refuse_row(const char* where, const Refusal& r) {
  throw base::IndexError(where, text("got index ", r.value, " at position ", r.position,
                                     "; need 0 to ", r.size - 1, "."));
}

[[noreturn]] void refuse_label(const char* where, const Refusal& r) {
  if (std::trunc(r.real) != r.real) {  // NaN too
    throw base::ValueError(where,
                           text("got label ", r.real, " at index ", r.position,
                                "; need whole numbers from 0 to ", r.size - 1, "."));
  }
  throw base::IndexError(where, text("got label ", r.real, " at index ", r.position,
                                     "; need 0 to ", r.size - 1, "."));
}

[[noreturn]] void refuse_plain_label(const char* where, const Refusal& r) {
  throw base::IndexError(where,
                         text("got label ", r.value, "; need 0 to ", r.size - 1, "."));
}

[[noreturn]] void refuse_probability(const char* where, const Refusal&) {
  throw base::ValueError(where,
                         "got input outside 0 to 1; need probabilities. Try "
                         "binary_cross_entropy_with_logits.");
}

runtime::RefusalWords words_of(Numbers kind) {
  switch (kind) {
    case Numbers::Index:
      return refuse_index;
    case Numbers::Row:
      return refuse_row;
    case Numbers::Label:
      return refuse_label;
    default:
      return refuse_plain_label;
  }
}

/// What is asked of each number.
struct Wanted {
  Numbers kind;
  int64_t size;
  const char* where;
  std::optional<int64_t> ignored;
  int64_t low() const { return kind == Numbers::Index ? -size : 0; }
};

void add_note(KernelLaunch& launch, const char* where, runtime::RefusalWords words) {
  launch.add_value(runtime::refusal_note(runtime::current_device()));
  launch.add_value(runtime::refusal_rule(where, words));
}

Array check_on_device(const Array& index, const Wanted& wanted) {
  const Array out = empty(index.shape(), Dtype::Int64, Device::Cuda);
  if (out.size() == 0) return out;
  KernelLaunch launch("check_index", Dtype::Int64);
  launch.type("Source", index.dtype());
  launch.flag("IGNORED", wanted.ignored.has_value());
  launch.walk(index.shape(), {&index});
  launch.add(out);
  launch.add(index);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(out.size());
  launch.add_value(wanted.low());
  launch.add_value(wanted.size);
  launch.add_value(wanted.ignored.value_or(0));
  add_note(launch, wanted.where, words_of(wanted.kind));
  launch.run_elementwise();
  return out;
}

/// The number as an integer; nothing for one that is not whole.
template <class T>
std::optional<int64_t> whole(T number) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(number);
  } else {
    const auto real = static_cast<double>(number);
    if (std::trunc(real) != real || std::abs(real) >= 0x1p63) return std::nullopt;
    return static_cast<int64_t>(real);
  }
}

/// The first element that does not fit raises; `out` is null where nothing changes.
template <class T>
void check_on_host(const T* given, int64_t* out, int64_t count, const Wanted& wanted) {
  if constexpr (std::is_same_v<T, int64_t>) {
    if (!out && cpu::all_within(given, count, wanted.low(), wanted.size)) return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const std::optional<int64_t> value = whole(given[i]);
    const bool skipped = value && wanted.ignored == value;
    if (!skipped && !(value && *value >= wanted.low() && *value < wanted.size)) {
      const auto real = static_cast<double>(given[i]);
      words_of(wanted.kind)(wanted.where,
                            {0, 0, value.value_or(0), real, i, wanted.size});
    }
    if (out) out[i] = skipped ? 0 : *value;
  }
}

}  // namespace

Array checked_numbers(Numbers kind, const Array& index, int64_t size, const char* where,
                      std::optional<int64_t> ignored) {
  const runtime::OpScope scope("checked_numbers", {&index});
  const Dtype dtype = index.dtype();
  const bool of_places = kind == Numbers::Index || kind == Numbers::Row;
  if (of_places && (is_floating(dtype) || dtype == Dtype::Bool)) {
    const bool of_rows = kind == Numbers::Row;
    refuse_dtype(where, dtype,
                 of_rows ? "integers" : "indices of int64, int32 or uint8");
  }
  const Wanted wanted{kind, size, where, ignored};
  const bool cuda = index.device() == Device::Cuda;
  // Of no cells there is none to read in an unfit one's place.
  if (cuda && size > 0) return check_on_device(index, wanted);
  const Array given = contiguous(to_device(index, Device::Cpu));
  const bool same = dtype == Dtype::Int64 && !ignored;
  const Array out = same ? given : empty(given.shape(), Dtype::Int64, Device::Cpu);
  visit_stored(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    int64_t* to = same ? nullptr : out.data<int64_t>();
    check_on_host(given.data<T>(), to, given.size(), wanted);
  });
  return to_device(out, index.device());
}

void add_label_note(KernelLaunch& launch, const char* where) {
  add_note(launch, where, refuse_plain_label);
}

void require_probabilities(const Array& a, const char* where) {
  const runtime::OpScope scope("require_probabilities", {&a});
  if (a.size() == 0) return;
  if (a.device() == Device::Cuda) {
    KernelLaunch launch("check_range", a.dtype());
    launch.walk(a.shape(), {&a});
    launch.add(a);
    launch.add_shape();
    launch.add_strides(0);
    launch.add_index(a.size());
    launch.add_value(0.0);
    launch.add_value(1.0);
    add_note(launch, where, refuse_probability);
    return launch.run_elementwise();
  }
  const Array given = contiguous(a);
  visit_stored(a.dtype(), [&](auto type) {
    const auto* element = given.data<typename decltype(type)::type>();
    for (int64_t i = 0; i < given.size(); ++i) {
      const auto value = static_cast<double>(element[i]);
      if (value < 0 || value > 1) refuse_probability(where, {});
    }
  });
}

}  // namespace minitorch::ops
