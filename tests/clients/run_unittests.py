"""The running of a client's own unittest modules on the emulator.

Every module runs in a process of its own with a time limit; after a crash or a hang the
tests behind it run in a new one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

CHILD = Path(__file__).with_name("unittest_child.py")
MOST_CRASHES = 20  # of one module
# A fault stays with its process, on a card and here; results that stand for the end of
# the context: 214, 700 to 720.
STICKY = re.compile(r"\[(214|7[01]\d|720)\]|CUDA_ERROR_(LAUNCH_FAILED|ILLEGAL_ADDRESS)")


@dataclass
class Results:
    """Outcome and reason by test: passed, failed, skipped, crashed, hung."""

    outcome: dict[str, str] = field(default_factory=dict)
    reason: dict[str, str] = field(default_factory=dict)

    def count(self):
        return Counter(self.outcome.values())

    def read(self, path):
        """Take over a child's lines; the test it was in, and whether it came to its
        end."""
        running, ended = None, False
        for line in path.read_text().splitlines():
            row = json.loads(line)
            name, outcome = row["test"], row["outcome"]
            if outcome == "end":
                ended = True
            elif outcome == "started":
                running = name
                self.outcome.setdefault(name, "crashed")
            else:
                running = None
                # A test may fail several times: in subtests, in its tearDown.
                if self.outcome.get(name) != "failed":
                    self.outcome[name] = outcome
                    self.reason[name] = row["reason"]
        return running, ended


def start(command, names, results):
    return subprocess.Popen(
        [*command, str(CHILD), str(results), *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run_once(command, name, limit, results, done):
    """Run `name`, a module or a test, but for `done`; whether it came to its end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results")
        path.touch()
        child = start(command, [name], path)
        hung = False
        try:
            _, errors = child.communicate("\n".join(done), timeout=limit)
        except subprocess.TimeoutExpired:
            hung = True
            os.killpg(child.pid, signal.SIGKILL)
            _, errors = child.communicate()
        running, ended = results.read(path)
    if ended:
        return True
    at = running or name
    results.outcome[at] = "hung" if hung else "crashed"
    results.reason[at] = (
        f"longer than {limit:.0f} s"
        if hung
        else f"exit status {child.returncode}: {errors[-1500:]}"
    )
    return running is None


def run_module(command, module, limit, results, left_out):
    """Run all tests of `module` but those left out; crashes and hangs are outcomes."""
    for _ in range(MOST_CRASHES):
        done = {*results.outcome, *left_out}
        if run_once(command, module, limit, results, done):
            break
    # What failed by another test's fault has a second chance in a process of its own.
    for test, reason in list(results.reason.items()):
        if not test.startswith(module + ".") or not STICKY.search(reason):
            continue
        if results.outcome.pop(test) == "failed":
            run_once(command, test, limit, results, set())


def write(results, path):
    """One line of JSON a test."""
    with path.open("w") as file:
        for name, outcome in sorted(results.outcome.items()):
            reason = results.reason.get(name, "")
            row = {"test": name, "outcome": outcome, "reason": reason}
            file.write(json.dumps(row) + "\n")


def run_modules(
    command,
    modules,
    limit,
    left_out,
    output,
):
    """Run the modules one after the other; a line about each goes to stderr.

    Args:
        command: the client's Python as it is started on the emulator.
        modules: importable names.
        limit: seconds for each process.
        left_out: reason by the start of a test's name.
        output: where the results go after each module, if anywhere.
    """
    results = Results()
    for module in modules:
        reason = reason_of(module + ".", left_out)
        if reason:
            results.outcome[module] = "left out"
            results.reason[module] = reason
            continue
        before = results.count()
        names = {name for name in left_out if name.startswith(module + ".")}
        for name in names:
            results.outcome[name] = "left out"
            results.reason[name] = left_out[name]
        run_module(command, module, limit, results, names)
        now = results.count() - before
        print(f"{module}: {dict(now)}", file=sys.stderr, flush=True)
        if output:
            write(results, output)
    return results


def reason_of(test, left_out):
    """Why a test is left out: the entry that its name starts with."""
    for prefix, reason in left_out.items():
        if test.startswith(prefix + "."):
            return reason
    return None
