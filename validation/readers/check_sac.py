"""Reads every SAC file below a directory with ObsPy.

    python check_sac.py RESULTS_DIRECTORY

The header must be consistent. If there is a text trace of the same name (`NAME.sac`, `NAME.txt`), names, times and samples
must agree with it. If the header has both source and station, distance and azimuths must be those of the geodesic between
them: on the ellipsoid, or on the sphere of a spherical Earth.
"""

import tomllib
import warnings

import numpy as np
import obspy
import text_format
from common import expected, files, main, require, require_equal, require_nothing_is_lost
from geographiclib.geodesic import Geodesic
from obspy.io.sac import SACTrace

KEYS = {"network": "knetwk", "station": "kstnm", "component": "kcmpnm", "unit": "kuser0"}
IDEP = {"displacement": "idisp", "velocity": "ivel", "acceleration": "iacc"}


def check_header(directory, path):
    """Checks every header value that can be computed from the samples or from other values; returns header and samples."""
    header = SACTrace.read(str(path), checksize=True)
    samples = header.data
    count = expected(directory, path).get("samples", len(samples))
    require_equal(header.npts, count, path, "npts")
    require_equal(len(samples), count, path, "number of samples")
    require_equal(header.nvhdr, 6, path, "nvhdr")
    require_equal(header.iftype, "itime", path, "iftype")
    require(header.leven, path, "leven is false")
    require(np.isfinite(samples).all(), path, "a sample is not finite")
    end = header.b + (header.npts - 1) * header.delta
    rounding = 1e-6 * (abs(end) + header.delta * header.npts)
    require(abs(header.e - end) < rounding, path, f"e = {header.e}, expected {end}")
    require_equal((header.depmin, header.depmax), (samples.min(), samples.max()), path, "depmin, depmax")
    mean, largest = samples.mean(dtype=float), np.abs(samples).max()
    require(abs(header.depmen - mean) <= 1e-6 * largest, path, f"depmen = {header.depmen}, expected {mean}")
    require(header.kstnm, path, "kstnm is empty")
    return header, samples


def check_stream(path, header):
    """Checks that ObsPy's general reader finds one trace with the same name, start and interval."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        (trace,) = obspy.read(str(path))
    names = trace.stats.network, trace.stats.station, trace.stats.channel
    require_equal(names, (header.knetwk or "", header.kstnm, header.kcmpnm or ""), path, "network, station, channel")
    # ObsPy itself rounds the interval to a microsecond.
    require(abs(trace.stats.delta - header.delta) < 1e-6, path, f"delta = {trace.stats.delta}, expected {header.delta}")
    # Without a reference time, times are relative to 1970, the zero of ObsPy.
    start = (header.reftime if header.nzyear is not None else obspy.UTCDateTime(0)) + header.b
    require(abs(trace.stats.starttime - start) < 2e-6, path, f"starttime = {trace.stats.starttime}, expected {start}")


def way_of(path, header):
    """The geodesic from source to station: on the sphere if the scenario of the run is on the spherical Earth."""
    scenario = path.parent.parent / "scenario.toml"
    domain = tomllib.loads(scenario.read_text())["domain"] if scenario.is_file() else {}
    sphere = domain.get("chunk", domain.get("globe"))
    if sphere is None:
        return Geodesic.WGS84.Inverse(header.evla, header.evlo, header.stla, header.stlo)
    latitudes = [header.evla, header.stla]
    if sphere.get("latitudes", "geographic") == "geographic":
        flat = (1.0 - Geodesic.WGS84.f) ** 2
        latitudes = [np.degrees(np.arctan(flat * np.tan(np.radians(latitude)))) for latitude in latitudes]
    return Geodesic(6_371_000.0, 0.0).Inverse(latitudes[0], header.evlo, latitudes[1], header.stlo)


def check_way(path, header):
    """Checks distance [km] and azimuths [degrees] against the coordinates, in the single precision of the header."""
    places = [header.stla, header.stlo, header.evla, header.evlo]
    located = all(place is not None for place in places)
    # Readers compute distances on an ellipsoid, which is wrong on the sphere.
    on_sphere = (header.kuser1 or "").strip() == "sphere"
    require_equal(bool(header.lcalda), located and not on_sphere, path, "lcalda")
    require(located or header.gcarc is None, path, f"gcarc = {header.gcarc} without coordinates")
    if not located or header.dist is None:
        return
    way = way_of(path, header)
    # Seven digits of a longitude correspond to some metres.
    metres = 1000.0 * header.dist - way["s12"]
    require(abs(metres) < 5.0, path, f"dist = {header.dist} km, with an error of {metres} m")
    for name, found, wanted in (("az", header.az, way["azi1"]), ("baz", header.baz, way["azi2"] + 180.0)):
        difference = (found - wanted + 180.0) % 360.0 - 180.0
        # The accuracy of an azimuth is that of the coordinates over the distance from the source and from its antipode.
        away = 6_371_000.0 * abs(np.sin(way["s12"] / 6_371_000.0)) if way["s12"] > 1e7 else way["s12"]
        require(abs(difference) < 1e-4 + np.degrees(5.0 / away), path, f"{name} = {found}, expected {wanted}")


def check_twin(path, header, samples):
    """Checks the trace against the text trace of the same name."""
    twin = text_format.read(path.with_suffix(".txt"))
    for key, field in KEYS.items():
        found = getattr(header, field) or ""
        # KCMPNM is the channel; components of two letters have none.
        wanted = twin.header.get("channel") if key == "component" else None
        require_equal(found, wanted or twin.header.get(key, found), path, key)
    if "quantity" in twin.header:
        require_equal(header.idep, IDEP.get(twin.header["quantity"], "iunkn"), path, "idep")
    require_equal(len(samples), len(twin.samples), path, "number of samples")
    times = header.b + np.arange(header.npts) * float(header.delta)
    # Because of the single precision of the header, times drift by some 1e-7 of the record.
    drift = 0.01 * header.delta + 2e-7 * np.abs(times).max()
    require(np.abs(times - twin.times).max() < drift, path, "times differ from the text trace")
    require(np.allclose(samples, twin.samples, rtol=2e-7, atol=0.0), path, "samples differ from the text trace")


def check(directory):
    """Checks every SAC file; returns their number."""
    require_nothing_is_lost(directory, {".sac"})
    paths = files(directory, "*.sac", "*.SAC")
    for path in paths:
        header, samples = check_header(directory, path)
        check_stream(path, header)
        check_way(path, header)
        if path.with_suffix(".txt").exists():
            check_twin(path, header, samples)
    return len(paths)


if __name__ == "__main__":
    main(check, "sac")
