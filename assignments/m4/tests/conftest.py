"""The markers of the tasks, `-m task3_3`, and which warnings are for later."""

from __future__ import annotations

import pytest

TASKS = ["task4_1", "task4_2", "task4_3", "task4_4", "task4_4b", "task4_5"]


def pytest_configure(config: pytest.Config) -> None:
    for task in TASKS:
        config.addinivalue_line("markers", f"{task}: tests of task {task[4:]}")
    # Shapes and strides go to the GPU with each launch, and few threads are enough for
    # small tensors: both are fine here.
    config.addinivalue_line("filterwarnings", r"ignore:\[launch\] got")
    config.addinivalue_line("filterwarnings", "ignore:Grid size")
    config.addinivalue_line("filterwarnings", "ignore:Host array")
