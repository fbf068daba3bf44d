// The linker functions: PTX in, one PTX text out, ready for cuModuleLoadData.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/modules/image_source.h"
#include "libcuda/modules/jit_options.h"
#include "libcuda/modules/linker.h"

namespace minitorch::libcuda::api {
namespace {

std::shared_ptr<LinkSession> session_of(CUlinkState state) {
  auto session = process().links.find(state);
  require(session != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no linker; need one of cuLinkCreate.");
  return session;
}

/// Runs a step; what it fails with goes to the error logs of the call and the session.
template <class Step>
CUresult logged(LinkSession& session, const JitOptions& own, Step step) {
  try {
    step();
    return CUDA_SUCCESS;
  } catch (const Failure& failure) {
    own.write_error(failure.message);
    session.tell(failure.message);
    throw;
  }
}

void check_type(int type) {
  require(type >= CU_JIT_INPUT_CUBIN && type <= CU_JIT_INPUT_NVVM,
          CUDA_ERROR_INVALID_VALUE, "got input type ", type, "; need 0 to 5.");
}

}  // namespace

CUresult link_create(unsigned int count, CUjit_option* options, void** values,
                     CUlinkState* state) {
  const auto context = current_context();
  required(state, "stateOut") = process().links.insert(std::make_shared<LinkSession>(
      context->device, JitOptions(count, options, values)));
  return CUDA_SUCCESS;
}

CUresult link_add_data(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                       const char* name, unsigned int count, CUjit_option* options,
                       void** values) {
  const auto session = session_of(state);
  const JitOptions own(count, options, values);
  check_type(type);
  const char* const shown = name == nullptr || *name == '\0' ? "<input>" : name;
  return logged(*session, own, [&] {
    session->add(type, shown, &required(static_cast<const char*>(data), "data"), bytes);
  });
}

CUresult link_add_file(CUlinkState state, CUjitInputType type, const char* path,
                       unsigned int count, CUjit_option* options, void** values) {
  const auto session = session_of(state);
  const JitOptions own(count, options, values);
  check_type(type);
  return logged(*session, own, [&] {
    const std::string bytes = file_bytes(&required(path, "path"));
    session->add(type, path, bytes.c_str(), bytes.size());
  });
}

CUresult link_complete(CUlinkState state, void** code, size_t* bytes) {
  const auto session = session_of(state);
  required(code, "cubinOut") = nullptr;
  return logged(*session, {}, [&] {
    const std::string& text = session->complete();
    *code = const_cast<char*>(text.c_str());
    // With the NUL, at which a loader without a size stops.
    if (bytes != nullptr) *bytes = text.size() + 1;
  });
}

CUresult link_destroy(CUlinkState state) {
  require(process().links.take(state) != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no linker; need one of cuLinkCreate.");
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
