"""Reads the results of every gravity problem below a directory with NumPy and xarray: all formats must contain the same numbers.

    python check_gravity.py RESULTS_DIRECTORY

The others (netCDF, NumPy arrays, ESRI grids and observations of UBC-GIF) are compared with the table, `gravity.csv`.
"""

import numpy as np
import xarray
from common import files, main, require, require_equal

COMPONENTS = {"xx": "g_nn", "xy": "g_en", "xz": "g_nd", "yy": "g_ee", "yz": "g_ed", "zz": "g_dd"}


def require_same(found, wanted, path, what):
    """Fails unless all numbers are equal, and NaN at the same places."""
    require_equal(np.shape(found), np.shape(wanted), path, f"shape of {what}")
    require(np.array_equal(found, wanted, equal_nan=True), path, f"values of {what} differ from those of the table")


def check_netcdf(path, table):
    with xarray.open_dataset(path, engine="scipy") as fields:
        for name in table.dtype.names[3:]:
            require_same(fields[name].values.ravel(), table[name], path, name)
            require(name == "dimensionality" or fields[name].attrs.get("units"), path, f"{name} has no unit")
        # The columns of positions: x_m, y_m and z_m, or longitude_deg, latitude_deg and height_m.
        for column in table.dtype.names[:3]:
            axis = column.rsplit("_", 1)[0]
            place = fields[axis].broadcast_like(fields[table.dtype.names[3]])
            require_same(place.values.ravel(), table[column], path, axis)


def check_array(path, table):
    rows = np.load(path)
    for column, name in enumerate(table.dtype.names):
        require_same(rows[:, column], table[name], path, name)


def check_map(path, table):
    lines = path.read_text().splitlines()
    header = dict(line.lower().split() for line in lines if line[0].isalpha())
    rows = np.loadtxt(lines[len(header) :])
    if "nodata_value" in header:
        rows[rows == float(header["nodata_value"])] = np.nan
    require_equal(rows.shape, (int(header["nrows"]), int(header["ncols"])), path, "shape")
    require_same(rows[::-1].ravel(), table[path.stem], path, path.stem)


def check_observations(path, table):
    lines = path.read_text().splitlines()
    names = ["g_d_mgal"]
    if lines[0].startswith("datacomp="):
        names = [f"{COMPONENTS[word]}_eotvos" for word in lines[0].split("=")[1].split(",")]
        lines = lines[1:]
    rows = np.loadtxt(lines[1:], ndmin=2)
    require_equal(len(rows), int(lines[0]), path, "number of rows")
    for column, name in enumerate(["x_m", "y_m", "z_m", *names]):
        require_same(rows[:, column], table[name], path, name)


CHECKS = {".nc": check_netcdf, ".npy": check_array, ".asc": check_map, ".grv": check_observations, ".gg": check_observations}


def check(directory):
    """Checks every folder of results; returns the number of files read."""
    count = 0
    for path in files(directory, "gravity.csv"):
        table = np.genfromtxt(path, delimiter=",", names=True)
        for other in sorted(path.parent.iterdir()):
            if other.suffix in CHECKS:
                CHECKS[other.suffix](other, table)
                count += 1
        count += 1
    return count


if __name__ == "__main__":
    main(check, "gravity")
