"""The table of a folder's cases: `python -m tests.cases [FOLDER ...]`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from .case import DATA, read_cases
from .judge import Verdict, compile_case, next_launch_is_right, run_case


@contextmanager
def _silent_kernels():
    """Throw away what kernels print: they write to the process's own output."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _run(cases):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        modules = list(pool.map(compile_case, cases))
    results = []
    for case, module in zip(cases, modules, strict=True):
        started = time.perf_counter()
        with _silent_kernels():
            verdict = run_case(case, module)
        seconds = time.perf_counter() - started
        if not next_launch_is_right():
            verdict = Verdict(False, "the next launch went wrong")
        results.append((case, verdict))
        if not verdict.passed:
            print(f"FAIL {case.tier} {case.name}: {verdict.why}", flush=True)
        if seconds > 2:
            print(f"SLOW {case.name}: {seconds:.1f} s", flush=True)
    return results


def _share(yes, all_):
    return f"{yes}/{all_}" + (f" ({100 * yes / all_:.1f} %)" if all_ else "")


def _print_shares(results):
    for tier in sorted({case.tier for case, _ in results}):
        of_tier = [(case, each) for case, each in results if case.tier == tier]
        right = [each for case, each in of_tier if case.expect == "ok"]
        wrong = [each for case, each in of_tier if case.expect != "ok"]
        passed = sum(each.passed for _, each in of_tier)
        print(
            f"{tier:9} passed {_share(passed, len(of_tier))}; right kernels "
            f"{_share(sum(each.passed for each in right), len(right))}; wrong: kind "
            f"{_share(sum(each.kind_found for each in wrong), len(wrong))}, line "
            f"{_share(sum(each.line_found for each in wrong), len(wrong))}"
        )


def _print_kinds(results):
    missed = Counter(case.expect for case, each in results if not each.passed)
    for kind, count in sorted(missed.items()):
        print(f"  missed {kind}: {count}")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    folders = parser.parse_args().folders or sorted(DATA.glob("*/"))
    started = time.perf_counter()
    results = _run([case for folder in folders for case in read_cases(folder)])
    _print_shares(results)
    _print_kinds(results)
    print(f"{len(results)} cases in {time.perf_counter() - started:.1f} s")
    return 0 if all(verdict.passed for _, verdict in results) else 1


raise SystemExit(main())
