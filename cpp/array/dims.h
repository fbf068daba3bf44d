// A short list of sizes without heap memory in the common case; knows no layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace minitorch::array {

/// A list of int64 values: five in place, more on the heap. A tensor owns two of them,
/// so an allocation for each would dominate small operations.
class Dims {
 public:
  Dims() = default;
  Dims(size_t count, int64_t value) {
    resize(count);
    for (int64_t& v : *this) v = value;
  }
  Dims(std::initializer_list<int64_t> values) { assign(values.begin(), values.size()); }
  explicit Dims(std::span<const int64_t> values) {
    assign(values.data(), values.size());
  }
  Dims(const Dims& other) { assign(other.data(), other.size_); }
  Dims& operator=(const Dims& other) {
    if (this != &other) assign(other.data(), other.size_);
    return *this;
  }
  Dims(Dims&& other) noexcept = default;
  Dims& operator=(Dims&& other) noexcept = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t back() const { return data()[size_ - 1]; }
  operator std::span<const int64_t>() const { return {data(), size_}; }

  void push_back(int64_t value) {
    Dims grown;
    grown.resize(size_ + 1);
    for (size_t i = 0; i < size_; ++i) grown[i] = (*this)[i];
    grown[size_] = value;
    *this = std::move(grown);
  }

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kInline = 5;

  void resize(size_t count) {
    heap_ = count > kInline ? std::make_unique<int64_t[]>(count) : nullptr;
    size_ = count;
  }
  void assign(const int64_t* values, size_t count) {
    resize(count);
    for (size_t i = 0; i < count; ++i) data()[i] = values[i];
  }

  int64_t inline_[kInline] = {};
  std::unique_ptr<int64_t[]> heap_;
  size_t size_ = 0;
};

}  // namespace minitorch::array
