# answers.py fails 6.1-warps, 6.1-lanes, 6.1-sequential: failed
"""Answers that take threads for warps, as if a warp could shrink."""

BUSY_WARPS_OF_THE_TREE = [4, 2, 1, 1, 1, 1, 1, 1]  # wrong: of sequential addresses
BUSY_LANES_OF_THE_TREE = [32, 16, 8, 4, 2, 1, 0, 0]  # wrong: a round behind
BUSY_WARPS_OF_SEQUENTIAL_ADDRESSES = [128, 64, 32, 16, 8, 4, 2, 1]  # wrong: threads
