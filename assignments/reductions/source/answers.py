"""Your answers for task 6.1: a block of 256 threads, 8 warps, in 8 rounds.

A warp is busy in a round if at least one of its threads adds.
"""

### BEGIN SOLUTION
### BEGIN STARTER
# # Of sum_divergent: how many warps are busy in round 1, 2, ... 8?
# BUSY_WARPS_OF_THE_TREE = []
#
# # Of sum_divergent: how many of the 32 threads of warp 0 add in each round?
# BUSY_LANES_OF_THE_TREE = []
#
# # Of sum_sequential (task 6.2): how many warps are busy in each round?
# BUSY_WARPS_OF_SEQUENTIAL_ADDRESSES = []
### END STARTER
# Of sum_divergent: how many warps are busy in round 1, 2, ... 8?
BUSY_WARPS_OF_THE_TREE = [8, 8, 8, 8, 8, 4, 2, 1]

# Of sum_divergent: how many of the 32 threads of warp 0 add in each round?
BUSY_LANES_OF_THE_TREE = [16, 8, 4, 2, 1, 1, 1, 1]

# Of sum_sequential (task 6.2): how many warps are busy in each round?
BUSY_WARPS_OF_SEQUENTIAL_ADDRESSES = [4, 2, 1, 1, 1, 1, 1, 1]
### END SOLUTION
