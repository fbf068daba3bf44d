// User objects: something of the client's that is destroyed when the last reference to
// it goes.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "cuda_abi/work_types.h"

namespace minitorch::libcuda {

class UserObject {
 public:
  UserObject(void* object, CUhostFn destroy, unsigned int references)
      : object_(object), destroy_(destroy), references_(references) {}

  bool alive();
  void retain(unsigned int count);
  /// False when there are not so many references. The last one destroys the object.
  bool release(unsigned int count);

 private:
  void* const object_;
  const CUhostFn destroy_;
  std::mutex mutex_;
  uint64_t references_;
};

std::shared_ptr<UserObject> user_object_of(CUuserObject handle);
CUuserObject add_user_object(std::shared_ptr<UserObject> object);

/// References that a graph, a copy of it or a running launch holds.
class UserObjectReferences {
 public:
  UserObjectReferences() = default;
  UserObjectReferences(const UserObjectReferences& other);
  UserObjectReferences& operator=(const UserObjectReferences& other);
  ~UserObjectReferences();

  /// Takes over `count` references that the caller had.
  void adopt(const std::shared_ptr<UserObject>& object, unsigned int count);
  /// False when it holds fewer.
  bool release(const std::shared_ptr<UserObject>& object, unsigned int count);

 private:
  std::map<std::shared_ptr<UserObject>, unsigned int> held_;
};

}  // namespace minitorch::libcuda
