// The tests of what may be passed for which parameter.
#include "runtime/argument_check.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/kernel_error.h"

namespace minitorch::runtime {
namespace {

const Signature kSignature = parse_signature(
    "extern \"C\" __global__ void k(float* out, const int* index, int n, float x, "
    "bool flag) {}",
    "k");

const ArrayArgument kFloats{0x1000, {'f', 4}, nullptr};
const ArrayArgument kInts{0x2000, {'i', 4}, nullptr};

std::vector<Argument> good() { return {kFloats, kInts, int64_t{5}, 0.5, true}; }

std::string refusal(std::vector<Argument> arguments) {
  try {
    pack_arguments("k", kSignature.parameters, arguments);
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.kind, "arg_mismatch");
    return error.what();
  }
  return "accepted";
}

std::string refusal_of(size_t index, Argument argument) {
  std::vector<Argument> arguments = good();
  arguments[index] = std::move(argument);
  return refusal(std::move(arguments));
}

ScalarArgument numpy(ElementType type) {
  return {type, std::vector<std::byte>(type.size)};
}

template <class T>
T argument(const Arguments& arguments, size_t index) {
  const PackedArguments packed = arguments.packed();
  T value{};
  std::memcpy(&value, packed.bytes.data() + packed.offsets[index], sizeof value);
  return value;
}

TEST(Arguments, ArePackedInTheParametersTypes) {
  const Arguments packed = pack_arguments("k", kSignature.parameters, good());
  ASSERT_EQ(packed.packed().offsets.size(), 5u);
  EXPECT_EQ(argument<CUdeviceptr>(packed, 0), 0x1000u);
  EXPECT_EQ(argument<int32_t>(packed, 2), 5);
  EXPECT_EQ(argument<float>(packed, 3), 0.5f);
  EXPECT_EQ(argument<uint8_t>(packed, 4), 1);
}

TEST(Arguments, NameTheArraysAmongThem) {
  const Arguments packed = pack_arguments("k", kSignature.parameters, good());
  const auto arrays = packed.packed().arrays;
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[1].offset, packed.packed().offsets[1]);
  EXPECT_STREQ(arrays[1].parameter, "index");
}

TEST(Arguments, MayBeNullPointersAndMatchingScalars) {
  EXPECT_EQ(refusal_of(0, NullPointer{}), "accepted");
  EXPECT_EQ(refusal_of(2, numpy({'i', 4})), "accepted");
  EXPECT_EQ(refusal_of(2, 7.0), "accepted");
}

TEST(Arguments, AreCounted) {
  EXPECT_EQ(
      refusal({kFloats}),
      "[k] got 1 arguments; need 5: (float* out, const int* index, int n, float x, "
      "bool flag).");
}

TEST(Arguments, AreRefusedByNameWithWhatCameAndWhatIsNeeded) {
  EXPECT_EQ(refusal_of(0, kInts),
            "[k] got an array of int32 for argument 1 'out' (float*); need float32. "
            "Convert the array, or change the parameter's type.");
  EXPECT_EQ(
      refusal_of(0, int64_t{3}),
      "[k] got int 3 for argument 1 'out' (float*); need a device array or None.");
  EXPECT_EQ(
      refusal_of(2, kInts),
      "[k] got an array of int32 for argument 3 'n' (int); need one value, not an "
      "array.");
  EXPECT_EQ(
      refusal_of(2, int64_t{1} << 40),
      "[k] got int 1099511627776 for argument 3 'n' (int); it is outside the range "
      "of int32.");
  EXPECT_EQ(
      refusal_of(2, numpy({'i', 8})),
      "[k] got a NumPy int64 for argument 3 'n' (int); need int32 or a plain Python "
      "number.");
  EXPECT_NE(refusal_of(2, 0.5), "accepted");
  EXPECT_NE(refusal_of(2, NullPointer{}), "accepted");
  EXPECT_NE(refusal_of(4, 1.0), "accepted");
}

TEST(Arguments, OfUnknownTypeAreCheckedBySize) {
  ParameterInfo eight, four, record;
  eight.size = 8;
  eight.element = {'u', 8};
  four.size = 4;
  four.element = {'u', 4};
  record.size = 12;
  record.kind = ParameterKind::Struct;
  const std::vector<ParameterInfo> parameters = {eight, four, record};
  const std::vector<Argument> arguments = {kFloats, int64_t{-1}, numpy({'V', 12})};
  const Arguments packed = pack_arguments("k", parameters, arguments);
  EXPECT_EQ(argument<int32_t>(packed, 1), -1);
  const auto refused = [&](size_t index, Argument argument) {
    std::vector<Argument> changed = arguments;
    changed[index] = std::move(argument);
    EXPECT_THROW(pack_arguments("k", parameters, changed), LaunchError) << index;
  };
  refused(1, kFloats);
  refused(1, 0.5);
  refused(1, int64_t{1} << 40);
  refused(1, numpy({'i', 8}));
  refused(2, numpy({'V', 8}));
  refused(2, int64_t{1});
}

}  // namespace
}  // namespace minitorch::runtime
