"""Reads every DAS record, `fibre_*.h5`, below a directory with dascore and h5py.

    python check_prodml.py RESULTS_DIRECTORY

Groups, types and attributes must be those of PRODML 2.1. dascore must recognise the file, and read the same samples, times
and loci as h5py, completely and in a window. The exact distances of the channels must be within half an interval of the
loci, and there must be a position of each.
"""

import re
import warnings

import dascore
import h5py
import numpy as np
from common import expected, files, main, require, require_equal, require_nothing_is_lost

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")

# Attributes that PRODML 2.1 requires, or that readers do, with the types that h5py finds.
ACQUISITION = {
    "AcquisitionId": str,
    "FacilityId": list,
    "GaugeLength": float,
    "GaugeLength.uom": "m",
    "MaximumFrequency": float,
    "MaximumFrequency.uom": "Hz",
    "MeasurementStartTime": str,
    "MinimumFrequency": float,
    "MinimumFrequency.uom": "Hz",
    "NumberOfLoci": int,
    "PulseRate": float,
    "PulseRate.uom": "Hz",
    "PulseWidth": float,
    "PulseWidth.uom": "ns",
    "ServiceCompanyName": str,
    "SpatialSamplingInterval": float,
    "SpatialSamplingInterval.uom": "m",
    "StartLocusIndex": int,
    "TriggeredMeasurement": bool,
    "schemaVersion": "2.1",
    "uuid": str,
}
RAW = {
    "NumberOfLoci": int,
    "OutputDataRate": float,
    "OutputDataRate.uom": "Hz",
    "RawDataUnit": str,
    "RawDescription": str,
    "RawIndex": int,
    "StartLocusIndex": int,
    "uuid": str,
}
PART = {"Count": int, "PartEndTime": str, "PartStartTime": str, "StartIndex": int}


def plain(value):
    """An attribute as a Python value: text, list of texts, number or boolean."""
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value.item()


def attributes(path, node, wanted):
    """The attributes of a node, which must include those wanted, with their types or values."""
    for name in node.attrs:
        # xdas requires bytes.
        require(not isinstance(node.attrs[name], str), path, f"{name} of {node.name} is a text of variable length")
    found = {name: plain(node.attrs[name]) for name in node.attrs}
    for name, kind in wanted.items():
        require(name in found, path, f"{node.name} lacks the attribute {name}")
        if isinstance(kind, type):
            require_equal(type(found[name]), kind, path, f"type of {name} of {node.name}")
        else:
            require_equal(found[name], kind, path, f"{name} of {node.name}")
    return found


def microseconds(path, text):
    """A time of an attribute [microseconds since 1970]."""
    require(TIME.fullmatch(text), path, f"time {text!r}")
    return np.datetime64(text.removesuffix("+00:00"), "us").astype(np.int64)


def check_times(path, node, rate):
    """Checks the times of the samples, against their attributes and the rate; returns them [microseconds since 1970]."""
    found = attributes(path, node, {**PART, "StartTime": str, "EndTime": str, "Uom": "us"})
    times = node[:]
    require(times.dtype == "<i8" and times.ndim == 1, path, f"RawDataTime has {times.dtype}")
    require_equal(found["Count"], len(times), path, "Count of RawDataTime")
    for name, index in (("PartStartTime", 0), ("StartTime", 0), ("PartEndTime", -1), ("EndTime", -1)):
        require_equal(microseconds(path, found[name]), times[index], path, f"{name} of RawDataTime")
    # Both the first and the other times are rounded.
    late = times - times[0] - np.arange(len(times)) * (1e6 / rate)
    require(np.abs(late).max() <= 1.001, path, f"times deviate by {np.abs(late).max()} microseconds from {rate} Hz")
    return times


def check_layout(path, file):
    """Checks groups, types and attributes; returns samples, times, loci [m] and the attributes of acquisition and samples."""
    require_equal(set(file), {"Acquisition"}, path, "groups")
    acquisition = file["Acquisition"]
    raw = acquisition["Raw[0]"]
    require_equal(set(acquisition), {"Custom", "Raw[0]"}, path, "groups of the acquisition")
    require_equal(set(raw), {"RawData", "RawDataTime"}, path, "datasets of the samples")
    found, of_raw = attributes(path, acquisition, ACQUISITION), attributes(path, raw, RAW)
    names = [attributes(path, file, {"uuid": str})["uuid"], found["uuid"], found["AcquisitionId"], of_raw["uuid"]]
    require(all(UUID.fullmatch(name) for name in names) and len(set(names)) == 4, path, f"identifiers {names}")
    for name in ("NumberOfLoci", "StartLocusIndex"):
        require_equal(of_raw[name], found[name], path, name)
    data = raw["RawData"]
    of_data = attributes(path, data, {**PART, "Dimensions": ["locus", "time"]})
    times = check_times(path, raw["RawDataTime"], of_raw["OutputDataRate"])
    require_equal(microseconds(path, found["MeasurementStartTime"]), times[0], path, "MeasurementStartTime")
    for name in ("PartStartTime", "PartEndTime"):
        require_equal(of_data[name], plain(raw["RawDataTime"].attrs[name]), path, f"{name} of RawData")
    require_equal(data.dtype, np.dtype("<f4"), path, "type of the samples")
    require_equal(data.shape, (found["NumberOfLoci"], len(times)), path, "shape of the samples")
    require_equal(of_data["Count"], data.size, path, "Count of RawData")
    samples = data[:]
    require(np.isfinite(samples).all(), path, "has a sample that is not finite")
    loci = (found["StartLocusIndex"] + np.arange(data.shape[0])) * found["SpatialSamplingInterval"]
    return samples, times, loci, found | of_raw


def check_channels(path, custom, loci, interval):
    """Checks the exact distances and the positions of the channels; returns the distances [m]."""
    distances, positions = custom["Distance"], custom["Position"]
    attributes(path, distances, {"Uom": "m"})
    names = attributes(path, positions, {"Coordinates": list})["Coordinates"]
    require(len(names) == 3 and all(names), path, f"coordinates {names}")
    require_equal((distances.dtype, distances.shape), (np.dtype("<f8"), loci.shape), path, "type of the distances")
    require_equal((positions.dtype, positions.shape), (np.dtype("<f8"), (len(loci), 3)), path, "type of the positions")
    require(np.isfinite(positions[:]).all(), path, "has a position that is not finite")
    far = np.abs(distances[:] - loci).max()
    require(far <= 0.5001 * interval, path, f"a channel is {far} m from its locus")
    return distances[:]


def check_dascore(path, samples, times, loci, found):
    """Checks that dascore reads the same as h5py."""
    require_equal(dascore.get_format(path), ("PRODML", "2.1"), path, "format as dascore recognises it")
    (summary,), (patch,) = dascore.scan(path), dascore.read(path)
    require_equal(patch.dims, ("distance", "time"), path, "dimensions as dascore reads them")
    require_equal(tuple(summary.dims.split(",")), patch.dims, path, "dimensions as dascore scans them")
    require(np.array_equal(patch.data, samples), path, "samples as dascore reads them differ")
    as_read = patch.get_array("time").astype("datetime64[ns]").astype(np.int64) / 1e3
    late = np.abs(as_read - times)
    require(late.shape == times.shape and late.max() <= 1.0, path, f"times as dascore reads them are {late.max()} μs off")
    distances = patch.get_array("distance")
    require(np.allclose(distances, loci, rtol=1e-12, atol=1e-9), path, "distances as dascore reads them differ")
    for name in ("distance", "time"):
        unit = str(patch.get_coord(name).units)
        require_equal(unit, {"distance": "1 m", "time": "1 s"}[name], path, f"unit of {name} as dascore reads it")
    attrs = patch.attrs
    require_equal(attrs.gauge_length, found["GaugeLength"], path, "gauge length as dascore reads it")
    require_equal(attrs.data_type, found["RawDescription"].replace(" ", "_"), path, "type of data as dascore reads it")
    unit = dascore.get_quantity(found["RawDataUnit"])
    require(unit is not None and attrs.data_units == unit, path, f"unit as dascore reads it: {attrs.data_units}")
    check_window(path, samples, patch)


def check_window(path, samples, patch):
    """Checks that dascore reads a window of the file."""
    rows, columns = (slice(count // 3, 2 * count // 3 + 1) for count in samples.shape)
    distances, times = patch.get_array("distance")[rows], patch.get_array("time")[columns]
    edges = {"distance": (distances[0], distances[-1]), "time": (times[0], times[-1])}
    (window,) = dascore.read(path, **edges)
    require(np.array_equal(window.data, samples[rows, columns]), path, "a window as dascore reads it differs")


def check_expected(path, wanted, samples, times, distances, found):
    """Checks a generated record: shape, axes, unit, and samples `n + step * i`."""
    summary = {
        "shape": list(samples.shape),
        "start": str(times[0].astype("datetime64[us]")),
        "locus": found["StartLocusIndex"],
        "spacing": found["SpatialSamplingInterval"],
        "first": distances[0],
        "unit": found["RawDataUnit"],
    }
    for name in set(summary) & set(wanted):
        require_equal(summary[name], wanted[name], path, name)
    if "interval" in wanted:
        error = found["OutputDataRate"] * wanted["interval"] - 1.0
        require(abs(error) < 1e-14, path, f"the rate has a relative error of {error}")
    if "step" in wanted:
        ramps = np.add.outer(np.arange(len(samples)), wanted["step"] * np.arange(samples.shape[1])).astype("<f4")
        require(np.array_equal(samples, ramps), path, "samples differ from the ramps")


def check_file(directory, path):
    """Checks one file."""
    with h5py.File(path, "r") as file:
        samples, times, loci, found = check_layout(path, file)
        distances = check_channels(path, file["Acquisition/Custom"], loci, found["SpatialSamplingInterval"])
    with warnings.catch_warnings(action="error"):
        check_dascore(path, samples, times, loci, found)
    check_expected(path, expected(directory, path), samples, times, distances, found)


def check(directory):
    """Checks every DAS record; returns their number."""
    require_nothing_is_lost(directory, {".h5"})
    paths = files(directory, "fibre_*.h5")
    for path in paths:
        check_file(directory, path)
    return len(paths)


if __name__ == "__main__":
    main(check, "prodml")
