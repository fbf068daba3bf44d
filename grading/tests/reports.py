"""Sample reports of `minitorch.grade/1` for tests of what people read of them."""

from __future__ import annotations

import copy
from typing import Any

RACE = {
    "kind": "race_global",
    "severity": "error",
    "file": "minitorch/cuda_ops.py",
    "line": 184,
    "block": [0, 0, 0],
    "thread": [0, 0, 0],
    "values": [],
    "text": "[_zip] race on out[0]: thread (0,0,0) of block (0,0,0) writes it at "
    "cuda_ops.py:184 (out[o]); thread (15,0,0) of block (0,0,0) writes it at "
    "cuda_ops.py:184 (out[o]); nothing orders the two.",
    "race": {
        "element": "out[0]",
        "access": "write",
        "other_access": "write",
        "remedy": "BlockBarrier",
        "other": {
            "file": "minitorch/cuda_ops.py",
            "line": 184,
            "block": [0, 0, 0],
            "thread": [15, 0, 0],
            "values": [],
        },
    },
}


def row(name: str, outcome: str = "passed", **fields: Any) -> dict[str, Any]:
    """A row with all its fields; a stage after the last dot is one of its title."""
    stage = name.rpartition(".")[2]
    staged = stage in ("values", "clean", "cost")
    title = f"zip on the GPU: {stage}" if staged else f"what {name} asks"
    made = {
        "id": name,
        "task": name.partition("-")[0],
        "title": title,
        "points": 0,
        "max_points": 1,
        "hidden": False,
        "visibility": "visible",
        "message": "",
        "advised": False,
        "staff_message": "",
        "outcome": outcome,
        "findings": [],
        "metrics": {},
        "pictures": [],
        "seconds": 0.25,
    }
    made.update(copy.deepcopy(fields))
    if outcome == "passed" and "points" not in fields:
        made["points"] = made["max_points"]
    return made


def report(*rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A report of these rows with all its fields."""
    made = {
        "schema": "minitorch.grade/1",
        "assignment": "m3",
        "submission": {"sha256": "a81f" + 60 * "0", "files": ["minitorch/cuda_ops.py"]},
        "grader": {
            "version": "0.1.0",
            "bundle_sha256": 64 * "b",
            "nvrtc": "13.0",
            "python": "3.11.2",
        },
        "isolation": "confined",
        "gradable": True,
        "final": True,
        "message": "",
        "format_errors": [],
        "score": sum(each["points"] for each in rows),
        "max_score": sum(each["max_points"] for each in rows),
        "seconds": 3.5,
        "package_file": None,
        "rows": list(rows),
        "leaderboard": [],
    }
    made.update(fields)
    return made


def zip_report(**fields: Any) -> dict[str, Any]:
    """The report of the mock-up: values right, a race, cost not judged; hidden rows."""
    picture = {
        "label": "Threads 0 and 15 write out[0].",
        "file": "pictures/race.svg",
    }
    cost = {"global_sectors": [236, 70, 64], "ptx_warp_instructions": [232, 125, 100]}
    hidden = {**RACE, "block": None, "thread": None, "text": "", "race": None}
    return report(
        row("3.3-zip.values", max_points=2, message="values on 6 inputs"),
        row("3.3-zip.clean", "reported", findings=[RACE], pictures=[picture]),
        row("3.3-zip.cost", "not_yet", metrics=cost),
        row("3.3-secret", "reported", hidden=True, findings=[hidden], max_points=2),
        row("3.3-staff", "failed", hidden=True, max_points=0, message="A CANARY"),
        **fields,
    )
