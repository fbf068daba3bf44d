"""The running of one unittest module with a line of JSON for each test.

Runs in the client's own Python, so it imports nothing of this project. Usage:
unittest_child.py RESULTS MODULE-OR-TEST, with names of tests to leave out, one a line,
on stdin.
"""

import json
import sys
import unittest


class Recorder(unittest.TestResult):
    """Writes each test as it starts and as it ends: the last line survives a crash."""

    def __init__(self, path):
        super().__init__()
        self.file = open(path, "a", buffering=1)  # noqa: SIM115 - until the end

    def tell(self, test, outcome, reason=""):
        line = {"test": test.id(), "outcome": outcome, "reason": reason[-4000:]}
        self.file.write(json.dumps(line) + "\n")

    def startTest(self, test):
        super().startTest(test)
        self.tell(test, "started")

    def addSuccess(self, test):
        self.tell(test, "passed")

    def addError(self, test, error):
        if error[0].__name__ == "Skipped":  # pytest's way, unknown to unittest
            return self.addSkip(test, str(error[1]))
        self.tell(test, "failed", self._exc_info_to_string(error, test))

    def addFailure(self, test, error):
        self.tell(test, "failed", self._exc_info_to_string(error, test))

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.tell(test, "failed", self._exc_info_to_string(error, test))

    def addSkip(self, test, reason):
        self.tell(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        self.tell(test, "passed")

    def addUnexpectedSuccess(self, test):
        self.tell(test, "failed", "passes, but is marked as an expected failure")


def tests_of(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def main(results, module):
    done = set(sys.stdin.read().split("\n"))
    recorder = Recorder(results)
    loaded = unittest.defaultTestLoader.loadTestsFromName(module)
    chosen = [test for test in tests_of(loaded) if test.id() not in done]
    unittest.TestSuite(chosen).run(recorder)
    recorder.file.write(json.dumps({"test": module, "outcome": "end"}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
