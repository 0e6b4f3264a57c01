"""Progress on the terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

#: A function of the name of a piece of work, the completed number and the total.
Report = Callable[[str, int, int], None]


def reporter(progress: bool | Report) -> Report | None:
    """The callback of a computation: the caller's function, a text line, or None."""
    if callable(progress):
        return progress
    return Line() if progress else None


class Line:
    """A line of text with the percentage completed and the remaining time."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._first: int | None = None
        self._last = ("", 0, 0)

    def __call__(self, piece: str, done: int, total: int) -> None:
        if self._first is None:
            self._begun, self._first = time.monotonic(), done
        elapsed = time.monotonic() - self._begun
        completed = done - self._first
        left = f", {elapsed / completed * (total - done):.0f} s left" if completed > 0 and done < total else ""
        self._last = (piece, done, total)
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r{piece} {done} of {total} ({100 * done / max(total, 1):.0f} %){left}   {end}")
        sys.stderr.flush()

    def finish(self) -> None:
        """Shows that all work is complete."""
        piece, done, total = self._last
        if done < total:
            self(piece, total, total)


def finish(report: Report | None) -> None:
    """Ends the display of progress after a complete computation."""
    if isinstance(report, Line):
        report.finish()
