"""Prints how many recorded sentences of PyTorch a module answers as PyTorch does.

    python tests/python/agreement.py [TOPIC ...] [--module minitorch.torch] [--counts]

A topic is the beginning of its name, as in torch_one_liners.json: `reductions`. Below
the counts stand the sentences that differ, each with the difference; `--counts` leaves
them out. `--sentence "x.sum()"` shows what the module makes of one, recorded or not.
`--shrink` takes what agrees by now out of data/torch_differing.txt, and adds nothing.
Owns the table alone: how sentences are run and compared is one_liners.py's.
"""

from __future__ import annotations

import argparse
import importlib
import sys

from one_liners import DIFFERING, differing, disagreement, recorded, run

WIDTH = 200  # characters of a difference that are shown


def _wanted(topics, beginnings):
    if not beginnings:
        return topics
    found = {t: r for t, r in topics.items() if t.startswith(tuple(beginnings))}
    if not found:
        sys.exit(f"no topic begins so; there are: {', '.join(topics)}")
    return found


def _print_table(module, topics):
    """Prints a row a topic; the sentences that differ, as a text."""
    told, right, count = [], 0, 0
    for topic, rows in topics.items():
        problems = [(row["code"], disagreement(module, row)) for row in rows]
        wrong = [(code, problem) for code, problem in problems if problem]
        print(f"{topic:28}{len(rows) - len(wrong):5} of {len(rows)}")
        told += [f"\n## {topic}"] * bool(wrong)
        told += [f"{code}\n    {problem:.{WIDTH}}" for code, problem in wrong]
        right, count = right + len(rows) - len(wrong), count + len(rows)
    print(f"{'all':28}{right:5} of {count}: {100 * right / count:.1f} %")
    return "\n".join(told)


def _shrink(module, known):
    """Leaves in the list only what still differs."""
    reasons = differing()
    rows = {row["code"]: row for rows in known.values() for row in rows}
    kept = [
        f"{code}\n    {reason}"
        for code, reason in reasons.items()
        if code in rows and disagreement(module, rows[code])
    ]
    head = DIFFERING.read_text().partition("\n\n")[0]
    DIFFERING.write_text("\n".join([head, "", *kept, ""]))
    print(f"{len(reasons) - len(kept)} of {len(reasons)} agree by now")


def main():
    """The table, and what differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("topics", nargs="*")
    parser.add_argument("--module", default="minitorch.torch")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--sentence")
    parser.add_argument("--shrink", action="store_true")
    asked = parser.parse_args()
    module, known = importlib.import_module(asked.module), recorded()
    if asked.sentence:
        print(run(module, asked.sentence))
        return
    if asked.shrink:
        _shrink(module, known)
        return
    told = _print_table(module, _wanted(known, asked.topics))
    if not asked.counts:
        print(told)


if __name__ == "__main__":
    main()
