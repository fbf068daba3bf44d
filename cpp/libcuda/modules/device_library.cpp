#include "libcuda/modules/device_library.h"

namespace minitorch::libcuda {

// A cooperative launch gives its kernels the address of a workspace in
// %envreg1:%envreg2 (high, low); the word at offset 4 is the barrier of the grid. Each
// block adds 1 to it, block 0 as much as flips the highest bit once all have come; a
// block waits for that flip. The sum of a round is 2^31, so the barrier is ready for
// the next one.
const char* const kDeviceLibrary = R"(.version 6.4
.target sm_50
.address_size 64

.weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %envreg2;
  mov.u32 %r2, %envreg1;
  mov.b64 %rd1, {%r1, %r2};
  st.param.b64 [handle], %rd1;
  ret;
}

.weak .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle,
                                                   .param .b32 flags)
{
  .reg .pred %p<4>;
  .reg .b32 %r<14>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [handle];
  barrier.sync 0;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %tid.z;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $meet;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  mov.u32 %r6, %nctaid.z;
  mul.lo.u32 %r4, %r4, %r5;
  mul.lo.u32 %r4, %r4, %r6;
  sub.u32 %r4, 0x80000001, %r4;
  mov.u32 %r7, %ctaid.x;
  mov.u32 %r8, %ctaid.y;
  mov.u32 %r9, %ctaid.z;
  or.b32 %r7, %r7, %r8;
  or.b32 %r7, %r7, %r9;
  setp.eq.u32 %p2, %r7, 0;
  selp.b32 %r10, %r4, 1, %p2;
  membar.gl;
  atom.global.add.u32 %r11, [%rd1+4], %r10;
$wait:
  ld.volatile.global.u32 %r12, [%rd1+4];
  xor.b32 %r13, %r12, %r11;
  setp.ge.s32 %p3, %r13, 0;
  @%p3 bra $wait;
  membar.gl;
$meet:
  barrier.sync 0;
  mov.u32 %r13, 0;
  st.param.b32 [status], %r13;
  ret;
}
)";

}  // namespace minitorch::libcuda
