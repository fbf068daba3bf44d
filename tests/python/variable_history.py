"""Running a kernel that was built for debuggers, and what a variable became."""

from __future__ import annotations

from minitorch import cuda


def traced(kernel, grid, block, *arguments, **options):
    with cuda.inspect(trace=True, debug=True, **options) as run:
        kernel[grid, block](*arguments)
    return run.launches[0]


def history(launch, name, warp=0, block=0):
    """Values that a variable took, one list for each row: only the lanes written."""
    changes = launch.trace.variables(block)
    return [
        changes.typed(row)[changes.written[row]].tolist()
        for row in range(len(changes))
        if changes.names[changes.name[row]] == name and changes.warp[row] == warp
    ]


COLLATZ = """__global__ void collatz(const int* start, int* out, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = start[i];
  unsigned short steps = 0;
  while (n != 1 && steps < most) {
    int half = n / 2;
    n = n % 2 == 0 ? half : 3 * n + 1;
    steps += 1;
  }
  double result = steps + 0.5;
  out[i] = result;
}"""
