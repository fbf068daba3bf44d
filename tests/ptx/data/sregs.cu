extern "C" __global__ void k(unsigned* words, long long* times) {
  unsigned sm, lane, warp, sms, below;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0,%%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0,%%warpid;" : "=r"(warp));
  asm volatile("mov.u32 %0,%%nsmid;" : "=r"(sms));
  asm volatile("mov.u32 %0,%%lanemask_lt;" : "=r"(below));
  long long start = clock64();
  words[threadIdx.x] = sm + lane + warp + sms + below + clock();
  __nanosleep(10);
  long long now;
  asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(now));
  times[threadIdx.x] = now - start + clock64();
}
