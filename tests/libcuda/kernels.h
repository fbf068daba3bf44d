// The PTX texts that the driver tests load.
#pragma once

namespace libcuda {

/// vector_add(out, a, b, n) and add_one(data, n) are guarded, unguarded(data) is not;
/// one thread an element. count(out, n) counts to n. bounded, exact, shared_user and
/// layout have limits or parameters worth asking about. tickets(counter, out) writes
/// its block's number where a counter says.
inline constexpr const char* kKernels = R"(
.version 6.4
.target sm_75
.address_size 64

.global .align 4 .u32 counter[4] = {1, 2, 3, 4};
.const .align 8 .b8 table[16];

.visible .entry vector_add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd5, %rd2, %rd4;
  add.s64 %rd6, %rd3, %rd4;
  add.s64 %rd7, %rd1, %rd4;
  ld.global.f32 %f1, [%rd5];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
DONE:
  ret;
}

.visible .entry unguarded(.param .u64 data)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
}

.visible .entry add_one(.param .u64 data, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  add.u32 %r7, %r6, 1;
  st.global.u32 [%rd3], %r7;
DONE:
  ret;
}

.visible .entry count(.param .u64 out, .param .u64 n)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [n];
  mov.u64 %rd3, 0;
LOOP:
  add.u64 %rd3, %rd3, 1;
  setp.lt.u64 %p1, %rd3, %rd2;
  @%p1 bra LOOP;
  st.global.u64 [%rd1], %rd3;
  ret;
}

.visible .entry bounded(.param .u64 data)
.maxntid 64, 1, 1
{
  ret;
}

.visible .entry exact(.param .u64 data)
.reqntid 32, 2, 1
{
  ret;
}

.extern .shared .align 16 .b8 dynamic[];

.visible .entry shared_user(.param .u64 out)
{
  .shared .align 4 .b8 fixed[1024];
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, 7;
  st.shared.u32 [fixed], %r1;
  st.shared.u32 [dynamic], %r1;
  ld.shared.u32 %r2, [dynamic];
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r2;
  ret;
}

.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);

.global .align 1 .b8 greeting[10] = {104, 101, 108, 108, 111, 32, 37, 100, 10, 0};

.visible .entry hello()
{
  .local .align 8 .b8 values[8];
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  mov.u64 %rd1, values;
  cvta.local.u64 %rd2, %rd1;
  mov.u32 %r1, 7;
  st.local.u32 [%rd1], %r1;
  mov.u64 %rd3, greeting;
  cvta.global.u64 %rd3, %rd3;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd3;
  .param .b64 param1;
  st.param.b64 [param1+0], %rd2;
  .param .b32 retval0;
  call.uni (retval0), vprintf, (param0, param1);
  ld.param.b32 %r2, [retval0+0];
  }
  ret;
}

.visible .entry tickets(.param .u64 counter, .param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [counter];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x;
  atom.global.add.u32 %r2, [%rd1], 1;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r1;
  ret;
}

.visible .entry layout(.param .f32 a, .param .u64 b, .param .u8 c,
                       .param .align 16 .b8 d[24])
{
  ret;
}
)";

}  // namespace libcuda
