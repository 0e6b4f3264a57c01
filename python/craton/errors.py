"""Exceptions of Craton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class CratonError(Exception):
    """Raised when a computation fails, or when its input or device cannot be used. The message says what to do."""


class CratonWarning(UserWarning):
    """A warning about a scenario, a survey or a gravity problem."""


@dataclass(frozen=True)
class Problem:
    """A problem with one key of a scenario, a survey or a gravity problem.

    Attributes:
        path: the key, such as ``source[0].position``.
        message: what is wrong.
        value: the value as written, if known.
        allowed: the allowed values, if known.
        hint: what to do, if known.
        line: line of the TOML text.
    """

    path: str
    message: str
    value: str | None
    allowed: str | None
    hint: str | None
    line: int


class ScenarioError(CratonError, ValueError):
    """A scenario, a survey or a gravity problem is invalid.

    Attributes:
        problems: all problems, in the order of the file.
    """

    def __init__(self, message: str, problems: Sequence[Any] = ()) -> None:
        super().__init__(message, problems)
        self.problems = [problem if isinstance(problem, Problem) else Problem(*problem) for problem in problems]

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def path(self) -> str:
        """The key of the first problem."""
        return self.problems[0].path if self.problems else ""
