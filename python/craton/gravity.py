"""Gravity, gravity gradients and magnetic fields of right rectangular prisms, and gravity of tesseroids.

Points are an array of shape ``(..., 3)`` with x (east), y (north) and z (up) in metres, or a tuple of three arrays that are broadcast
against each other; results have that shape, without the last axis of an array. Fields have the names of the gravity file: ``potential``, ``g_e``, ``g_n``, ``g_u``, ``g_d``, ``g_ee``,
``g_en``, ``g_eu``, ``g_ed``, ``g_nn``, ``g_nu``, ``g_nd``, ``g_uu``, ``g_dd``, ``g_length``, ``invariant2``, ``invariant3``,
``dimensionality``. Units are mGal for attraction, Eötvös for the gradient tensor and m²/s² for the potential, or SI units with ``units="si"``.

Points of `tesseroids` and `geographic_layer` have longitude, latitude [degrees] and height [m] instead of x, y and z.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _craton
from ._inputs import is_from, numeric
from ._progress import Report, finish, reporter
from ._result import require
from ._scenario import Described

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tables.gravity import Tables

__all__ = [
    "Problem",
    "geographic_layer",
    "layer",
    "layer_operator",
    "magnetic_operator",
    "magnetics",
    "operator",
    "prisms",
    "tensor_mesh",
    "tesseroid_operator",
    "tesseroids",
]

#: Factors from SI units by the number of derivatives of the potential.
_GEOPHYSICAL = {0: 1.0, 1: 1e5, 2: 1e9}
#: Default radius of the sphere of tesseroids [m].
_EARTH_RADIUS = 6_371_000.0
#: Magnetic constant [T m/A].
_MAGNETIC_CONSTANT = 1.25663706212e-6
#: Indices of the components of magnetic fields.
_MAGNETIC = {name: number for number, name in enumerate(("b_e", "b_n", "b_u", "b_ee", "b_en", "b_eu", "b_nn", "b_nu", "b_uu"))}


class Problem(Described):
    """A gravity problem as described in a gravity file: the keyword arguments are the tables and keys of the file.

    Raises:
        ScenarioError: a key or a value is invalid.
    """

    _kind = "gravity"

    def __init__(self, *, folder: str | os.PathLike[str] = ".", **keys: Unpack[Tables]) -> None:
        super().__init__(folder=folder, **keys)

    def compute(
        self,
        *,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        progress: bool | Report = False,
    ) -> dict[str, np.ndarray]:
        """The fields at the points in the units of the problem, by their names."""
        report = reporter(progress)
        found = _craton.compute_gravity(self._problem, device, devices, threads, report)
        finish(report)
        return {name: values for name, (_, values) in found.items()}


def prisms(
    points: Any,
    prisms: Any,
    density: Any,
    fields: str | Sequence[str] = "g_d",
    *,
    accuracy: float | None = None,
    units: str = "geophysical",
    device: str | None = "cpu",
    threads: int | None = None,
    progress: bool | Report = False,
) -> Any:
    """Fields of prisms at points.

    Args:
        points: positions, as described in the module.
        prisms: faces west, east, south, north, bottom, top of each prism [m], shape ``(m, 6)``.
        density: density contrast of each prism [kg/m3], or one number.
        fields: one field name or a list.
        accuracy: largest error as a fraction of the largest value; by default each pair of prism and point is accurate to ten digits.
        units: ``geophysical`` or ``si``.
        device: ``cpu``, ``cuda`` and so on.
        threads: number of threads.
        progress: whether to show the progress, or a function called with ``"piece"``, the number of completed pieces and their total.
    Returns:
        An array with the shape of the points, or a dictionary of arrays for several fields.
    """
    body = {"prisms": {"file": _columns(_faces(prisms), density)}}
    return _compute(points, fields, {"body": [body]}, accuracy, units, device, threads, progress)


def magnetics(
    points: Any,
    prisms: Any,
    susceptibility: Any = 0.0,
    fields: str | Sequence[str] = "tfa",
    *,
    field: Any,
    remanence: Any = None,
    accuracy: float | None = None,
    units: str = "geophysical",
    device: str | None = "cpu",
    threads: int | None = None,
    progress: bool | Report = False,
) -> Any:
    """Magnetic fields of prisms at points.

    Args:
        points, prisms, accuracy, units, device, threads, progress: as in `prisms`; units are nT and nT/m, or T and T/m.
        susceptibility: volume susceptibility (SI) of each prism, or one number.
        fields: ``tfa`` (anomaly of the total field), ``b_e``, ``b_n``, ``b_u``, ``b_d``, ``b_length``, components of the gradient of the flux
            density such as ``b_ee``, or derivatives of the anomaly such as ``tfa_u``; one name or a list.
        field: the main field: intensity [nT], inclination and declination [degrees], or a dictionary with the ``date``, ``longitude``,
            ``latitude`` and ``height`` at which IGRF-14 is evaluated.
        remanence: remanent magnetisation of each prism along east, north and up [A/m], shape ``(m, 3)``, or one vector.
    Returns:
        An array with the shape of the points, or a dictionary of arrays for several fields.
    """
    faces = _faces(prisms)
    body: dict[str, Any] = {"susceptibility_per_density": 1.0}
    if remanence is not None:
        vectors = np.asarray(numeric(remanence, "remanence"), float)
        if vectors.shape not in ((3,), (len(faces), 3)):
            raise ValueError(f"remanence of shape {vectors.shape}, not (3,) or ({len(faces)}, 3): east, north, up")
        vectors = np.broadcast_to(vectors, (len(faces), 3))
        body["vectors"] = dict(zip(("m_e", "m_n", "m_u"), vectors.T))
    if isinstance(field, dict):
        main: dict[str, Any] = {"igrf": field}
    else:
        intensity, inclination, declination = (float(value) for value in field)
        main = {"given": {"intensity": intensity, "inclination": inclination, "declination": declination}}
    tables = {
        "body": [{"prisms": {"file": _columns(faces, susceptibility)}}],
        "magnetisation": {"field": main, "body": [body]},
    }
    return _compute(points, fields, tables, accuracy, units, device, threads, progress)


def tesseroids(
    points: Any,
    tesseroids: Any,
    density: Any,
    fields: str | Sequence[str] = "g_d",
    *,
    gradient: Any = None,
    ellipsoid: str | None = None,
    radius: float | None = None,
    accuracy: float | None = None,
    units: str = "geophysical",
    device: str | None = "cpu",
    threads: int | None = None,
    progress: bool | Report = False,
) -> Any:
    """Fields of tesseroids, cells between meridians, parallels and heights, at points in longitude, latitude and height.

    Args:
        points: longitude, latitude [degrees] and height [m], with shapes as described in the module.
        tesseroids: west, east, south, north [degrees], bottom and top [m] of each cell, shape ``(m, 6)``.
        density: density contrast of each cell halfway between bottom and top [kg/m3], or one number.
        gradient: increase of the density with height [kg/m3 per m], for each cell or one number; by default the density is constant.
        ellipsoid: ``"grs80"`` or ``"wgs84"`` for geodetic latitudes and heights above this ellipsoid; by default latitudes are geocentric
            and heights above a sphere.
        radius: radius of this sphere [m], by default 6,371,000; with 0, heights are distances from the centre.
        fields, accuracy, units, device, threads, progress: as in `prisms`.
    Returns:
        An array with the shape of the points, or a dictionary of arrays for several fields.
    """
    cells = _faces(tesseroids, "tesseroids")
    body: dict[str, Any] = {"file": _columns(cells, density)}
    if gradient is not None:
        body["file"]["gradient"] = _densities(gradient, len(cells))
        body["columns"] = {"gradient": "gradient"}
    tables: dict[str, Any] = {"body": [{"tesseroids": body}]}
    if ellipsoid is not None:
        tables["ellipsoid"] = ellipsoid
    if radius is not None:
        tables["sphere"] = {"radius": float(radius)}
    return _compute(points, fields, tables, accuracy, units, device, threads, progress, is_geographic=True)


def geographic_layer(
    points: Any,
    longitude: Any,
    latitude: Any,
    top: Any,
    bottom: Any,
    density: Any,
    fields: str | Sequence[str] = "g_d",
    **options: Any,
) -> Any:
    """Fields of a layer between two surfaces in longitude and latitude, discretised into one tesseroid per point of a grid.

    Args:
        points: longitude, latitude [degrees] and height [m].
        longitude, latitude: grid points [degrees], ascending or descending; cells reach halfway to the next points, and end at the poles.
            Longitudes may cover a turn; if the first and the last point are on the same meridian, their cells end there.
        top, bottom: heights of the surfaces [m], numbers or arrays of shape ``(len(latitude), len(longitude))``. Where the top is below the
            bottom, the density has the opposite sign.
        density: a number or an array like the surfaces [kg/m3].
        fields, options: as in `tesseroids`, without ``gradient``.
    """
    if options.get("gradient") is not None:
        raise TypeError("gradient: not supported for a layer; pass its cells to tesseroids")
    places = np.asarray(numeric(longitude, "longitude"), float), np.asarray(numeric(latitude, "latitude"), float)
    cells, densities = _columns_of_layer(places, ("longitude", "latitude"), {"top": top, "bottom": bottom, "density": density})
    cells[:, 2:4] = np.clip(cells[:, 2:4], -90.0, 90.0)
    first, last = places[0].min(), places[0].max()
    spacing = np.abs(np.diff(places[0])).min()
    if abs(last - first - 360.0) <= 1e-3 * spacing:
        cells[:, :2] = np.clip(cells[:, :2], first, last)
    elif np.ptp(cells[:, :2]) > 360.0 + 1e-3 * spacing:
        raise ValueError(f"longitude: cells from {cells[:, 0].min()} to {cells[:, 1].max()} degrees cover more than a turn")
    return tesseroids(points, cells, densities, fields, **options)


def layer(
    points: Any,
    x: Any,
    y: Any = None,
    top: Any = None,
    bottom: Any = None,
    density: Any = None,
    fields: str | Sequence[str] = "g_d",
    **options: Any,
) -> Any:
    """Fields of a layer between two surfaces, discretised into one prism per point of a grid.

    Args:
        points: positions, as described in the module.
        x, y: coordinates of the grid points [m], ascending or descending; prisms reach halfway to the next points. Or, instead of all
            arguments up to ``density``, a prism layer of harmonica as ``x``: an ``xarray.Dataset`` over northing and easting with ``top``,
            ``bottom`` and ``density``.
        top, bottom: elevations of the surfaces [m], numbers or arrays of shape ``(len(y), len(x))``. Where the top is below the bottom, the
            density has the opposite sign.
        density: a number or an array like the surfaces [kg/m3].
        fields, options: as in `prisms`.
    """
    if is_from("xarray", x):
        data = x.transpose("northing", "easting")
        x, y, top, bottom, density = (data[name].values for name in ("easting", "northing", "top", "bottom", "density"))
    places = np.asarray(numeric(x, "x"), float), np.asarray(numeric(y, "y"), float)
    faces, densities = _columns_of_layer(places, ("x", "y"), {"top": top, "bottom": bottom, "density": density})
    return prisms(points, faces, densities, fields, **options)


def tensor_mesh(points: Any, mesh: Any, density: Any, fields: str | Sequence[str] = "g_d", **options: Any) -> Any:
    """Fields of the cells of a tensor mesh.

    Args:
        points: positions, as described in the module.
        mesh: three arrays with the coordinates of the cell faces along x, y and z [m], or a ``discretize.TensorMesh``.
        density: density contrast of each cell [kg/m3], with x varying fastest, then y, then z, as in discretize. Cells of zero density
            are skipped.
        fields, options: as in `prisms`.
    """
    planes = (mesh.nodes_x, mesh.nodes_y, mesh.nodes_z) if is_from("discretize", mesh) else mesh
    x, y, z = (np.asarray(places, dtype=float) for places in planes)
    count = (len(x) - 1) * (len(y) - 1) * (len(z) - 1)
    values = _densities(density, count)
    k, j, i = np.meshgrid(range(len(z) - 1), range(len(y) - 1), range(len(x) - 1), indexing="ij")
    kept = values != 0
    i, j, k = (numbers.reshape(-1)[kept] for numbers in (i, j, k))
    faces = np.stack([x[i], x[i + 1], y[j], y[j + 1], z[k], z[k + 1]], axis=-1)
    return prisms(points, faces, values[kept], fields, **options)


def operator(
    points: Any, prisms: Any, fields: str | Sequence[str] = "g_d", *, units: str = "geophysical", threads: int | None = None
) -> Any:
    """The linear map from densities to fields as a ``scipy.sparse.linalg.LinearOperator``, with its exact transpose.

    Args:
        points, prisms, units, threads: as in `prisms`.
        fields: linear fields: ``potential`` and components of the attraction and of the tensor.
    Returns:
        An operator of shape ``(fields * points, prisms)``: all points of the first field come first, then those of the second, and so on.
    """
    places, faces, wanted = _points(points)[0], _faces(prisms), _names(fields)
    sums = _craton.PrismSums(np.ascontiguousarray(places).reshape(-1), np.ascontiguousarray(faces).reshape(-1), wanted, threads)
    return _operator("operator", sums, _factors(wanted, units, len(places)), len(faces))


def layer_operator(
    points: Any,
    x: Any,
    y: Any,
    top: Any,
    bottom: Any,
    fields: str | Sequence[str] = "g_d",
    *,
    radius: int | None = None,
    units: str = "geophysical",
    threads: int | None = None,
) -> Any:
    """The linear map from densities of the columns of a layer to fields as a ``scipy.sparse.linalg.LinearOperator``, with its exact transpose.

    The upper surface is interpolated smoothly between its grid points, as with ``tops = "smooth"`` in a gravity file, so that points may be on the ground. The
    tensor on the surface is its limit from above.

    Args:
        points, units, threads: as in `prisms`.
        x, y: coordinates of the grid points [m], ascending or descending; columns reach halfway to the next points.
        top, bottom: elevations of the surfaces [m], numbers or arrays of shape ``(len(y), len(x))``. Above a level bottom the upper surface is clamped to the
            bottom; otherwise a column has the opposite of its density where its top is below its bottom.
        fields: linear fields: ``potential`` and components of the attraction and of the tensor.
        radius: largest distance in columns at which columns have a smooth top; by default all have.
    Returns:
        An operator of shape ``(fields * points, len(y) * len(x))``: all points of the first field come first, then those of the second, and so on. Densities
        are in the order of an array of shape ``(len(y), len(x))``.
    """
    places, wanted = _points(points)[0], _names(fields)
    axes = [np.ascontiguousarray(numeric(values, name), dtype=float) for values, name in ((x, "x"), (y, "y"))]
    shape = (len(axes[1]), len(axes[0]))
    surfaces = [np.broadcast_to(_over_the_grid(values, name), shape) for values, name in ((top, "top"), (bottom, "bottom"))]
    flips = tuple(slice(None, None, -1 if len(axis) > 1 and axis[-1] < axis[0] else 1) for axis in reversed(axes))
    east, north = (np.ascontiguousarray(axis[flip]) for axis, flip in zip(axes, reversed(flips)))
    upper, lower = (np.ascontiguousarray(surface[flips]).reshape(-1) for surface in surfaces)
    if radius is not None and radius < 0:
        raise ValueError(f"radius = {radius}: 0 or more columns")
    sums = _craton.LayerSums(np.ascontiguousarray(places).reshape(-1), east, north, upper, lower, wanted, radius, threads)
    order = np.arange(shape[0] * shape[1]).reshape(shape)[flips].reshape(-1)
    return _operator("layer_operator", sums, _factors(wanted, units, len(places)), len(order), order=order)


def tesseroid_operator(
    points: Any,
    tesseroids: Any,
    fields: str | Sequence[str] = "g_d",
    *,
    ellipsoid: str | None = None,
    radius: float | None = None,
    units: str = "geophysical",
    threads: int | None = None,
) -> Any:
    """The linear map from densities of tesseroids to fields as a ``scipy.sparse.linalg.LinearOperator``, with its exact transpose.

    Args:
        points, tesseroids, ellipsoid, radius, units, threads: as in `tesseroids`.
        fields: linear fields: ``potential`` and components of the attraction and of the tensor.
    Returns:
        An operator of shape ``(fields * points, tesseroids)``: all points of the first field come first, then those of the second, and so on.
    """
    if ellipsoid is not None and radius is not None:
        raise ValueError("radius: has no effect with ellipsoid; give one of them")
    places, cells, wanted = _points(points)[0], _faces(tesseroids, "tesseroids"), _names(fields)
    arrays = np.ascontiguousarray(places).reshape(-1), np.ascontiguousarray(cells).reshape(-1)
    sums = _craton.TesseroidSums(*arrays, wanted, _EARTH_RADIUS if radius is None else float(radius), ellipsoid, threads)
    return _operator("tesseroid_operator", sums, _factors(wanted, units, len(places)), len(cells))


def magnetic_operator(
    points: Any,
    prisms: Any,
    fields: str | Sequence[str] = "tfa",
    *,
    field: Any = None,
    vectors: bool = False,
    units: str = "geophysical",
    threads: int | None = None,
) -> Any:
    """The linear map from susceptibilities or magnetisations to magnetic fields as a ``scipy.sparse.linalg.LinearOperator``, with its exact transpose.

    Args:
        points, prisms, units, threads: as in `magnetics`.
        fields: ``tfa``, ``b_e``, ``b_n``, ``b_u``, ``b_d``, components of the gradient such as ``b_ee``, ``tfa_e``, ``tfa_n`` or ``tfa_u``.
        field: the main field: intensity [nT], inclination and declination [degrees]. Required for susceptibilities, and for ``tfa``. A dictionary for
            IGRF, as in `magnetics`, is refused.
        vectors: whether the operator takes magnetisation vectors [A/m] instead of susceptibilities: all components along east, then north, then up.
    Returns:
        An operator of shape ``(fields * points, prisms)``, or ``(fields * points, 3 * prisms)`` for vectors.
    """
    places, faces, wanted = _points(points)[0], _faces(prisms), _names(fields)
    if units not in ("geophysical", "si"):
        raise ValueError(f"units = {units!r}: geophysical or si")
    main = None if field is None else _main_field(field)
    if main is None and (not vectors or any(name.startswith("tfa") for name in wanted)):
        raise ValueError("field: is missing; give (intensity, inclination, declination), or vectors=True with components of b")
    rows = np.array([_magnetic_row(name, main) for name in wanted])
    sums = _craton.MagneticSums(np.ascontiguousarray(places).reshape(-1), np.ascontiguousarray(faces).reshape(-1), rows.reshape(-1), threads)
    factors = np.full(len(wanted) * len(places), 1.0 if units == "si" else 1e9)
    if vectors:
        return _operator("magnetic_operator", sums, factors, 3 * len(faces))
    assert main is not None
    return _operator("magnetic_operator", sums, factors, len(faces), main / _MAGNETIC_CONSTANT)


def _operator(
    name: str, sums: Any, factors: np.ndarray, columns: int, vector: np.ndarray | None = None, order: np.ndarray | None = None
) -> Any:
    """A linear operator from sums, with factors of the rows, a vector by which each column is multiplied, and the order of the columns in the sums."""
    linalg = require("scipy.sparse.linalg", f"craton.gravity.{name}")

    def forward(model: np.ndarray) -> np.ndarray:
        values = np.ascontiguousarray(model, dtype=float).reshape(-1)
        values = values if order is None else values[order]
        values = values if vector is None else np.outer(vector, values).reshape(-1)
        found: np.ndarray = factors * sums.forward(values)
        return found

    def transpose(weights: np.ndarray) -> np.ndarray:
        values: np.ndarray = sums.transpose(factors * np.asarray(weights, dtype=float).reshape(-1))
        values = values if vector is None else vector @ values.reshape(3, -1)
        if order is None:
            return values
        ordered = np.empty_like(values)
        ordered[order] = values
        return ordered

    return linalg.LinearOperator((len(factors), columns), matvec=forward, rmatvec=transpose, dtype=np.float64)


def _names(fields: str | Sequence[str]) -> list[str]:
    return [fields] if isinstance(fields, str) else list(fields)


def _factors(fields: list[str], units: str, points: int) -> np.ndarray:
    """Factors from SI units of gravity fields at points."""
    if units not in ("geophysical", "si"):
        raise ValueError(f"units = {units!r}: geophysical or si")
    order = [0 if name == "potential" else len(name) - len("g_") for name in fields]
    return np.repeat([1.0 if units == "si" else _GEOPHYSICAL.get(number, 1.0) for number in order], points)


def _main_field(field: Any) -> np.ndarray:
    """The main field (east, north, up) [T] from its intensity [nT], inclination and declination [degrees]."""
    if isinstance(field, dict):
        raise TypeError("field: give (intensity, inclination, declination), for example those that the report of a problem with IGRF prints")
    values = np.asarray(field, dtype=float).reshape(-1)
    if len(values) != 3:
        raise ValueError(f"field: has {len(values)} numbers (allowed: 3); give (intensity, inclination, declination)")
    intensity, inclination, declination = values
    for name, value, is_allowed, allowed in [
        ("intensity", intensity, 0.0 < intensity <= 1e6, "above 0 nT, at most 1e6 nT"),
        ("inclination", inclination, abs(inclination) <= 90.0, "-90 to 90 degrees"),
        ("declination", declination, abs(declination) <= 360.0, "-360 to 360 degrees"),
    ]:
        if not is_allowed:
            raise ValueError(f"field: {name} = {value:g} (allowed: {allowed}); give (intensity, inclination, declination)")
    inclination, declination = np.radians(inclination), np.radians(declination)
    level = np.cos(inclination)
    main: np.ndarray = 1e-9 * intensity * np.array([level * np.sin(declination), level * np.cos(declination), -np.sin(inclination)])
    return main


def _magnetic_row(name: str, main: np.ndarray | None) -> np.ndarray:
    """Coefficients of the components of B and of its gradient for a field."""
    unit = np.zeros(3) if main is None else main / np.linalg.norm(main)
    row = np.zeros(9)
    if name == "tfa":
        row[:3] = unit
    elif name in ("tfa_e", "tfa_n", "tfa_u"):
        for number, along in enumerate("enu"):
            row[_MAGNETIC["b_" + "".join(sorted((along, name[-1])))]] += unit[number]
    elif name == "b_d":
        row[2] = -1.0
    elif name in _MAGNETIC:
        row[_MAGNETIC[name]] = 1.0
    else:
        raise ValueError(f"{name!r} is not a linear field: tfa, tfa_e, tfa_n, tfa_u, b_d, {', '.join(_MAGNETIC)}")
    return row


def _points(points: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """Positions of shape (n, 3), and the shape of the results."""
    # Only a tuple with arrays is one of components: a list, or a tuple of tuples, may be three points.
    if isinstance(points, tuple) and len(points) == 3 and any(hasattr(values, "__array__") for values in points):
        parts = np.broadcast_arrays(*(np.asarray(numeric(values, "points"), float) for values in points))
        return np.stack([values.reshape(-1) for values in parts], axis=-1), parts[0].shape
    array = np.asarray(numeric(points, "points"), float)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"points of shape {array.shape}, not (..., 3) or three arrays")
    return array.reshape(-1, 3), array.shape[:-1]


def _compute(
    points: Any,
    fields: str | Sequence[str],
    tables: dict[str, Any],
    accuracy: float | None,
    units: str,
    device: str | None,
    threads: int | None,
    progress: bool | Report,
    is_geographic: bool = False,
) -> Any:
    """Fields of the problem with these tables, an array or a dictionary of arrays."""
    places, shape = _points(points)
    names = ("longitude", "latitude", "height") if is_geographic else ("x", "y", "z")
    wanted = [fields] if isinstance(fields, str) else list(fields)
    problem = Problem.from_dict({
        **tables,
        "points": {"geographic_list" if is_geographic else "list": {"file": dict(zip(names, places.T))}},
        "fields": wanted,
        "method": {} if accuracy is None else {"accuracy": float(accuracy)},
        "output": {"units": units},
    })
    found = problem.compute(device=device, threads=threads, progress=progress)
    arrays = {name: found[name].reshape(shape) for name in wanted}
    return arrays[fields] if isinstance(fields, str) else arrays


def _columns(faces: np.ndarray, density: Any) -> dict[str, np.ndarray]:
    """The columns of a list of bodies."""
    columns = dict(zip(("west", "east", "south", "north", "bottom", "top"), faces.T))
    columns["density"] = _densities(density, len(faces))
    return columns


def _columns_of_layer(
    places: tuple[np.ndarray, np.ndarray], names: tuple[str, str], surfaces: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Faces and densities of the columns of a layer that have a thickness."""
    shape = (len(places[1]), len(places[0]))
    top, bottom, density = (np.broadcast_to(_over_the_grid(values, name), shape) for name, values in surfaces.items())
    (west, east), (south, north) = (_sides(along, name) for along, name in zip(places, names))
    (west, south), (east, north) = np.meshgrid(west, south), np.meshgrid(east, north)
    upper, lower = np.maximum(top, bottom), np.minimum(top, bottom)
    solid = upper > lower
    faces = np.stack([west, east, south, north, lower, upper], axis=-1)
    return faces[solid], np.where(top >= bottom, density, -density)[solid]


def _faces(prisms: Any, name: str = "prisms") -> np.ndarray:
    faces = np.asarray(numeric(prisms, name), float)
    if faces.ndim == 1 and faces.shape == (6,):
        faces = faces[None]
    if faces.ndim != 2 or faces.shape[1] != 6:
        raise ValueError(f"{name} of shape {faces.shape}, not (m, 6): west, east, south, north, bottom, top")
    return faces


def _densities(density: Any, count: int) -> np.ndarray:
    values = numeric(density, "density")
    if values.shape not in ((), (count,)):
        raise ValueError(f"densities of shape {values.shape} for {count} prisms")
    return np.broadcast_to(values, (count,))


def _over_the_grid(values: Any, name: str) -> np.ndarray:
    """A number, or values of shape (y, x) without gaps."""
    if is_from("xarray", values) and values.ndim == 2:
        order = sorted(values.dims, key=lambda dim: str(dim).lower() in ("x", "easting", "east"))
        values = values.transpose(*order).values
    array = np.asarray(numeric(values, name), float)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: {int((~np.isfinite(array)).sum())} values are not finite")
    return array


def _sides(places: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper sides of the prisms around grid points."""
    steps = np.diff(places)
    if len(steps) == 0 or not ((steps > 0).all() or (steps < 0).all()):
        raise ValueError(f"{name} neither ascends nor descends, or has fewer than 2 points")
    if np.abs(steps - steps.mean()).max() <= 1e-4 * abs(steps.mean()):
        half = 0.5 * abs(float(steps.mean()))
        return places - half, places + half
    ends = [1.5 * places[0] - 0.5 * places[1]], [1.5 * places[-1] - 0.5 * places[-2]]
    edges = np.concatenate([ends[0], 0.5 * (places[1:] + places[:-1]), ends[1]])
    return np.minimum(edges[:-1], edges[1:]), np.maximum(edges[:-1], edges[1:])
