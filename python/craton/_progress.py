"""Progress on the terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def reporter(progress: bool | Callable[[str, int, int], None]) -> Callable[[str, int, int], None] | None:
    """The callback of a computation: that of the caller, a line of text, or none."""
    if callable(progress):
        return progress
    return Line() if progress else None


class Line:
    """A line of text with the share of completed work and the time left."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._first: int | None = None

    def __call__(self, piece: str, done: int, total: int) -> None:
        if self._first is None:
            self._begun, self._first = time.monotonic(), done
        elapsed = time.monotonic() - self._begun
        completed = done - self._first
        left = f", {elapsed / completed * (total - done):.0f} s left" if completed > 0 and done < total else ""
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r{piece} {done} of {total} ({100 * done / max(total, 1):.0f} %){left}   {end}")
        sys.stderr.flush()
