/* A small C program on NVIDIA's cuda.h: adds two vectors by the PTX of a file, and
 * makes the mistakes that a program has to survive. Usage: vector_add KERNEL.ptx */
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, BLOCK = 128 };

static void check(CUresult result, CUresult wanted, const char *what) {
  const char *got = "?", *need = "?";
  if (result == wanted) return;
  cuGetErrorName(result, &got);
  cuGetErrorName(wanted, &need);
  fprintf(stderr, "%s: got %s, need %s\n", what, got, need);
  exit(1);
}
#define OK(call) check(call, CUDA_SUCCESS, #call)
#define FAILS(call, result) check(call, result, #call)

static char *text_of(const char *path) {
  static char text[1 << 20];
  FILE *file = fopen(path, "rb");
  if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  fclose(file);
  return text;
}

int main(int count, char **words) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUdeviceptr a, b, out;
  static float host_a[N], host_b[N], host_out[N];
  int n = N, i;
  char log[400] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};

  if (count != 2) return 2;
  FAILS(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
  OK(cuInit(0));
  FAILS(cuDeviceGet(&device, 99), CUDA_ERROR_INVALID_DEVICE);
  OK(cuDeviceGet(&device, 0));
  FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxCreate(&context, NULL, 0, device)); /* cuCtxCreate_v4 of CUDA 13 */

  FAILS(cuModuleLoadDataEx(&module, "int main() {}", 2, options, values),
        CUDA_ERROR_INVALID_PTX);
  if (log[0] == '\0') return 3;
  FAILS(cuModuleLoad(&module, "no-such-file"), CUDA_ERROR_FILE_NOT_FOUND);
  OK(cuModuleLoadData(&module, text_of(words[1])));
  FAILS(cuModuleGetFunction(&add, module, "subtract"), CUDA_ERROR_NOT_FOUND);
  OK(cuModuleGetFunction(&add, module, "vector_add"));

  for (i = 0; i < N; ++i) {
    host_a[i] = (float)i;
    host_b[i] = 0.5f * (float)i;
  }
  FAILS(cuMemAlloc(&a, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAlloc(&a, sizeof host_a));
  OK(cuMemAlloc(&b, sizeof host_b));
  OK(cuMemAlloc(&out, sizeof host_out));
  OK(cuMemcpyHtoD(a, host_a, sizeof host_a));
  OK(cuMemcpyHtoD(b, host_b, sizeof host_b));

  void *parameters[] = {&out, &a, &b, &n};
  FAILS(cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, NULL, parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
  OK(cuLaunchKernel(add, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL,
                    parameters, NULL));
  OK(cuMemcpyDtoH(host_out, out, sizeof host_out));
  for (i = 0; i < N; ++i)
    if (fabsf(host_out[i] - 1.5f * (float)i) > 0) return 4;

  /* One element too many for the output: the context is lost, the process is not. */
  n = N + 1000;
  OK(cuLaunchKernel(add, 16, 1, 1, BLOCK, 1, 1, 0, NULL, parameters, NULL));
  FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  FAILS(cuMemAlloc(&b, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  OK(cuCtxDestroy(context));
  OK(cuCtxCreate(&context, NULL, 0, device));
  OK(cuMemAlloc(&b, 16));
  OK(cuMemFree(b));
  OK(cuCtxDestroy(context));
  printf("C: all results are right\n");
  return 0;
}
