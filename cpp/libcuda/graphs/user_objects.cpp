#include "libcuda/graphs/user_objects.h"

#include "libcuda/contexts/process.h"

namespace minitorch::libcuda {
namespace {

Handles<CUuserObject, UserObject>& user_objects() {
  static auto* const all = new Handles<CUuserObject, UserObject>;
  return *all;
}

}  // namespace

bool UserObject::alive() {
  std::lock_guard lock(mutex_);
  return references_ > 0;
}

void UserObject::retain(unsigned int count) {
  std::lock_guard lock(mutex_);
  references_ += count;
}

bool UserObject::release(unsigned int count) {
  {
    std::lock_guard lock(mutex_);
    if (count > references_) return false;
    references_ -= count;
    if (references_ > 0) return true;
  }
  const InCallback here;
  destroy_(object_);
  return true;
}

std::shared_ptr<UserObject> user_object_of(CUuserObject handle) {
  auto object = user_objects().find(handle);
  require(object != nullptr && object->alive(), CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no live user object.");
  return object;
}

CUuserObject add_user_object(std::shared_ptr<UserObject> object) {
  return user_objects().insert(std::move(object));
}

UserObjectReferences::UserObjectReferences(const UserObjectReferences& other)
    : held_(other.held_) {
  for (const auto& [object, count] : held_) object->retain(count);
}

UserObjectReferences& UserObjectReferences::operator=(
    const UserObjectReferences& other) {
  UserObjectReferences copy(other);
  held_.swap(copy.held_);
  return *this;
}

UserObjectReferences::~UserObjectReferences() {
  for (const auto& [object, count] : held_) object->release(count);
}

void UserObjectReferences::adopt(const std::shared_ptr<UserObject>& object,
                                 unsigned int count) {
  held_[object] += count;
}

bool UserObjectReferences::release(const std::shared_ptr<UserObject>& object,
                                   unsigned int count) {
  const auto found = held_.find(object);
  if (found == held_.end() || found->second < count) return false;
  found->second -= count;
  if (found->second == 0) held_.erase(found);
  return object->release(count);
}

}  // namespace minitorch::libcuda
