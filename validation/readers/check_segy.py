"""Reads every SEG-Y file below a directory with segyio and ObsPy, and every SU file with ObsPy.

    python check_segy.py RESULTS_DIRECTORY

Both readers must find the same samples, all finite. Number of samples and interval must be the same in every header, and
traces must be numbered in their order. The offset must be the distance from source to receiver group, within rounding
to metres and to the unit of the coordinates. A SU file with the name of a SEG-Y file must contain the same traces.
"""

import numpy as np
import segyio
from common import expected, files, main, require, require_equal, require_nothing_is_lost
from obspy.io.segy.segy import _read_segy, _read_su

# Byte positions of fields of the trace header, by ObsPy's names.
FIELDS = {
    "trace_sequence_number_within_line": 1,
    "trace_sequence_number_within_segy_file": 5,
    "original_field_record_number": 9,
    "trace_identification_code": 29,
    "distance_from_center_of_the_source_point_to_the_center_of_the_receiver_group": 37,
    "receiver_group_elevation": 41,
    "source_depth_below_surface": 49,
    "scalar_to_be_applied_to_all_elevations_and_depths": 69,
    "scalar_to_be_applied_to_all_coordinates": 71,
    "source_coordinate_x": 73,
    "source_coordinate_y": 77,
    "group_coordinate_x": 81,
    "group_coordinate_y": 85,
    "coordinate_units": 89,
    "delay_recording_time": 109,
    "number_of_samples_in_this_trace": 115,
    "sample_interval_in_ms_for_this_trace": 117,
}
UNKNOWN_CODE, LENGTH = 0, 1
SCALARS = {sign * 10**power for sign in (-1, 1) for power in range(5)} | {0}


def fields(header):
    """The fields of ObsPy's header, by their byte positions."""
    return {byte: getattr(header, name) for name, byte in FIELDS.items()}


def factor(scalar):
    """The factor that a scalar of the header encodes."""
    return 1.0 if scalar == 0 else float(scalar) if scalar > 0 else -1.0 / scalar


def check_traces(directory, path, traces):
    """Checks the fields of every trace that can be computed from other fields or from the samples."""
    require_equal(len(traces), expected(directory, path).get("traces", len(traces)), path, "number of traces")
    wanted = expected(directory, path).get("samples", len(traces[0][1]))
    interval = traces[0][0][117]
    for number, (header, samples) in enumerate(traces, start=1):
        trace = f"{path}, trace {number}"
        require_equal(len(samples), wanted, trace, "number of samples")
        require_equal(header[115], wanted, trace, "number of samples in the header")
        require_equal(header[117], interval, trace, "sample interval")
        require(interval > 0, trace, "the sample interval is 0")
        require(np.isfinite(samples).all(), trace, "a sample is not finite")
        require_equal(header[1], number, trace, "number in the line")
        require_equal(header[5], number, trace, "number in the file")
        require({header[69], header[71]} <= SCALARS, trace, f"scalars = {header[69]}, {header[71]}")
        if header[89] in (UNKNOWN_CODE, LENGTH):
            check_offset(trace, header)


def check_offset(trace, header):
    """Checks that the offset is the distance between source and receiver group."""
    unit = factor(header[71])
    distance = unit * np.hypot(header[81] - header[73], header[85] - header[77])
    # Half a unit for each coordinate of source and group, and the rounding of the offset itself.
    rounding = 0.5 + np.sqrt(2.0) * unit
    difference = abs(abs(header[37]) - distance)
    require(difference <= rounding, trace, f"offset = {header[37]}, but source and group are {distance} m apart")


def check_text(path, text):
    """Checks that the textual header has 40 numbered cards and ends as revision 1 requires."""
    lines = [text[80 * line : 80 * line + 80] for line in range(40)]
    require_equal(len(text), 3200, path, "characters of the textual header")
    require(all(line.startswith(f"C{number:2}") for number, line in enumerate(lines, start=1)), path, "unnumbered cards")
    require_equal(lines[38][4:].strip(), "SEG Y REV1", path, "card 39")
    require_equal(lines[39][4:].strip(), "END TEXTUAL HEADER", path, "card 40")


def with_segyio(path):
    """Reads with segyio: fields and samples of each trace; checks the headers of the file."""
    with segyio.open(path, ignore_geometry=True) as file:
        check_text(path, file.text[0].decode("ascii"))
        traces = [({byte: file.header[n][byte] for byte in FIELDS.values()}, file.trace[n]) for n in range(file.tracecount)]
        binary = file.bin
        require_equal(binary[segyio.BinField.SEGYRevision], 1, path, "major revision")
        require_equal(binary[segyio.BinField.TraceFlag], 1, path, "fixed length")
        require_equal(binary[segyio.BinField.ExtendedHeaders], 0, path, "extended textual headers")
        require_equal(binary[segyio.BinField.Samples], len(file.samples), path, "number of samples")
        require_equal(binary[segyio.BinField.Interval], traces[0][0][117], path, "sample interval")
        require(binary[segyio.BinField.Format] in (1, 5), path, f"format = {binary[segyio.BinField.Format]}")
        start, step = file.samples[0], file.samples[1] - file.samples[0] if len(file.samples) > 1 else None
        require_equal(start, traces[0][0][109], path, "time of the first sample")
        require(step is None or np.isclose(1000.0 * step, traces[0][0][117]), path, f"step of the time axis = {step} ms")
    return traces


def with_obspy(file):
    """Reads with ObsPy; returns the same."""
    return [(fields(trace.header), trace.data) for trace in file.traces]


def require_same(path, found, wanted, whose):
    """Fails unless both have the same traces."""
    require_equal(len(found), len(wanted), path, f"number of traces {whose}")
    for number, ((header, samples), (other_header, other_samples)) in enumerate(zip(found, wanted), start=1):
        require_equal(header, other_header, f"{path}, trace {number}", f"header {whose}")
        # IBM numbers have at least 21 significant bits, and each reader has its own conversion.
        close = np.allclose(samples, other_samples, rtol=2.0**-21, atol=0.0)
        require(close, f"{path}, trace {number}", f"samples {whose} differ")


def check_segy(directory, path):
    """Checks a SEG-Y file; returns its traces."""
    traces = with_segyio(path)
    check_traces(directory, path, traces)
    require_same(path, with_obspy(_read_segy(str(path))), traces, "from ObsPy, compared with segyio,")
    return traces


def check(directory):
    """Checks every SEG-Y and SU file; returns their number."""
    require_nothing_is_lost(directory, {".sgy", ".segy", ".su"})
    sections = files(directory, "*.sgy", "*.segy")
    twins = {path.with_suffix(".su"): check_segy(directory, path) for path in sections}
    plain = files(directory, "*.su")
    for path in plain:
        traces = with_obspy(_read_su(str(path), endian="<" if path.stem == "little" else ">"))
        check_traces(directory, path, traces)
        require_same(path, traces, twins.get(path, traces), "compared with SEG-Y")
    return len(sections) + len(plain)


if __name__ == "__main__":
    main(check, "segy")
