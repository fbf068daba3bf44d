#include "runtime/argument_check.h"

#include <type_traits>

#include "base/text.h"
#include "runtime/kernel_error.h"
#include "runtime/scalar_bytes.h"

namespace minitorch::runtime {
namespace {

using Bytes = std::vector<std::byte>;

// One parameter against its argument; throws with both named.
class Fit {
 public:
  Fit(const std::string& kernel, const ParameterInfo& parameter, size_t index)
      : kernel_(kernel), parameter_(parameter), index_(index) {}

  Bytes operator()(const NullPointer&) const {
    if (!may_be_pointer())
      refuse("got None", "need a value: only a pointer may be null");
    return pointer_bytes(0);
  }

  Bytes operator()(const ArrayArgument& array) const {
    const std::string got =
        base::text("got an array of ",
                   array.element.kind == 'V' ? "records" : element_name(array.element));
    if (!may_be_pointer()) refuse(got, "need one value, not an array");
    const ElementType wanted = parameter_.element;
    const bool any = parameter_.kind != ParameterKind::Pointer || wanted.kind == 'V' ||
                     array.element.kind == 'V';
    if (!any && !(wanted == array.element))
      refuse(got, base::text("need ", element_name(wanted),
                             ". Convert the array, or change the parameter's type"));
    return pointer_bytes(array.pointer);
  }

  Bytes operator()(const ScalarArgument& scalar) const {
    const std::string got = base::text("got a NumPy ", element_name(scalar.element));
    switch (parameter_.kind) {
      case ParameterKind::Pointer:
        refuse(got, "need a device array or None");
      case ParameterKind::Scalar:
        if (!(scalar.element == parameter_.element))
          refuse(got, base::text("need ", element_name(parameter_.element),
                                 " or a plain Python number"));
        return scalar.bytes;
      default:
        if (parameter_.size != 0 && scalar.bytes.size() != parameter_.size)
          refuse(base::text(got, " of ", scalar.bytes.size(), " bytes"),
                 base::text("need ", parameter_.size, " bytes"));
        return scalar.bytes;
    }
  }

  Bytes operator()(int64_t value) const { return number(plain_number(value)); }
  Bytes operator()(uint64_t value) const { return number(plain_number(value)); }
  Bytes operator()(double value) const { return number(plain_number(value)); }
  Bytes operator()(bool value) const { return number(plain_number(value)); }

 private:
  bool may_be_pointer() const {
    return parameter_.kind == ParameterKind::Pointer ||
           (parameter_.kind == ParameterKind::Unknown &&
            parameter_.element.kind != 'f' &&
            (parameter_.size == 8 || parameter_.size == 0));
  }

  Bytes pointer_bytes(CUdeviceptr pointer) const {
    const auto* raw = reinterpret_cast<const std::byte*>(&pointer);
    return Bytes(raw, raw + sizeof pointer);
  }

  Bytes number(const PlainNumber& value) const {
    const std::string got = base::text("got ", number_text(value));
    if (parameter_.kind == ParameterKind::Pointer)
      refuse(got, "need a device array or None");
    if (parameter_.kind == ParameterKind::Struct)
      refuse(got, base::text("need a NumPy record of ", parameter_.size, " bytes"));
    Bytes bytes;
    const std::string reason = parameter_.kind == ParameterKind::Scalar
                                   ? encode(value, parameter_.element, &bytes)
                                   : encode_by_size(value, &bytes);
    if (!reason.empty()) refuse(got, base::text("it ", reason));
    return bytes;
  }

  // Only the size is known: an integer may be signed or not; a real takes a float of
  // that size.
  std::string encode_by_size(const PlainNumber& value, Bytes* bytes) const {
    const uint32_t size = static_cast<uint32_t>(parameter_.size);
    if (size != 1 && size != 2 && size != 4 && size != 8)
      return base::text("cannot fill ", size,
                        " bytes; pass a NumPy value of that size");
    if (value.kind == PlainNumber::Real) {
      if (parameter_.element.kind == 'u') return "is not an integer";
      if (size == 1) return "cannot fill 1 byte";
      return encode(value, {'f', size}, bytes);
    }
    return encode(value, {value.negative ? 'i' : 'u', size}, bytes);
  }

  [[noreturn]] void refuse(const std::string& got, const std::string& need) const {
    std::string what = base::text("argument ", index_ + 1);
    if (!parameter_.name.empty()) what += base::text(" '", parameter_.name, "'");
    const std::string type =
        !parameter_.type.empty()
            ? parameter_.type
            : base::text("a parameter of ", parameter_.size, " bytes");
    throw LaunchError(kernel_,
                      base::text(got, " for ", what, " (", type, "); ", need, "."),
                      "arg_mismatch");
  }

  const std::string& kernel_;
  const ParameterInfo& parameter_;
  size_t index_;
};

std::string parameter_list(std::span<const ParameterInfo> parameters) {
  std::string text;
  for (const ParameterInfo& parameter : parameters) {
    text += text.empty() ? "" : ", ";
    text +=
        parameter.type.empty() ? base::text(parameter.size, " bytes") : parameter.type;
    if (!parameter.name.empty()) text += " " + parameter.name;
  }
  return base::text("(", text, ")");
}

}  // namespace

Arguments pack_arguments(const std::string& kernel,
                         std::span<const ParameterInfo> parameters,
                         std::span<const Argument> arguments) {
  if (parameters.size() != arguments.size())
    throw LaunchError(
        kernel,
        base::text("got ", arguments.size(), " arguments; need ", parameters.size(),
                   ": ", parameter_list(parameters), "."),
        "arg_mismatch");
  Arguments packed;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Bytes bytes = std::visit(Fit(kernel, parameters[i], i), arguments[i]);
    packed.add_bytes(bytes.data(), bytes.size());
    if (std::holds_alternative<ArrayArgument>(arguments[i]))
      packed.mark_array(parameters[i].name.c_str());
  }
  return packed;
}

}  // namespace minitorch::runtime
