"""Writes vp.rsf and rho.rsf: a salt body with an overhang between dipping sediments, under a sea whose bottom slopes.

Columns of depth one after the other, in Madagascar's format: m/s and kg/m3, 321 columns 25 m apart, 151 points 20 m apart.
"""
from array import array
from math import cos, exp, pi, sin
import sys

COLUMNS, DX = 321, 25.0
POINTS, DZ = 151, 20.0
PARTS = 8
WATER, SALT, BASEMENT = (1500.0, 1025.0), (4500.0, 2170.0), (4800.0, 2650.0)
# Depth at x = 0, dip, and contrast of the speed [m, m per m, m/s] of the tops of the sediments.
BEDS = [(700.0, 0.02, 150.0), (1050.0, 0.04, -120.0), (1400.0, 0.06, 250.0), (1750.0, 0.05, 150.0)]


def sea_bottom(x):
    """Depth [m]."""
    return 300.0 + 0.025 * x + 15.0 * sin(2.0 * pi * x / 3000.0)


def basement(x):
    """Depth [m]."""
    return 2600.0 + 80.0 * cos(2.0 * pi * x / 5000.0)


def is_salt(x, depth):
    """A stem that leans east, with a wide head on it."""
    head = ((x - 4200.0) / 1100.0) ** 2 + ((depth - 1150.0) / 300.0) ** 2 < 1.0 + 0.12 * sin(x / 130.0)
    stem_centre = 3900.0 + 0.2 * (2600.0 - depth)
    stem_width = 380.0 + 500.0 * exp(-(2650.0 - depth) / 250.0)
    stem = depth > 1150.0 and abs(x - stem_centre) < stem_width
    return head or stem


def sediment(x, depth):
    """Compacted with depth under the sea, bed by bed; bent upwards towards the salt."""
    vp = 1750.0 + 0.45 * (depth - sea_bottom(x))
    drag = 150.0 * exp(-(((x - 4100.0) / 1300.0) ** 2))
    vp += sum(contrast for top, dip, contrast in BEDS if depth > top + dip * x - drag)
    return vp, 310.0 * vp**0.25


def material(x, depth):
    """Speed and density at a place."""
    if depth < sea_bottom(x):
        return WATER
    if depth > basement(x):
        return BASEMENT
    return SALT if is_salt(x, depth) else sediment(x, depth)


def write(name, label, unit, values):
    """A header with the numbers behind it: three bytes between both, as Madagascar has them."""
    header = (
        f'in="stdin"\ndata_format="xdr_float"\nesize=4\n'
        f'n1={POINTS} d1={DZ} o1=0 label1="Depth" unit1="m"\n'
        f'n2={COLUMNS} d2={DX} o2=0 label2="X" unit2="m"\n'
        f'label="{label}" unit="{unit}"\n'
    )
    numbers = array("f", values)
    if sys.byteorder == "little":
        numbers.byteswap()
    with open(name, "wb") as file:
        file.write(header.encode("ascii") + b"\x0c\x0c\x04" + numbers.tobytes())


def averaged(x, depth):
    """Mean of what is around a point, so that interfaces between points are not steps: of slowness and of density."""
    around = [material(x, depth + DZ * ((part + 0.5) / PARTS - 0.5)) for part in range(PARTS)]
    return PARTS / sum(1.0 / vp for vp, _ in around), sum(rho for _, rho in around) / PARTS


model = [averaged(column * DX, point * DZ) for column in range(COLUMNS) for point in range(POINTS)]
write("vp.rsf", "Velocity", "m/s", (vp for vp, _ in model))
write("rho.rsf", "Density", "kg/m3", (rho for _, rho in model))
