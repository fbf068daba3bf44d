"""Write a report as JUnit XML, which CI systems display.

Facts: the form that Jenkins, GitLab and GitHub's actions read, as collected at
https://github.com/testmoapp/junitxml (testsuites, testsuite, testcase; failure, error,
skipped; counts as attributes; times in seconds).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from ..advice import OUTCOMES
from ..words import row_says, students_rows

# What XML 1.0 cannot hold.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ERRORS = frozenset({"crash", "timeout", "memory", "blocked", "error"})


def document(report: Mapping[str, Any]) -> str:
    """Write a report as JUnit XML: a suite, a case for each row.

    Args:
        report: of `minitorch.grade/1`.

    Returns:
        A document. Rows that lost points are a failure, or an error where the code did
        not come to a result; rows that nobody judged are skipped.

    Example:
        >>> document(report).splitlines()[0]  # doctest: +SKIP
        "<?xml version='1.0' encoding='utf-8'?>"
    """
    suite = ElementTree.Element("testsuite", name=_clean(report["assignment"]))
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for row in students_rows(report):
        counts["tests"] += 1
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_clean(f"{report['assignment']}.{row['task']}"),
            name=_clean(row["title"]),
            time=f"{row['seconds']:.3f}",
        )
        tag = _tag(row["outcome"])
        if tag:
            counts[{"failure": "failures", "error": "errors"}.get(tag, tag)] += 1
            _explain(ElementTree.SubElement(case, tag), row)
    for name, count in counts.items():
        suite.set(name, str(count))
    suite.set("time", f"{report['seconds']:.3f}")
    suites = ElementTree.Element("testsuites", dict(suite.attrib))
    suites.append(suite)
    ElementTree.indent(suites)
    text: str = ElementTree.tostring(suites, "unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n"


def _tag(outcome: str) -> str:
    if outcome in _ERRORS:
        return "error"
    if OUTCOMES[outcome].lost:
        return "failure"
    return "" if outcome == "passed" else "skipped"


def _explain(element: ElementTree.Element, row: Mapping[str, Any]) -> None:
    messages = row_says(row)
    element.set("message", _clean(messages[0]))
    if element.tag != "skipped":
        element.set("type", row["outcome"])
        element.text = _clean("\n".join(messages))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", str(text))
