"""Reads the metadata of miniSEED files, every `stations.xml` and `events.xml` below a directory, with ObsPy.

    python check_companions.py RESULTS_DIRECTORY

Both must be valid by their schemas. Every miniSEED trace of the folder must have coordinates and an orientation in `stations.xml` at
its first and its last sample. Every event must have an origin, a moment tensor, and the magnitude of its scalar moment.
"""

import math
import warnings

import obspy
from common import files, main, require
from obspy.io.quakeml.core import _validate as is_valid_quakeml
from obspy.io.stationxml.core import validate_stationxml


def check_stations(path):
    """Checks that the channels are those of the traces."""
    is_valid, errors = validate_stationxml(str(path))
    require(is_valid, path, f"is not valid StationXML: {errors}")
    with warnings.catch_warnings(action="error"):
        inventory = obspy.read_inventory(str(path), format="STATIONXML")
    traces = [trace for file in files(path.parent, "*.mseed") for trace in obspy.read(str(file), format="MSEED")]
    require(traces, path, "its folder contains no miniSEED file")
    for trace in traces:
        for time in (trace.stats.starttime, trace.stats.endtime):
            # Each of these calls raises an exception if the channel does not exist at that time.
            coordinates = inventory.get_coordinates(trace.id, time)
            require(abs(coordinates["latitude"]) <= 90.0, path, f"latitude of {trace.id}: {coordinates['latitude']}")
            if not trace.id.endswith("P"):
                direction = inventory.get_orientation(trace.id, time)
                require((direction["dip"] == -90.0) == trace.id.endswith("Z"), path, f"{trace.id} points to {direction}")
        network, station, location, channel = trace.id.split(".")
        found = inventory.select(network=network, station=station, location=location, channel=channel)
        rate = found[0][0][0].sample_rate
        require(abs(rate / trace.stats.sampling_rate - 1.0) < 1e-6, path, f"{trace.id} has {rate} samples per second")


def check_events(path):
    """Checks that each event is complete."""
    require(is_valid_quakeml(str(path)), path, "is not valid QuakeML")
    for event in obspy.read_events(str(path), format="QUAKEML"):
        origin, magnitude = event.preferred_origin(), event.preferred_magnitude()
        tensor = event.preferred_focal_mechanism().moment_tensor
        require(origin.depth >= -1e-3 and origin.time is not None, path, f"origin {origin}")
        require(tensor.derived_origin_id == origin.resource_id, path, "the tensor belongs to another origin")
        wanted = (math.log10(tensor.scalar_moment) - 9.1) / 1.5
        require(abs(magnitude.mag - wanted) < 1e-6, path, f"magnitude = {magnitude.mag}, expected {wanted} from its moment")


def check(directory):
    """Checks every file; returns their number."""
    checks = {"stations.xml": check_stations, "events.xml": check_events}
    paths = files(directory, *checks)
    for path in paths:
        checks[path.name](path)
    return len(paths)


if __name__ == "__main__":
    main(check, "companions")
