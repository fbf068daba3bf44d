"""The grading of assignments: judge, report, what teachers and classes use.

Its processes: the judge (trusted, never imports a submission), the author (untrusted,
confined, imports it) and the runner (our code, confined, runs a submission's PTX on the
emulator).
"""
