"""Arrays, tables and objects of other packages instead of files."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _craton

#: Data for the native module: the kind, and its parts. Arrays may be those of the caller.
Given = tuple[Any, ...]

#: Factors of units of speeds, densities and numbers, by their usual spellings.
_SPEED_UNITS = {"": 1.0, "m/s": 1.0, "m s-1": 1.0, "km/s": 1e3, "km s-1": 1e3}
_DENSITY_UNITS = {"": 1.0, "kg/m3": 1.0, "kg/m^3": 1.0, "kg m-3": 1.0, "g/cm3": 1e3, "g/cm^3": 1e3, "g cm-3": 1e3}
_NO_UNITS = {"": 1.0, "1": 1.0}
#: Factors of units of coordinates.
_LENGTH_UNITS = {"": 1.0, "m": 1.0, "meter": 1.0, "metre": 1.0, "meters": 1.0, "metres": 1.0, "km": 1e3}
#: Factors of units of time.
_TIME_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3}
#: Names of coordinates, in lower case.
_AXES = {
    "x": "x", "easting": "x", "east": "x", "y": "y", "northing": "y", "north": "y", "z": "z", "height": "z", "elevation": "z",
    "upward": "z", "depth": "depth",
}
#: Largest relative deviation of an interval from the mean interval of a regular axis.
_REGULAR = 1e-4
#: Keys whose table names a file, so that data may stand for the table.
_TABLES_WITH_FILE = {
    "vp", "vs", "rho", "qp", "qs", "qkappa", "qmu", "velocity", "density", "depth_table", "time_function", "prisms", "list",
}


@dataclass(frozen=True)
class Volume:
    """Values on a regular grid.

    Args:
        values: array of two or three dimensions.
        dims: names of the dimensions of ``values``, in their order: ``x``, ``y``, and either ``z`` (up) or ``depth``.
        x, y, z, depth: coordinates of the points along each dimension [m], evenly spaced.
    """

    values: Any
    dims: tuple[str, ...]
    x: Any = None
    y: Any = None
    z: Any = None
    depth: Any = None


@dataclass(frozen=True)
class Surface:
    """Elevations on a regular grid.

    Args:
        z: elevations [m], shape ``(len(y), len(x))``.
        x, y: coordinates [m], evenly spaced.
    """

    z: Any
    x: Any
    y: Any


@dataclass(frozen=True)
class Samples:
    """Samples of a time function.

    Args:
        values: the samples.
        interval: sample interval [s].
        start: time of the first sample [s].
    """

    values: Any
    interval: float
    start: float = 0.0


@dataclass(frozen=True)
class Kept:
    """An array of the caller, of which parts are converted when a computation needs them.

    Args:
        array: an array that slices may index.
        factor: factor that converts its values to SI units.
        dtype: type of the converted values.
    """

    array: Any
    factor: float = 1.0
    dtype: type = np.float64

    def __call__(self, index: tuple[slice, ...] = ()) -> np.ndarray:
        """Returns a part, by default all, as a vector: the array's own memory if it is contiguous and has the type."""
        part = self.array[index]
        part = part if self.factor == 1.0 else part * self.factor
        return contiguous(np.asarray(part), self.dtype).reshape(-1)


@dataclass
class Collected:
    """Plain values of a problem, and its data, keyed by the names that replace them."""

    given: dict[str, _craton.Data] = field(default_factory=dict)

    def plain(self, value: Any, path: str = "") -> Any:
        """Returns the value with data replaced by their names."""
        key = re.sub(r"\[\d+\]$", "", path).rsplit(".", 1)[-1]
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, np.generic):
            return value.item()
        if is_from("obspy", value):
            return self._obspy(value, path, key)
        if isinstance(value, Mapping) and not is_table(value, path, key):
            return {str(inner): self.plain(item, f"{path}.{inner}" if path else str(inner)) for inner, item in value.items()}
        if is_from("pandas", value) and type(value).__name__ == "Series" and not self._is_data(path, key):
            value = value.to_numpy()
        if isinstance(value, (list, tuple)):
            return [self.plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
        if isinstance(value, np.ndarray) and (value.ndim == 0 or not self._is_data(path, key)):
            return numeric(value, path).tolist()
        return self._add(data(value, path, key), path, key)

    @staticmethod
    def _is_data(path: str, key: str) -> bool:
        return key == "file" or key in _TABLES_WITH_FILE or key in ("topography", "moho")

    def _add(self, found: Given, path: str, key: str) -> Any:
        self.given[path] = _craton.Data(*found)
        if key in _TABLES_WITH_FILE:
            return {"file": path}
        return {"stations_file": path} if key == "receivers" and found[0] != "table" else path

    def _obspy(self, value: Any, path: str, key: str) -> Any:
        kind = type(value).__name__
        if kind in ("Catalog", "Event"):
            catalogue = value
            if kind == "Event":
                from obspy.core.event import Catalog

                catalogue = Catalog([value])
            name = f"{path}.quakeml" if key != "quakeml" else path
            self.given[name] = _craton.Data("text", written(catalogue, "QUAKEML"))
            if key == "quakeml":
                return name
            return {"quakeml": name} if path.endswith("]") else [{"quakeml": name}]
        if kind == "Inventory":
            name = f"{path}.stations_file" if key != "stations_file" else path
            self.given[name] = _craton.Data("text", written(value, "STATIONXML"))
            return name if key == "stations_file" else {"stations_file": name}
        raise TypeError(f"{path}: an ObsPy {kind} cannot be used here; give a Catalog, an Event or an Inventory")


def written(value: Any, form: str) -> str:
    """The XML text of an ObsPy object."""
    buffer = io.BytesIO()
    value.write(buffer, format=form)
    return buffer.getvalue().decode("utf-8")


def is_from(package: str, value: Any) -> bool:
    """Whether a value has a class of a package, which need not be installed."""
    return any(base.__module__.split(".")[0] == package for base in type(value).__mro__)


def is_table(value: Mapping[Any, Any], path: str, key: str) -> bool:
    """Whether a dictionary is a table of columns rather than a table of the format."""
    if key == "stations_file" or path in ("acquisition.tables.shots", "acquisition.tables.receivers", "source.signatures"):
        return True
    is_place = key in ("file", "vectors", "depth_table", "prisms", "list")
    return is_place and bool(value) and all(np.ndim(column) == 1 and not isinstance(column, str) for column in value.values()) \
        and "rows" not in value


def data(value: Any, path: str, key: str) -> Given:
    """Data in the form of the native module: a tuple with the kind."""
    if isinstance(value, Volume):
        return volume(value, path, key=key)
    if isinstance(value, Surface):
        return surface(value.z, value.x, value.y, path)
    if isinstance(value, Samples):
        return ("samples", float(value.start), float(value.interval), Kept(line(value.values, path)))
    if is_from("xarray", value) and type(value).__name__ == "DataArray":
        return array_with_coordinates(value, path, key)
    if is_from("pandas", value) or isinstance(value, Mapping) or is_from("xarray", value):
        return receivers(value, path) if key == "stations_file" else table(value, path)
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"{path}: an array without coordinates; give a craton.Volume, craton.Surface, craton.Samples or an xarray.DataArray"
        )
    raise TypeError(f"{path}: a value of type {type(value).__name__} cannot be used here")


def line(values: Any, path: str) -> np.ndarray:
    """An array of one dimension, of any type of numbers."""
    array = numeric(values, path)
    if array.ndim != 1:
        raise ValueError(f"{path}: an array of shape {array.shape}, not a vector")
    return array


def vector(values: Any, path: str) -> np.ndarray:
    """A contiguous vector in double precision."""
    return contiguous(line(values, path), np.float64)


def contiguous(array: np.ndarray, dtype: type) -> np.ndarray:
    """The array itself if it has this type and is contiguous, otherwise a copy that is."""
    return np.require(array, dtype, ["C", "A"])


def numeric(values: Any, path: str) -> np.ndarray:
    """An array of integers or floating-point numbers, without masked values."""
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
        raise ValueError(f"{path}: {int(np.sum(values.mask))} masked values; fill them, or leave them out")
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{path}: values of type {array.dtype}, not numbers")
    return array


def position(values: Any, path: str) -> tuple[float, float, float]:
    """A position x, y, z [m]."""
    place = vector(values, path)
    if len(place) != 3:
        raise ValueError(f"{path}: {len(place)} coordinates; a position is x, y, z")
    return (float(place[0]), float(place[1]), float(place[2]))


def axis(places: Any, path: str, unit: str = "", units: Mapping[str, float] = _LENGTH_UNITS) -> tuple[float, float, int]:
    """First coordinate, spacing and number of points of evenly spaced coordinates in SI units."""
    if unit.lower() not in units:
        raise ValueError(f"{path}: coordinates in {unit!r}; convert them to one of {', '.join(filter(None, units))}")
    places = vector(places, path) * units[unit.lower()]
    if len(places) < 2:
        raise ValueError(f"{path}: {len(places)} coordinate, but at least 2 are required")
    steps = np.diff(places)
    spacing = (places[-1] - places[0]) / (len(places) - 1)
    if not np.isfinite(places).all() or spacing == 0 or np.abs(steps - spacing).max() > _REGULAR * abs(spacing):
        raise ValueError(f"{path}: coordinates are not evenly spaced; interpolate the values to a regular grid")
    return float(places[0]), float(spacing), len(places)


def units_of(key: str) -> Mapping[str, float]:
    """Factors of the units of a quantity."""
    if key.startswith("q"):
        return _NO_UNITS
    return _DENSITY_UNITS if key in ("rho", "density") else _SPEED_UNITS


def factor_of(unit: str, path: str, units: Mapping[str, float]) -> float:
    """Factor that converts values to SI units."""
    unit = unit.strip()
    if unit not in units:
        known = ", ".join(filter(None, units))
        raise ValueError(f"{path}: values in {unit!r}, not in {known}; convert them and remove the attribute `units`")
    return units[unit]


def volume(
    given: Volume, path: str, unit: str = "", coordinate_units: Mapping[str, str] | None = None, key: str = ""
) -> Given:
    """A volume with its axes, the fastest first."""
    factor = factor_of(unit, path, units_of(key))
    values = numeric(given.values, path)
    if values.ndim != len(given.dims) or values.ndim not in (2, 3):
        raise ValueError(f"{path}: an array of shape {values.shape} with the dimensions {given.dims}")
    axes = []
    for position, name in enumerate(given.dims):
        known = _AXES.get(str(name).lower())
        if known is None:
            raise ValueError(f"{path}: the dimension {name!r}; name dimensions x, y, and z or depth")
        places = getattr(given, known)
        if places is None:
            raise ValueError(f"{path}: no coordinates for the dimension {name!r}")
        first, spacing, count = axis(places, f"{path}.{name}", (coordinate_units or {}).get(known, ""))
        if count != values.shape[position]:
            raise ValueError(f"{path}: {count} coordinates for {values.shape[position]} values along {name}")
        if spacing < 0:
            values = np.flip(values, position)
            first, spacing = first + spacing * (count - 1), -spacing
        axes.append((known, first, spacing, count))
    return ("volume", axes[::-1], Kept(values, factor, np.float32))


def surface(z: Any, x: Any, y: Any, path: str, unit: str = "", coordinate_units: tuple[str, str] = ("", "")) -> Given:
    """A surface with ascending coordinates."""
    heights, factor = numeric(z, path), factor_of(unit, path, _LENGTH_UNITS)
    if heights.ndim != 2:
        raise ValueError(f"{path}: elevations of shape {heights.shape}, not (len(y), len(x))")
    ascending = []
    for name, places, along, length_unit in (("y", y, 0, coordinate_units[1]), ("x", x, 1, coordinate_units[0])):
        first, spacing, count = axis(places, f"{path}.{name}", length_unit)
        if count != heights.shape[along]:
            raise ValueError(f"{path}: {count} coordinates for {heights.shape[along]} values along {name}")
        if spacing < 0:
            heights = np.flip(heights, along)
            first, spacing = first + spacing * (count - 1), -spacing
        ascending.append(first + spacing * np.arange(count))
    return ("surface", ascending[1], ascending[0], Kept(heights, factor))


def array_with_coordinates(array: Any, path: str, key: str) -> Given:
    """An xarray.DataArray as a volume, a surface or samples."""
    unit = str(array.attrs.get("units", ""))
    dims = [str(dim) for dim in array.dims]
    missing = [dim for dim in dims if dim not in array.coords]
    if missing:
        raise ValueError(f"{path}: no coordinates for the dimension {missing[0]!r}")
    if dims == ["time"]:
        if unit not in _NO_UNITS:
            raise ValueError(f"{path}: samples in {unit!r}; a time function has no unit, and the source has the amplitude")
        first, spacing, _ = axis(array["time"].values, f"{path}.time", str(array["time"].attrs.get("units", "")), _TIME_UNITS)
        return ("samples", first, spacing, Kept(line(array.values, path)))
    unknown = [dim for dim in dims if dim.lower() not in _AXES]
    if unknown:
        raise ValueError(f"{path}: the dimension {unknown[0]!r}; name dimensions x, y, and z or depth")
    known = [_AXES[dim.lower()] for dim in dims]
    for number, dim in enumerate(dims):
        if known[number] == "z" and array[dim].attrs.get("positive") == "down":
            known[number] = "depth"
    units = {name: str(array[dim].attrs.get("units", "")) for name, dim in zip(known, dims)}
    places = {name: array[dim].values for name, dim in zip(known, dims)}
    if sorted(known) == ["x", "y"]:
        values = array.values if known == ["y", "x"] else array.values.T
        return surface(values, places["x"], places["y"], path, unit, (units["x"], units["y"]))
    return volume(Volume(array.values, tuple(known), **places), path, unit, units, key)


def columns(value: Any, path: str) -> dict[str, Any]:
    """The columns of a table."""
    if is_from("pandas", value):
        if type(value).__name__ != "DataFrame":
            raise TypeError(f"{path}: a pandas {type(value).__name__}; give a DataFrame with named columns")
        return {str(name): value[name].to_numpy() for name in value.columns}
    if isinstance(value, Mapping):
        return {str(name): np.asanyarray(column) for name, column in value.items()}
    return {str(name): value[name].values.reshape(-1) for name in value.data_vars}


def table(value: Any, path: str) -> Given:
    """A table of numbers."""
    found = columns(value, path)
    lengths = {name: len(column) for name, column in found.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{path}: columns of different lengths: {lengths}")
    return ("table", {name: Kept(line(column, f"{path}.{name}")) for name, column in found.items()})


def receivers(value: Any, path: str) -> Given:
    """Receivers from a table with the columns code, x, y and z, or a dictionary that maps codes to positions."""
    if isinstance(value, Mapping) and not {"x", "y"} <= {str(key) for key in value}:
        return ("receivers", [(str(code), position(place, f"{path}.{code}")) for code, place in value.items()])
    found = columns(value, path)
    lacking = [name for name in ("code", "x", "y", "z") if name not in found]
    if lacking:
        raise ValueError(f"{path}: no column {lacking[0]!r}; receivers have the columns code (NET.STA), x, y and z")
    codes = [str(code) for code in found["code"]]
    places = [vector(found[name], f"{path}.{name}") for name in ("x", "y", "z")]
    return ("receivers", [(code, place) for code, place in zip(codes, zip(*(map(float, column) for column in places)))])
