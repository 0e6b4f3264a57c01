"""Reads every netCDF file below a directory with Unidata's library, and with xarray through scipy.

    python check_netcdf.py RESULTS_DIRECTORY

Both readers must find the same dimensions, attributes and values; scipy does not support CDF-5. Every variable with the
name of a dimension must be a coordinate: one value per point, strictly monotonic. Variables `sum` and `packed_sum`
must contain the sums of the coordinates of their points.
"""

from functools import reduce

import netCDF4
import numpy as np
import xarray
from common import expected, files, main, require, require_equal, require_nothing_is_lost

CDF5 = "NETCDF3_64BIT_DATA"


def with_library(path):
    """Reads with Unidata's library: the format; dimensions, attributes and values of each variable; attributes of the file."""
    with netCDF4.Dataset(path) as file:
        variables = {
            name: (variable.dimensions, dict(variable.__dict__), np.ma.filled(variable[...].astype(float), np.nan))
            for name, variable in file.variables.items()
        }
        return file.data_model, variables, dict(file.__dict__)


def with_xarray(path):
    """Reads with xarray through scipy; returns the same except the format."""
    with xarray.open_dataset(path, engine="scipy", decode_times=False) as file:
        variables = {
            name: (variable.dims, {**variable.encoding, **variable.attrs}, variable.values.astype(float))
            for name, variable in file.variables.items()
        }
        return variables, dict(file.attrs)


def comparable(attribute):
    """An attribute, or a string if it is NaN, as a fill value may be, because NaN does not equal itself."""
    return "NaN" if isinstance(attribute, (float, np.floating)) and np.isnan(attribute) else attribute


def require_same(path, found, wanted):
    """Fails unless xarray found the same as Unidata's library."""
    (variables, attributes), (other_variables, other_attributes) = found, wanted
    require_equal(attributes, other_attributes, path, "attributes as xarray reads them")
    require_equal(set(variables), set(other_variables), path, "variables as xarray reads them")
    for name, (dimensions, own, values) in other_variables.items():
        found_dimensions, found_own, found_values = variables[name]
        require_equal(found_dimensions, dimensions, path, f"dimensions of {name} as xarray reads them")
        found_own = {key: comparable(found_own.get(key)) for key in own}
        own = {key: comparable(value) for key, value in own.items()}
        require_equal(found_own, own, path, f"attributes of {name} as xarray reads them")
        same = np.array_equal(found_values, values, equal_nan=True)
        require(same, path, f"values of {name} as xarray reads them differ")


def check_sums(path, variables):
    """Checks the values that can be computed from the coordinates."""
    for name in {"sum", "packed_sum"} & set(variables):
        dimensions, _, values = variables[name]
        sums = reduce(np.add.outer, (variables[dimension][2] for dimension in dimensions))
        is_there = np.isfinite(values)
        require(np.array_equal(values[is_there], sums[is_there]), path, f"{name} is not the sum of the coordinates")


def check_file(directory, path):
    """Checks a file."""
    data_model, variables, attributes = with_library(path)
    wanted = expected(directory, path)
    require_equal(data_model, wanted.get("format", data_model), path, "format")
    require(str(attributes.get("Conventions", "")).startswith("CF-"), path, "attribute `Conventions` does not name CF")
    for name, (dimensions, _, values) in variables.items():
        if name in {dimension for other, _, _ in variables.values() for dimension in other}:
            require_equal(dimensions, (name,), path, f"dimensions of the coordinate {name}")
            steps = np.diff(values)
            require((steps > 0).all() or (steps < 0).all(), path, f"coordinates {name} are not strictly monotonic")
    largest = max((values for _, _, values in variables.values()), key=np.ndim)
    require_equal(list(largest.shape), wanted.get("shape", list(largest.shape)), path, "shape of the largest variable")
    missing = sum(int(np.isnan(values).sum()) for _, _, values in variables.values())
    require_equal(missing, wanted.get("missing", 0), path, "number of missing values")
    check_sums(path, variables)
    if data_model != CDF5:
        require_same(path, with_xarray(path), (variables, attributes))


def check(directory):
    """Checks every netCDF file; returns their number."""
    require_nothing_is_lost(directory, {".nc"})
    found = files(directory, "*.nc")
    for path in found:
        check_file(directory, path)
    return len(found)


if __name__ == "__main__":
    main(check, "netcdf")
