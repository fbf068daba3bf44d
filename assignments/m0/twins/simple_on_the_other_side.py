# project/run_manual.py fails 0.5-simple: failed
NUMBERS = {
    "Simple": (50.0, 0.0, -25.0),  # wrong: 1 is on the left
    "Diag": (-50.0, -50.0, 25.0),
}
