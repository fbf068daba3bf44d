// What `minitorch check` hears from the runtime: rows of a file of their own in the
// folder MINITORCH_REPORT, beside the emulator's. A row's count is kept up to date, so
// that no end of the process can lose it; a row with count 0 says nothing.
#pragma once

#include <cstddef>

namespace minitorch::cudart {

/// A function that is not offered was called; says so on stderr, once for each.
void report_absent(const char* symbol);

/// A call failed, and the driver may have said why. Returns the row, to be given to
/// report_asked; -1 without a report.
long report_failure(const char* symbol, int result, bool of_driver);
/// The program asked for the error of that row.
void report_asked(long row);

/// Memory was allocated, and will not be freed unless the program frees it.
void report_allocated(const void* pointer, size_t bytes, const char* symbol);
void report_freed(const void* pointer);
void report_all_freed();

/// A copy whose kind contradicts its pointers.
void report_direction(const char* symbol, int kind, const char* problem);

/// The mangled name of the kernel that this thread is launching, for report_failure.
void set_launched_kernel(const char* name);

}  // namespace minitorch::cudart
