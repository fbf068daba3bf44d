// The functions of user objects.
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/graph.h"

namespace minitorch::libcuda {
namespace {

constexpr unsigned int kMaxReferences = 0x7fffffff;

void check_count(unsigned int count) {
  require(count > 0 && count <= kMaxReferences, CUDA_ERROR_INVALID_VALUE, "got ", count,
          " references; need 1 to ", kMaxReferences, ".");
}

}  // namespace

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
