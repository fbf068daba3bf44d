"""Tables of rules: one function per key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")
Rule = TypeVar("Rule", bound=Callable[..., Any])


class Rules(Generic[Key, Rule]):
    """Table of functions that register themselves by a decorator.

    Args:
        description: What has a rule; names the table in errors.

    Example:
        >>> rule = Rules[type, Callable[[int], str]]("number")
        >>> @rule(int, bool)
        ... def shown(value):
        ...     return f"{value:d}"
        >>> rule.of(True)(True)
        '1'
        >>> rule.of(0.5) is None
        True
    """

    def __init__(self, description: str) -> None:
        self._what = description
        self._rules: dict[Key, Rule] = {}

    def __call__(self, *keys: Key) -> Callable[[Rule], Rule]:
        """Add a function as the rule of `keys`.

        Raises:
            ValueError: One of them has a rule.
        """

        def add(rule: Rule) -> Rule:
            for key in keys:
                if key in self._rules:
                    raise ValueError(
                        f"[language] the {self._what} {key!r} already has a rule: "
                        f"{self._rules[key]}."
                    )
                self._rules[key] = rule
            return rule

        return add

    def of(self, node: Any) -> Rule | None:
        """Return the rule for the class of a node, or None."""
        kind: Any = type(node)
        return self._rules.get(kind)

    def get(self, key: Key) -> Rule | None:
        """Return the rule for a key, or None."""
        return self._rules.get(key)

    def keys(self) -> set[Key]:
        """Return every key that has a rule."""
        return set(self._rules)
