"""Writes netCDF samples for the tests. The output is committed unchanged.

    python make.py

scipy 1.17.1 and netCDF4 1.7.5.1.post1 (netCDF-C 4.10.1), numpy 2.4.6.
"""

from pathlib import Path

import netCDF4
import numpy as np
from scipy.io import netcdf_file

HERE = Path(__file__).parent
SHAPE = {"depth": 2, "latitude": 3, "longitude": 4}
COORDINATES = {
    "depth": ([0, 25], "km"),
    "latitude": ([-10, -9.9, -9.8], "degrees_north"),
    "longitude": ([30.0, 30.1, 30.2, 30.3], "degrees_east"),
}
VS = 3.0 + 0.125 * np.arange(24).reshape(2, 3, 4)


def model(create_variable):
    """A velocity model as IRIS EMC lays it out; coordinates in single precision, so that they are rounded."""
    for name, (places, units) in COORDINATES.items():
        variable = create_variable(name, "f4", (name,))
        variable[:] = places
        variable.units = units
    vs = create_variable("vs", "f4", tuple(SHAPE))
    vs.units = "km.s-1"
    vs.missing_value = np.float32(99999.0)
    vs[:] = VS


def with_scipy():
    """CDF-1."""
    with netcdf_file(HERE / "scipy_cdf1.nc", "w", version=1) as file:
        for name, length in SHAPE.items():
            file.createDimension(name, length)
        file.title = "A velocity model"
        model(lambda name, kind, dimensions: file.createVariable(name, kind, dimensions))


def with_library(name, kind):
    """Variables in two sizes along the unlimited dimension, packed and missing values, a single value, text."""
    with netCDF4.Dataset(HERE / name, "w", format=kind) as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.comment = "for tests"
        file.createVariable("crs", "i4").setncattr("semi_major_axis", 6378137.0)
        file.createVariable("station", "S1", ("x",))[:] = np.array(["a", "b", "c"], "S1")
        time = file.createVariable("time", "f8", ("time",))
        time.units = "s"
        packed = file.createVariable("temperature", "i2", ("time", "x"), fill_value=-1)
        packed.scale_factor = 0.5
        packed.add_offset = 10.0
        flag = file.createVariable("flag", "i1", ("time", "x"))
        time[:] = [0.0, 0.25]
        packed[:] = np.ma.masked_values([[10.5, 11.0, -1.0], [9.0, 10.0, 12.5]], -1.0)
        flag[:] = [[1, -127, 3], [4, 5, -128]]
        if kind == "NETCDF3_64BIT_DATA":
            file.createVariable("count", "u8", ("x",))[:] = [1, 2**40, 2**63]


def with_one_record_variable():
    """Records of a single variable, which are not padded."""
    with netCDF4.Dataset(HERE / "netcdf4_unpadded.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("level", "i2", ("time", "x"))[:] = [[1, 2, 3], [4, 5, 6], [-7, -8, -9]]



def netcdf4():
    """netCDF-4 files; needs xarray, h5netcdf and netCDF4.

    gmt_nc4.nc, by GMT 6.4: gmt grdmath -fg -R-180/180/-90/90 -I10 X COSD Y COSD MUL 100 MUL Y 10 MUL ADD = gmt_nc4.nc
    --IO_NC4_CHUNK_SIZE=16 --IO_NC4_DEFLATION_LEVEL=3
    """
    import xarray

    longitude, latitude = np.linspace(-180, 180, 13), np.linspace(90, -90, 7)
    z = 100 * np.cos(np.radians(latitude))[:, None] * np.cos(np.radians(longitude)) + 10 * latitude[:, None]
    axes = {"lon": ("lon", longitude, {"units": "degrees_east"}), "lat": ("lat", latitude, {"units": "degrees_north"})}
    surface = xarray.Dataset({"elevation": (("lat", "lon"), z)}, coords=axes)
    packed = {"dtype": "i2", "scale_factor": 0.1, "add_offset": 5.0, "_FillValue": -32768}
    stored = {"zlib": True, "complevel": 6, "shuffle": True, "chunksizes": (3, 5)}
    surface.to_netcdf(HERE / "xarray_packed_nc4.nc", engine="netcdf4", encoding={"elevation": packed | stored})
    surface.to_netcdf(HERE / "h5netcdf_nc4.nc", engine="h5netcdf")

    with netCDF4.Dataset(HERE / "netcdf4_big_endian_nc4.nc", "w") as file:
        file.createDimension("y", None)
        file.createDimension("x", 13)
        for name, values, towards in (("x", longitude, "east"), ("y", latitude[::-1], "north")):
            axis = file.createVariable(name, ">f8", (name,))
            axis.units, axis[:] = f"degrees_{towards}", values
        file.createVariable("z", ">f4", ("y", "x"), zlib=True, fletcher32=True)[:] = z[::-1]
    with netCDF4.Dataset(HERE / "netcdf4_groups_nc4.nc", "w") as file:
        group = file.createGroup("model")
        group.createDimension("x", 3)
        group.createVariable("vp", "f4", ("x",))[:] = 1

    x, y, z = np.arange(4) * 100.0, np.arange(3) * 50.0, np.arange(5) * -10.0
    vp = 3000 + x + 2 * y[:, None] - 3 * z[:, None, None]
    volume = xarray.Dataset({"vp": (("z", "y", "x"), vp.astype("f4"))}, coords={"x": x, "y": y, "z": z})
    volume.to_netcdf(HERE / "xarray_volume_nc4.nc", engine="netcdf4", encoding={"vp": {"zlib": True, "chunksizes": (2, 2, 2)}})


def without_records():
    """A list of points whose unlimited dimension has no records, and a variable with values."""
    with netCDF4.Dataset(HERE / "netcdf4_no_records_nc4.nc", "w") as file:
        file.createDimension("point", None)
        for name in ("x", "y", "z"):
            file.createVariable(name, "f8", ("point",)).units = "m"
        file.createVariable("density", "f8", ())[:] = 2670.0


with_scipy()
with_library("netcdf4_cdf2.nc", "NETCDF3_64BIT_OFFSET")
with_library("netcdf4_cdf5.nc", "NETCDF3_64BIT_DATA")
with_one_record_variable()
netcdf4()
without_records()
