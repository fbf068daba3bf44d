"""The running of a client's cases and what is told of them: a line for each.

Runs in the client's own Python, so it imports nothing of this project. The first line
says how many there are: after a crash those without a line have failed.
"""

import argparse
import traceback

CASES = {}


def case(function):
    """Decorator: the function is a case; it raises when something is wrong."""
    CASES[function.__name__] = function
    return function


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="cases (all)")
    names = parser.parse_args().names or list(CASES)
    print(f"cases {len(names)}", flush=True)
    for name in names:
        try:
            CASES[name]()
        except Exception:
            lines = traceback.format_exc().strip().splitlines()
            print(f"failed {name}: {lines[-1]}", flush=True)
            print("\n".join(f"  {line}" for line in lines[-12:]), flush=True)
        else:
            print(f"passed {name}", flush=True)
