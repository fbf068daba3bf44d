"""Notes below a table: what its numbers mean, and why some are missing."""

from __future__ import annotations

from .event_building import EventOptions
from .records import Records, takes_device_time

_RUNS = ("kernel", "copy", "fill", "graph")


def notes_of(records: Records, options: EventOptions) -> list[str]:
    """Return the notes below a table of these records.

    Args:
        records: of the recorded cycle.
        options: what of them is shown.
    """
    notes = _device_notes(records, options)
    if records.dropped:
        notes.append(
            f"{records.dropped:,} more records were not kept. Record fewer steps, with "
            "schedule(...)."
        )
    if not records.scopes and not records.works:
        notes.append("No op ran while this was recorded.")
    return notes


def _device_notes(records: Records, options: EventOptions) -> list[str]:
    if not options.device:
        return ["No CUDA times: activities has no ProfilerActivity.CUDA."]
    works = [work for work in records.works if work["kind"] in _RUNS]
    if not works:
        return ["No CUDA times: nothing was launched on device cuda."]
    untimed = sum(1 for work in works if not takes_device_time(work))
    notes = []
    if untimed == len(works):
        notes.append("No CUDA times: the driver reported none for these launches.")
    elif untimed:
        notes.append(f"{untimed:,} of {len(works):,} launches have no CUDA time.")
    if records.emulated:
        notes.append(
            "CUDA times are the emulator's on this computer, not a GPU's; the counts "
            "of profile(counters=True) are exact."
        )
    return notes
