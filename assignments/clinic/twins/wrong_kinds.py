# answers.py fails 5.1-kind, 5.2-kind, 5.3-kind, 5.4-kind, 5.5-kind, 5.6-kind, 5.7-kind, 5.8-kind, 5.9-kind, 5.10-kind, 5.11-kind, 5.12-kind: failed
"""Diagnoses of somebody who has looked at other patients."""

KINDS = {
    "5.1": "oob_shared",  # wrong: the picture is in global memory
    "5.2": "race_global",  # wrong: the cells are the block's own
    "5.3": "race_shared",  # wrong: the counts are for all blocks
    "5.4": "uninit_register",  # wrong: cells of shared memory
    "5.5": "deadlock",  # wrong: nobody waits for a value
    "5.6": "oob_global",  # wrong: the cells are the block's own
    "5.7": "oob_shared",  # wrong: the cells are the thread's own
    "5.8": "",  # wrong: there is no word
    "5.9": "missaligned",  # wrong: spelt otherwise
    "5.10": "uninit_shared",  # wrong: a variable of the thread
    "5.11": "barrier_divergence",  # wrong: there is no barrier
    "5.12": 12,  # wrong: no word
}
