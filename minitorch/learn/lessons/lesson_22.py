"""The exercises of lesson 22: a program in CUDA C++."""

from __future__ import annotations

from .question import Question

BYTES_TO_THE_DEVICE = Question(
    "22.1",
    8000,
    "Which arrays are copied with cudaMemcpyHostToDevice, and how many bytes has each?",
    {4000: "That is one array. The kernel reads two.",
     12000: "total is not copied to the device: the kernel writes all of it.",
     2000: "That is how many numbers. A float has 4 bytes.",
     8192: "Threads beyond the last number have nothing to read."},
)  # fmt: skip

FIRST_THREAD_OUTSIDE = Question(
    "22.2",
    232,
    "Block 3 begins with number 3 · 256. Which of its threads would take number 1000?",
    {231: "That thread takes number 999, the last one.",
     1000: "That is a number in the arrays. Count the thread within its block."},
)  # fmt: skip
