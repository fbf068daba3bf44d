// The mapping from opaque handles to objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace minitorch::libcuda {

/// A new handle value, never used before in this process: a stale handle is never taken
/// for another object's. Small values are special streams.
inline std::atomic<uintptr_t> next_handle_value{0x10000};
inline uintptr_t new_handle_value() { return next_handle_value.fetch_add(0x10); }
/// Whether `value` is or was some object's handle.
inline bool was_handle_value(uintptr_t value) {
  return value >= 0x10000 && value < next_handle_value.load() && value % 0x10 == 0;
}

/// Live objects by handle. A looked-up object stays alive while its caller holds it,
/// even when another thread destroys the handle.
template <class Handle, class Object>
class Handles {
 public:
  Handle insert(std::shared_ptr<Object> object) {
    const Handle handle = reinterpret_cast<Handle>(new_handle_value());
    insert_as(handle, std::move(object));
    return handle;
  }
  void insert_as(Handle handle, std::shared_ptr<Object> object) {
    std::lock_guard lock(mutex_);
    objects_[handle] = std::move(object);
  }
  /// nullptr when `handle` names nothing alive.
  std::shared_ptr<Object> find(Handle handle) const {
    std::lock_guard lock(mutex_);
    const auto it = objects_.find(handle);
    return it == objects_.end() ? nullptr : it->second;
  }
  std::shared_ptr<Object> take(Handle handle) {
    std::lock_guard lock(mutex_);
    const auto it = objects_.find(handle);
    if (it == objects_.end()) return nullptr;
    auto object = std::move(it->second);
    objects_.erase(it);
    return object;
  }
  /// The handle of the first object for which `chosen(object)` holds.
  template <class Predicate>
  std::optional<Handle> handle_of(Predicate chosen) const {
    std::lock_guard lock(mutex_);
    for (const auto& [handle, object] : objects_) {
      if (chosen(*object)) return handle;
    }
    return std::nullopt;
  }
  /// Takes out all objects for which `chosen(object)` holds.
  template <class Predicate>
  std::vector<std::shared_ptr<Object>> take_if(Predicate chosen) {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> taken;
    for (auto it = objects_.begin(); it != objects_.end();) {
      if (chosen(*it->second)) {
        taken.push_back(std::move(it->second));
        it = objects_.erase(it);
      } else {
        ++it;
      }
    }
    return taken;
  }
  std::vector<std::shared_ptr<Object>> all() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> objects;
    for (const auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace minitorch::libcuda
