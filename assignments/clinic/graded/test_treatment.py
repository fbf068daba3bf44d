"""What is judged of the clinic without running it: few lines, and the kinds."""

from __future__ import annotations

import pytest
from changed_lines import changed, lines_of_cuda, lines_of_kernel

MOST = 4  # lines; no patient needs more than 2
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
KERNELS = {
    "5.1": "brighten",
    "5.2": "reverse_parts",
    "5.3": "histogram",
    "5.4": "part_sums",
    "5.5": "running_sums",
    "5.6": "smooth",
    "5.7": "medians",
    "5.8": "group_means",
}
FILES = {
    "5.9": "patients/spread.cu",
    "5.10": "patients/row_lengths.cu",
    "5.11": "patients/warp_peaks.cu",
    "5.12": "patients/keep_positive.cu",
}


def _cases(values, ending):
    return [
        pytest.param(
            *(patient, value),
            marks=[
                pytest.mark.task(patient + ending),
                *([pytest.mark.requires(patient)] if ending == "-few" else []),
            ],
        )
        for patient, value in values.items()
    ]


def _judge(submission, count):
    if count > MOST:
        submission.partial(
            0,
            f"You changed {count} lines of this kernel; {MOST} are enough to mend it.",
        )


@pytest.mark.parametrize(("patient", "name"), _cases(KERNELS, "-few"))
def test_few_lines_of_python(submission, patient, name):
    given = lines_of_kernel(submission.given("clinic.py"), name)
    mended = lines_of_kernel(submission.text("clinic.py"), name)
    _judge(submission, changed(given, mended))


@pytest.mark.parametrize(("patient", "file"), _cases(FILES, "-few"))
def test_few_lines_of_cuda(submission, patient, file):
    given = lines_of_cuda(submission.given(file))
    _judge(submission, changed(given, lines_of_cuda(submission.text(file))))


@pytest.mark.parametrize(("patient", "kind"), _cases(KINDS, "-kind"))
def test_kind(submission, patient, kind):
    kinds = submission.answers("answers.py").get("KINDS")
    word = kinds.get(patient) if isinstance(kinds, dict) else None
    if word == kind:
        return
    if not isinstance(word, str) or not word:
        submission.partial(0, f"answers.py has no word for patient {patient} yet.")
    elif word not in KINDS.values():
        submission.partial(
            0, "This kind is not the fault's. Is it spelt as in the list?"
        )
    else:
        submission.partial(0, "This kind is another patient's: read the finding again.")
