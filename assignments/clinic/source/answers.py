"""Your diagnoses: of what kind each patient's fault is, in one word.

    oob_global oob_shared oob_local oob_const      an index outside an array
    uninit_global uninit_shared uninit_local       read before anybody has written it
    uninit_register                                the same of a plain variable
    race_shared race_global                        two threads in one cell, in any order
    barrier_divergence   some threads of a block do not come to a barrier
    warp_sync            some lanes of a warp do not come to a warp's operation
    deadlock             threads wait for what nobody will do
    misaligned           the address is no multiple of the size of what is read there
    null_pointer use_after_free div_by_zero        what they say

The end of a word says whose memory it is: `global` is an array of the launch, `shared`
is one of the block, `local` one of the thread, `const` one that nobody may write. Each
of the twelve patients has another kind.
"""

### BEGIN SOLUTION
### BEGIN STARTER
# KINDS = {
#     "5.1": "",
#     "5.2": "",
#     "5.3": "",
#     "5.4": "",
#     "5.5": "",
#     "5.6": "",
#     "5.7": "",
#     "5.8": "",
#     "5.9": "",
#     "5.10": "",
#     "5.11": "",
#     "5.12": "",
# }
### END STARTER
KINDS = {
    "5.1": "oob_global",
    "5.2": "race_shared",
    "5.3": "race_global",
    "5.4": "uninit_shared",
    "5.5": "barrier_divergence",
    "5.6": "oob_shared",
    "5.7": "oob_local",
    "5.8": "div_by_zero",
    "5.9": "misaligned",
    "5.10": "uninit_register",
    "5.11": "warp_sync",
    "5.12": "deadlock",
}
### END SOLUTION
