# project/run_manual.py fails 0.5-diag: failed
NUMBERS = {
    "Simple": (-50.0, 0.0, 25.0),
    "Diag": (-50.0, -50.0, 0.0),  # wrong: x1 + x2 = 0 touches no point
}
