"""Two-column traces, read with NumPy alone."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class TextTrace:
    """A trace with its header keys (all text), times [s] and samples."""

    header: dict
    times: np.ndarray
    samples: np.ndarray

    @property
    def dt(self):
        """Sampling interval [s]: from the header, else from the first and last time."""
        if "dt" in self.header:
            return float(self.header["dt"])
        return (self.times[-1] - self.times[0]) / (len(self.times) - 1)


def read(path):
    """Reads a two-column file; `# key: value` lines become the header."""
    header = {}
    for line in Path(path).read_text().splitlines():
        if not line.startswith("#"):
            break
        key, _, value = line[1:].partition(":")
        header[key.strip()] = value.strip()
    times, samples = np.loadtxt(path, unpack=True, ndmin=2)
    return TextTrace(header, times, samples)


def is_trace(path):
    """Whether a text file states the start time and the sampling interval of a trace; other tables have no such lines."""
    comments = [line for line in Path(path).read_text().splitlines() if line.startswith("#")]
    return all(any(line.startswith(f"# {key}:") for line in comments) for key in ("start_time", "dt"))
