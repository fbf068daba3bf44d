// Owns the counting of references to user objects, and their functions.
#include "libcuda/graphs/user_objects.h"

#include "libcuda/exports/exports.h"
#include "libcuda/graphs/graph.h"

namespace minitorch::libcuda {
namespace {

constexpr unsigned int kMostReferences = 0x7fffffff;

Handles<CUuserObject, UserObject>& user_objects() {
  static auto* const all = new Handles<CUuserObject, UserObject>;
  return *all;
}

void check_count(unsigned int count) {
  require(count > 0 && count <= kMostReferences, CUDA_ERROR_INVALID_VALUE, "got ",
          count, " references; need 1 to ", kMostReferences, ".");
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

namespace api {

CUresult user_object_create(CUuserObject* handle, void* object, CUhostFn destroy,
                            unsigned int references, unsigned int flags) {
  required(handle, "object_out");
  require(destroy != nullptr, CUDA_ERROR_INVALID_VALUE, "got no destructor; need one.");
  require(flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, CUDA_ERROR_INVALID_VALUE,
          "got flags ", flags, "; need CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.");
  check_count(references);
  *handle = add_user_object(std::make_shared<UserObject>(object, destroy, references));
  return CUDA_SUCCESS;
}

CUresult user_object_retain(CUuserObject handle, unsigned int count) {
  check_count(count);
  user_object_of(handle)->retain(count);
  return CUDA_SUCCESS;
}

CUresult user_object_release(CUuserObject handle, unsigned int count) {
  check_count(count);
  require(user_object_of(handle)->release(count), CUDA_ERROR_INVALID_VALUE, "got ",
          count, " references to release; need at most those that there are.");
  return CUDA_SUCCESS;
}

CUresult graph_retain_user_object(CUgraph handle, CUuserObject wanted,
                                  unsigned int count, unsigned int flags) {
  check_count(count);
  require(flags <= CU_GRAPH_USER_OBJECT_MOVE, CUDA_ERROR_INVALID_VALUE, "got flags ",
          flags, "; need 0 or CU_GRAPH_USER_OBJECT_MOVE.");
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(handle);
  const auto object = user_object_of(wanted);
  if (flags != CU_GRAPH_USER_OBJECT_MOVE) object->retain(count);
  graph->objects.adopt(object, count);
  return CUDA_SUCCESS;
}

CUresult graph_release_user_object(CUgraph handle, CUuserObject wanted,
                                   unsigned int count) {
  check_count(count);
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(handle);
  require(graph->objects.release(user_object_of(wanted), count),
          CUDA_ERROR_INVALID_VALUE, "got ", count,
          " references to release; need at most those of the graph.");
  return CUDA_SUCCESS;
}

}  // namespace api
}  // namespace minitorch::libcuda
