// The functions about the driver itself: start, version, errors, finding entries.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/inspect/report_file.h"

namespace minitorch::libcuda::api {
namespace {

// The newest NVRTC whose PTX was run here: 13.5 writes `.version 9.5`. Programs compare
// it with their compiler's version before they load anything.
constexpr int kDriverVersion = 13050;

struct ResultRow {
  CUresult result;
  const char* name;
  const char* text;
};

const ResultRow* find_result(CUresult result) {
  static constexpr ResultRow kRows[] = {
#define CU_RESULT(name, value, text) {name, #name, text},
#include "cuda_abi/results.inc"
#undef CU_RESULT
  };
  for (const ResultRow& row : kRows) {
    if (row.result == result) return &row;
  }
  return nullptr;
}

/// The newest row of `base` that `version` knows; `per_thread` rows where there are
/// any.
const Export* find_export(std::string_view base, int version, bool per_thread,
                          bool* known) {
  const Export* best = nullptr;
  for (const Export& row : exports()) {
    if (base != row.base) continue;
    *known = true;
    if (row.since > version || (row.per_thread && !per_thread)) continue;
    const bool better = best == nullptr || row.since > best->since ||
                        (row.since == best->since && row.per_thread);
    if (better) best = &row;
  }
  return best;
}

}  // namespace

CUresult init(unsigned int flags) {
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  return initialise();
}

CUresult driver_get_version(int* version) {
  required(version, "driverVersion") = kDriverVersion;
  return CUDA_SUCCESS;
}

CUresult get_error_name(CUresult result, const char** name) {
  required(name, "pStr") = nullptr;
  const ResultRow* row = find_result(result);
  if (row == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = row->name;
  return CUDA_SUCCESS;
}

CUresult get_error_string(CUresult result, const char** text) {
  required(text, "pStr") = nullptr;
  const ResultRow* row = find_result(result);
  if (row == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = row->text;
  return CUDA_SUCCESS;
}

CUresult get_proc_address_v2(const char* symbol, void** function, int version,
                             unsigned long long flags,
                             CUdriverProcAddressQueryResult* status) {
  required(function, "pfn") = nullptr;
  bool known = false;
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const Export* row =
      find_export(&required(symbol, "symbol"), version, per_thread, &known);
  if (row != nullptr) *function = row->function;
  if (!known && *symbol != '\0') report_absent(symbol);
  if (status != nullptr) {
    *status = row != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : known        ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;  // the status tells
  }
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult get_proc_address(const char* symbol, void** function, int version,
                          unsigned long long flags) {
  return get_proc_address_v2(symbol, function, version, flags, nullptr);
}

CUresult get_export_table(const void** table, const CUuuid* id) {
  // NVRTC asks for this one and does without it; the CUDA runtime asks for others.
  constexpr unsigned char kOfNvrtc[] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                        0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};
  if (id != nullptr && std::memcmp(id->bytes, kOfNvrtc, sizeof kOfNvrtc) != 0)
    report_absent("cuGetExportTable");
  required(table, "ppExportTable") = nullptr;
  fail(CUDA_ERROR_NOT_FOUND,
       "private tables of libcuda are not here; need a driver-API program (programs on "
       "the CUDA runtime library cannot run on the emulator).");
}

}  // namespace minitorch::libcuda::api
