"""The question whether a call waits for the device: a kernel that ends only when the
host says so holds the stream meanwhile.
"""

from __future__ import annotations

import threading

import numpy as np

from minitorch import cuda

HOLD = """
__global__ void hold(volatile int* stop, int* rounds) {
  while (*stop == 0) *rounds += 1;
}
"""
PATIENCE = 20.0  # seconds until a call that waits is set free


def returns_while_held(call):
    """Did the call return before the device came to its work? And its result.

    Without a wait the call returns while the kernel still spins. A call that waits
    would do so for ever; it is set free after a while.
    """
    stop = cuda.mapped_array(1, np.int32)
    rounds = cuda.to_device(np.zeros(1, np.int32))
    stop[0] = 0
    kernel = cuda.RawKernel(HOLD, "hold")
    freed = threading.Event()

    def free():
        freed.set()
        stop[0] = 1

    watchdog = threading.Timer(PATIENCE, free)
    kernel(1, 1, (stop, rounds))
    watchdog.start()
    try:
        out = call()
        return not freed.is_set(), out
    finally:
        watchdog.cancel()
        stop[0] = 1
        cuda.synchronize()
