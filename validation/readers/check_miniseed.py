"""Reads every miniSEED file below a directory with ObsPy.

    python check_miniseed.py RESULTS_DIRECTORY

ObsPy must read all records without a warning, and join them to the traces that `expected.json` lists. Every record must
start at the microsecond of its first sample. If there is a SAC file of the same name (`NAME.mseed`, `NAME.sac`),
start and samples must agree with it.
"""

import warnings

import numpy as np
import obspy
from common import expected, files, main, require, require_equal, require_nothing_is_lost
from obspy.io.mseed.util import get_record_information
from obspy.io.sac import SACTrace


ENCODINGS = {"FLOAT32", "FLOAT64", "INT32"}


def check_records(path, intervals, traces):
    """Checks that records are numbered in their order, and that each starts at the microsecond of its first sample."""
    content = path.read_bytes()
    found = {trace.id: 0 for trace in traces}
    starts = {trace.id: trace.stats.starttime.ns for trace in traces}
    offset = number = 0
    while offset < len(content):
        number += 1
        place = f"{path}, record {number}"
        record = get_record_information(str(path), offset=offset)
        require_equal(content[offset : offset + 8].decode(), f"{number:06}D ", place, "begin")
        name = ".".join(record[key] for key in ("network", "station", "location", "channel"))
        late = record["starttime"].ns - starts[name] - 1e9 * found[name] * intervals[name]
        # Times are rounded to microseconds, including that of the first record.
        require(abs(late) <= 1001.0, place, f"starts {late} ns late")
        found[name] += record["npts"]
        offset += record["record_length"]
    require_equal(found, {trace.id: trace.stats.npts for trace in traces}, path, "samples in the records")


def check_traces(directory, path):
    """Checks that ObsPy joins the records to the written traces; returns the traces."""
    with warnings.catch_warnings(action="error"):
        traces = obspy.read(str(path), format="MSEED", details=True)
    wanted = expected(directory, path).get("traces")
    intervals = {trace.id: trace.stats.delta for trace in traces}
    if wanted is not None:
        require_equal([trace.id for trace in traces], [name for name, *_ in wanted], path, "traces")
        intervals = {name: interval for name, interval, *_ in wanted}
    for index, trace in enumerate(traces):
        about, stats = f"{path}, {trace.id}", trace.stats.mseed
        require(np.isfinite(trace.data).all(), about, "a sample is not finite")
        require(stats.encoding in ENCODINGS, about, f"encoding = {stats.encoding}")
        require_equal((stats.byteorder, stats.dataquality), (">", "D"), about, "byte order and quality")
        # An interval that is not a ratio of small integers is stored in single precision.
        error = trace.stats.delta / intervals[trace.id] - 1.0
        require(abs(error) < 6e-8, about, f"interval = {trace.stats.delta}, with a relative error of {error}")
        if wanted is not None:
            found = [trace.stats.npts, stats.encoding, stats.record_length]
            require_equal(found, wanted[index][2:], about, "samples, encoding, record length")
    check_records(path, intervals, traces)
    return traces


def check_twin(path, traces):
    """Checks the trace against the SAC file of the same name."""
    twin = SACTrace.read(str(path.with_suffix(".sac")))
    (trace,) = traces
    require_equal((trace.stats.network, trace.stats.station), (twin.knetwk, twin.kstnm), path, "network and station")
    require(abs(trace.stats.delta - twin.delta) < 1e-6 * twin.delta, path, f"interval = {trace.stats.delta}")
    if twin.nzyear is not None:
        # SAC stores milliseconds, and an offset in single precision.
        late = trace.stats.starttime - twin.reftime - twin.b
        require(abs(late) < 1e-3 + 1e-6 * abs(twin.b), path, f"starts {late} s later than the SAC trace")
    require(np.array_equal(trace.data.astype(np.float32), twin.data), path, "samples differ from the SAC trace")


def check(directory):
    """Checks every miniSEED file; returns their number."""
    require_nothing_is_lost(directory, {".mseed"})
    paths = files(directory, "*.mseed")
    for path in paths:
        traces = check_traces(directory, path)
        if path.with_suffix(".sac").exists():
            check_twin(path, traces)
    return len(paths)


if __name__ == "__main__":
    main(check, "miniseed")
