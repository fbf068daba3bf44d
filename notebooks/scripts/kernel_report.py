"""What the scripts print about a run: time, and the kernels of device cuda."""

from __future__ import annotations

import time
from pathlib import Path

from minitorch import cuda


class Clock:
    """Seconds since it was made, and the kernels launched since."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.start = time.perf_counter()
        if device == "cuda":
            cuda.time_launches()

    def seconds(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.start

    def print_kernels(self) -> None:
        """A line for each kernel, the slowest first."""
        if self.device != "cuda":
            print(f"time {self.seconds():.1f} s on cpu; no kernels")
            return
        rows = cuda.launch_table()
        print(f"time {self.seconds():.1f} s on {cuda.device_name()}; kernels:")
        total: dict[str, tuple[int, float]] = {}
        for row in rows:
            launches, seconds = total.get(row.kernel, (0, 0.0))
            total[row.kernel] = (launches + row.launches, seconds + row.seconds)
        files = {row.kernel: Path(row.file).name for row in rows}
        for name, (launches, seconds) in sorted(
            total.items(), key=lambda item: -item[1][1]
        ):
            line = f"  {name:<22} {files[name]:<24} {launches:>7} launches"
            print(f"{line} {seconds * 1e3:>10.1f} ms")
