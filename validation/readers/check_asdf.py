"""Reads every ASDF file, `*.h5` but not `fibre_*.h5`, below a directory with pyasdf and h5py.

    python check_asdf.py RESULTS_DIRECTORY

pyasdf must read all traces, stations and events without a warning. Either all stations have metadata or, if the receivers
have no longitude and latitude, none has. Every dataset must have the type of the definition of ASDF, and the name and the
attributes that pyasdf gives to the same trace. If there is a miniSEED file of the trace, `NET.STA.COMPONENT.TAG.mseed`,
start, sampling rate and samples must agree with it. A copy of the file must accept another trace.
"""

import contextlib
import io
import re
import shutil
import tempfile
import warnings
from pathlib import Path

import h5py
import numpy as np
import obspy
import pyasdf
from common import expected, files, main, require, require_equal, require_nothing_is_lost

# pyasdf converts the start to double precision, which has a resolution of 0.1 to 0.3 microseconds in recent years.
START_TOLERANCE_NS = 1000

# Files with more traces are not copied trace by trace.
MOST_COPIED = 100


def check_layout(path):
    """Checks attributes, groups and types; returns attributes by name of each trace."""
    found = {}
    with h5py.File(path, "r") as file:
        header = {name: file.attrs[name].decode() for name in file.attrs}
        require_equal(header, {"file_format": "ASDF", "file_format_version": "1.0.3"}, path, "attributes")
        groups = set(file) - {"QuakeML"}
        require_equal(groups, {"AuxiliaryData", "Provenance", "Waveforms"}, path, "groups")
        documents = [file["QuakeML"]] if "QuakeML" in file else []
        for name, station in file["Waveforms"].items():
            require(re.fullmatch(r"[A-Z0-9]{1,2}\.[A-Z0-9]{1,5}", name), path, f"station {name!r}")
            documents += [station["StationXML"]] if "StationXML" in station else []
            for trace in set(station) - {"StationXML"}:
                dataset = station[trace]
                require(dataset.dtype in ("<f4", "<f8") and dataset.ndim == 1, path, f"{trace} has {dataset.dtype}")
                attributes = dict(dataset.attrs)
                types = {name: attributes[name].dtype for name in ("starttime", "sampling_rate")}
                require_equal(types, {"starttime": "<i8", "sampling_rate": "<f8"}, path, f"types of {trace}")
                require(np.isfinite(dataset[:]).all(), path, f"{trace} has a sample that is not finite")
                found[trace] = attributes
        for document in documents:
            require(document.dtype == "i1" and document.ndim == 1, path, f"{document.name} has {document.dtype}")
    return found


def check_validation(path, data):
    """Checks that all stations have traces, and all or none metadata; returns the number with metadata."""
    stations = len(data.waveforms)
    described = sum("StationXML" in station for station in data.waveforms)
    require(described in (0, stations), path, f"{described} of {stations} stations have a StationXML document")
    report = io.StringIO()
    with contextlib.redirect_stdout(report):
        data.validate()
    good = re.search(r"(\d+) good station", report.getvalue())
    require(good and int(good[1]) == described, path, f"validation reports {report.getvalue()!r}")
    return described


def check_trace(path, trace, attributes, inventory):
    """Checks that a trace has the start and the rate of its attributes, and that its station has coordinates."""
    late = trace.stats.starttime.ns - int(attributes["starttime"])
    require(abs(late) <= START_TOLERANCE_NS, path, f"{trace.id} starts {late} ns late")
    require_equal(trace.stats.sampling_rate, attributes["sampling_rate"], path, f"sampling rate of {trace.id}")
    if inventory is None:
        return
    codes = dict(zip(("network", "station", "location", "channel"), trace.id.split(".")))
    found = inventory.select(**codes) or inventory.select(network=codes["network"], station=codes["station"])
    require(len(found) == 1 and len(found[0]) == 1, path, f"StationXML of {trace.id} has {len(found)} networks")
    require(abs(found[0][0].latitude) <= 90.0, path, f"latitude of {trace.id}: {found[0][0].latitude}")


def twin_of(path, trace, tag):
    """The miniSEED file of a trace, next to the file or in the folder of seismograms; None if it does not exist."""
    network, station, _, channel = trace.id.split(".")
    name = f"{network}.{station}.{channel[-1]}.{tag}.mseed"
    places = (path.parent / name, path.parent / "seismograms" / name)
    return next((place for place in places if place.exists()), None)


def check_twin(path, trace, twin):
    """Checks a trace against its miniSEED file, which has microseconds and an approximate rate."""
    (other,) = obspy.read(str(twin), format="MSEED")
    require_equal((trace.id, trace.data.dtype), (other.id, other.data.dtype), twin, "channel and type")
    late = trace.stats.starttime.ns - other.stats.starttime.ns
    require(abs(late) <= START_TOLERANCE_NS + 500, path, f"{trace.id} starts {late} ns later than in {twin}")
    error = trace.stats.delta / other.stats.delta - 1.0
    require(abs(error) < 6e-8, path, f"the interval of {trace.id} has a relative error of {error}")
    require(np.array_equal(trace.data, other.data), path, f"samples of {trace.id} differ from {twin}")


def check_copy(path, traces, layout):
    """Checks that pyasdf gives the same names, types and attributes to the traces."""
    with tempfile.TemporaryDirectory() as folder:
        name = str(Path(folder) / "copy.h5")
        with pyasdf.ASDFDataSet(name, compression=None, mode="w") as copy:
            for tag, trace in traces:
                events = getattr(trace.stats.asdf, "event_ids", None)
                copy.add_waveforms(trace, tag=tag, event_id=events)
        again = {}
        with h5py.File(name, "r") as file:
            for station in file["Waveforms"].values():
                again.update({trace: dict(station[trace].attrs) for trace in station})
    require_equal(set(layout), set(again), path, "names of the traces, against those of pyasdf")
    for trace, attributes in layout.items():
        wanted = again[trace]
        require_equal(set(attributes), set(wanted), path, f"attributes of {trace}")
        late = int(attributes["starttime"]) - int(wanted["starttime"])
        require(abs(late) <= START_TOLERANCE_NS, path, f"{trace} starts {late} ns late")
        for name in set(wanted) - {"starttime"}:
            require_equal(attributes[name], wanted[name], path, f"{name} of {trace}")


def check_extension(path):
    """Checks that pyasdf can add a trace to a copy of the file, and reads all traces then."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "extended.h5"
        shutil.copyfile(path, copy)
        header = {"network": "ZZ", "station": "NEW", "channel": "BHZ", "starttime": obspy.UTCDateTime(2000, 1, 1)}
        with pyasdf.ASDFDataSet(str(copy), mode="a", compression=None) as data:
            before = data.waveforms.list()
            data.add_waveforms(obspy.Trace(np.arange(10.0), header), tag="new")
        with pyasdf.ASDFDataSet(str(copy), mode="r") as data:
            require_equal(data.waveforms.list(), sorted([*before, "ZZ.NEW"]), path, "stations after adding one")
            require(np.array_equal(data.waveforms["ZZ.NEW"].new[0].data, np.arange(10.0)), path, "cannot be extended")
            require(len(data.waveforms[before[0]].list()) > 1, path, "lost a trace when it was extended")


def check_ramps(path, traces, step):
    """Checks the samples of generated traces: trace `n` in alphabetical order has `n`, `n + step`, ..."""
    for number, (_, trace) in enumerate(traces):
        wanted = number + step * np.arange(trace.stats.npts)
        require(np.array_equal(trace.data, wanted), path, f"samples of {trace.id} differ from the ramp of {number}")


def check_file(directory, path):
    """Checks one file."""
    layout = check_layout(path)
    traces, twins = [], 0
    with warnings.catch_warnings(action="error"), pyasdf.ASDFDataSet(str(path), mode="r") as data:
        events, stations = len(data.events), data.waveforms.list()
        described = check_validation(path, data)
        for station in data.waveforms:
            inventory = station.StationXML if described else None
            for name in sorted(set(station.list()) - {"StationXML"}):
                (trace,) = station[name]
                tag = name.split("__")[-1]
                check_trace(path, trace, layout[name], inventory)
                traces.append((tag, trace))
                twin = twin_of(path, trace, tag)
                if twin is not None:
                    check_twin(path, trace, twin)
                    twins += 1
    require_equal(len(traces), len(layout), path, "number of traces")
    if len(traces) <= MOST_COPIED:
        check_copy(path, traces, layout)
    check_extension(path)
    wanted = expected(directory, path)
    longest = max(trace.stats.npts for _, trace in traces)
    found = {"stations": len(stations), "traces": len(traces), "twins": twins, "events": events}
    found |= {"described": described, "longest": longest}
    for name in set(found) & set(wanted):
        require_equal(found[name], wanted[name], path, name)
    require(set(wanted.get("names", ())) <= set(layout), path, f"traces = {sorted(layout)}")
    if "step" in wanted:
        check_ramps(path, traces, wanted["step"])


def check(directory):
    """Checks every ASDF file; returns their number."""
    require_nothing_is_lost(directory, {".h5"})
    paths = [path for path in files(directory, "*.h5") if not path.name.startswith("fibre_")]
    for path in paths:
        check_file(directory, path)
    return len(paths)


if __name__ == "__main__":
    main(check, "asdf")
