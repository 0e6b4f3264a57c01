"""Writes miniSEED samples with ObsPy for the tests. The output is committed unchanged.

    python make.py

ObsPy 1.5.1.
"""

from pathlib import Path

import numpy as np
from obspy import Stream, Trace, UTCDateTime

HERE = Path(__file__).parent
# Differences of all sizes, so that every Steim packing occurs.
COUNTS = np.array([(index % 7 - 3) * 2 ** (index // 12) for index in range(300)])
START = UTCDateTime(2010, 2, 27, 6, 34, 11, 530123)
TYPES = {
    "INT16": ("int16", 150),
    "INT32": ("int32", 300),
    "FLOAT32": ("float32", 300),
    "FLOAT64": ("float64", 300),
    "STEIM1": ("int32", 300),
    "STEIM2": ("int32", 300),
}


def trace(samples, start=START, channel="BHZ", rate=40.0):
    """A trace of station CT.CRTN, location 00."""
    header = dict(network="CT", station="CRTN", location="00", channel=channel, sampling_rate=rate, starttime=start)
    return Trace(samples, header)


for encoding, (dtype, count) in TYPES.items():
    for order, name in ((">", "big"), ("<", "little")):
        path = HERE / f"{encoding.lower()}_{name}.mseed"
        samples = COUNTS[:count].astype(dtype)
        trace(samples).write(str(path), "MSEED", encoding=encoding, byteorder=order, reclen=512)

# 10 s between samples, in records of 256 bytes; another channel; then the first again, after a gap and three tenths of a
# sample late.
parts = [
    trace(COUNTS[:100].astype("int32"), channel="VHZ", rate=0.1),
    trace(COUNTS[:60].astype("float32"), channel="VHN", rate=0.1),
    trace(COUNTS[100:200].astype("int32"), START + 1003, "VHZ", 0.1),
    trace(COUNTS[200:300].astype("int32"), START + 2020, "VHZ", 0.1),
]
Stream(parts).write(str(HERE / "gaps.mseed"), "MSEED", reclen=256, encoding=None)
