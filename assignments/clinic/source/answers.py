"""Owns your diagnoses: of what kind each patient's fault is, in one word.

    oob_global oob_shared oob_local oob_const misaligned null_pointer use_after_free
    uninit_global uninit_shared uninit_local uninit_register
    race_shared race_global barrier_divergence warp_sync deadlock div_by_zero

`oob` is out of bounds, `uninit` is read before anybody has written it; the end of the
word says whose memory it is. docs/checks.md explains them all. Each of the twelve
patients has another kind.
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
