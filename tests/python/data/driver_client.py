"""Owns a program of the driver API, by ctypes, that ends in the way its argument says.

Prints the name of the library it found and what its kernel wrote. Knows nothing of
minitorch.
"""

import ctypes
import os
import subprocess
import sys
import time

PTX = b"""
.version 6.4
.target sm_75
.address_size 64
.file 1 "/course/numbers.cu"
.visible .entry number(.param .u64 out, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r2, [count];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, %r2;
  @%p1 ret;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  .loc 1 7 5
  st.global.u32 [%rd3], %r1;
  ret;
}
.visible .entry barrier()
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra $after;
  bar.warp.sync 0xffffffff;
$after:
  bar.sync 0;
  ret;
}
"""


class Driver:
    """The driver library, a context and the kernel."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context, self.module = ctypes.c_void_p(), ctypes.c_void_p()
        self.kernel = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(self.module), PTX)
        self.call(
            "cuModuleGetFunction", ctypes.byref(self.kernel), self.module, b"number"
        )

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            sys.exit(f"{name} returned {status}")

    def run_barrier(self):
        """Half a warp waits for the other half, which is elsewhere."""
        kernel = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(kernel), self.module, b"barrier")
        shape = (1, 1, 1, 32, 1, 1, 0)
        self.call("cuLaunchKernel", kernel, *shape, None, None, None)
        self.call("cuCtxSynchronize")

    def run_beside(self):
        """Copy what a kernel writes in a stream that the copy does not wait for."""
        stream, out = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)  # CU_STREAM_NON_BLOCKING
        self.call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(16))
        size = ctypes.c_uint32(4)
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(size))
        shape = (1, 1, 1, 4, 1, 1, 0)
        self.call("cuLaunchKernel", self.kernel, *shape, stream, pointers, None)
        host = (ctypes.c_uint32 * 4)()
        self.call("cuMemcpyDtoH_v2", host, out, ctypes.c_size_t(16))
        self.call("cuCtxSynchronize")

    def run(self, count, block=4):
        """Write 0, 1, ... into 4 numbers, by `block` threads of which `count` write."""
        out, size = ctypes.c_uint64(), ctypes.c_uint32(count)
        self.call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(16))
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(size))
        shape = (1, 1, 1, block, 1, 1, 0)
        self.call("cuLaunchKernel", self.kernel, *shape, None, pointers, None)
        host = (ctypes.c_uint32 * 4)()
        self.call("cuMemcpyDtoH_v2", host, out, ctypes.c_size_t(16))
        return list(host)


def main(mode, *rest):
    if mode == "nothing":
        return 0
    if mode == "children":  # two processes: one by exec, one by fork and exec
        subprocess.run([sys.executable, __file__, "right"], check=True)
        os.execv(sys.executable, [sys.executable, __file__, "right"])
    driver = Driver()
    if mode == "tables":
        table = ctypes.c_void_p()
        for _ in range(2):
            driver.library.cuGetExportTable(ctypes.byref(table), b"0123456789abcdef")
        if not rest:
            return 0
        rest = ()
    if mode == "absent":  # one that answers, one that is not there
        driver.library.cuTexObjectDestroy(ctypes.c_uint64(1))
        driver.library.cuTexObjectDestroy(ctypes.c_uint64(1))
        found = ctypes.c_void_p()
        address = ctypes.byref(found)
        flags = ctypes.c_uint64()
        driver.library.cuGetProcAddress(b"cuSecret", address, 13000, flags)
        return 0
    if mode == "barrier":  # half a block's threads: the others have gone on
        driver.run_barrier()
    if mode == "beside":
        driver.run_beside()
    if mode == "wrong":
        driver.run(5, block=8)
    print(driver.run(4), flush=True)
    if mode == "crash":
        os.abort()
    if mode == "wait":
        time.sleep(60)
    return int(rest[0]) if rest else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
