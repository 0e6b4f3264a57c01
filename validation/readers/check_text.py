"""Reads every text trace below a directory with NumPy.

    python check_text.py RESULTS_DIRECTORY

Traces with a header (`*.txt`) must have equidistant times that agree with the header, and finite samples. SPECFEM traces
(`NET.STA.BXC.sem[dvap]`) must have the same without a header, a band letter that agrees with the sampling interval, and
the samples of the trace with a header of the same instrument, if there is one.
"""

import re

import numpy as np
import text_format
from common import expected, files, main, require, require_equal, require_nothing_is_lost

SPECFEM_NAME = re.compile(
    r"(?P<network>[^.]+)\.(?P<station>[^.]+)\.(?P<band>[LMBHCF])X(?P<component>.)\.sem(?P<letter>[dvap])"
)
QUANTITIES = {"d": "displacement", "v": "velocity", "a": "acceleration", "p": "pressure"}
BANDS = [(0.1, "M"), (0.0125, "B"), (0.004, "H"), (0.001, "C")]


def band_letter(dt):
    """The band letter of a sampling interval, by the convention of SPECFEM."""
    if dt >= 1.0:
        return "L"
    return next((letter for above, letter in BANDS if dt > above), "F")


def check_columns(directory, path):
    """Checks equidistant times, finite samples and their expected number; returns the trace."""
    trace = text_format.read(path)
    start = float(trace.header.get("start_time", trace.times[0]))
    even = start + np.arange(len(trace.times)) * trace.dt
    require(np.abs(trace.times - even).max() < 1e-6 * trace.dt + 1e-9 * np.abs(even).max(), path, "times are not equidistant")
    require(np.isfinite(trace.samples).all(), path, "a sample is not finite")
    count = expected(directory, path).get("samples", len(trace.samples))
    require_equal(len(trace.samples), count, path, "number of samples")
    return trace


def instrument(network, station, component, quantity):
    """The key that identifies a trace."""
    return network, station, component[-1:], quantity


def check(directory):
    """Checks every text trace; returns their number."""
    require_nothing_is_lost(directory, {".txt", ".semd", ".semv", ".sema", ".semp"})
    headed = {}
    paths = [path for path in files(directory, "*.txt") if text_format.is_trace(path)]
    for path in paths:
        trace = check_columns(directory, path)
        names = [trace.header.get(key, "") for key in ("network", "station", "component", "quantity")]
        headed[instrument(*names)] = trace
    plain = files(directory, "*.sem[dvap]")
    for path in plain:
        name = SPECFEM_NAME.fullmatch(path.name)
        require(name, path, "is not a name of a SPECFEM trace")
        trace = check_columns(directory, path)
        require_equal(name["band"], band_letter(trace.dt), path, "band letter")
        require_equal(trace.header, {}, path, "header")
        twin = headed.get(instrument(name["network"], name["station"], name["component"], QUANTITIES[name["letter"]]))
        same = twin is None or np.array_equal(trace.samples, twin.samples)
        require(same, path, "samples differ from the trace with a header of the same instrument")
    return len(paths) + len(plain)


if __name__ == "__main__":
    main(check, "text")
