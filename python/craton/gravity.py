"""Gravity and gravity gradients of right rectangular prisms.

Points are an array of shape ``(..., 3)`` with x (east), y (north) and z (up) in metres, or a tuple of three arrays that are broadcast
against each other; results have that shape, without the last axis of an array. Fields have the names of the gravity file: ``potential``, ``g_e``, ``g_n``, ``g_u``, ``g_d``, ``g_ee``,
``g_en``, ``g_eu``, ``g_ed``, ``g_nn``, ``g_nu``, ``g_nd``, ``g_uu``, ``g_dd``, ``g_length``, ``invariant2``, ``invariant3``,
``dimensionality``. Units are mGal for attraction, Eötvös for the gradient tensor and m²/s² for the potential, or SI units with ``units="si"``.
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

__all__ = ["Problem", "layer", "operator", "prisms", "tensor_mesh"]

#: Factors from SI units by the number of derivatives of the potential.
_GEOPHYSICAL = {0: 1.0, 1: 1e5, 2: 1e9}


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
    places, shape = _points(points)
    faces = _faces(prisms)
    columns = dict(zip(("west", "east", "south", "north", "bottom", "top"), np.ascontiguousarray(faces.T)))
    columns["density"] = _densities(density, len(faces))
    wanted = [fields] if isinstance(fields, str) else list(fields)
    method = {} if accuracy is None else {"accuracy": float(accuracy)}
    problem = Problem.from_dict({
        "body": [{"prisms": {"file": columns}}],
        "points": {"list": {"file": dict(zip("xyz", np.ascontiguousarray(places.T)))}},
        "fields": wanted,
        "method": method,
        "output": {"units": units},
    })
    found = problem.compute(device=device, threads=threads, progress=progress)
    arrays = {name: found[name].reshape(shape) for name in wanted}
    return arrays[fields] if isinstance(fields, str) else arrays


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
    x, y = numeric(x, "x").astype(float), numeric(y, "y").astype(float)
    shape = (len(y), len(x))
    named = {"top": top, "bottom": bottom, "density": density}
    top, bottom, density = (np.broadcast_to(_over_the_grid(values, name), shape) for name, values in named.items())
    (west, east), (south, north) = _sides(x, "x"), _sides(y, "y")
    (west, south), (east, north) = np.meshgrid(west, south), np.meshgrid(east, north)
    upper, lower = np.maximum(top, bottom), np.minimum(top, bottom)
    solid = upper > lower
    faces = np.stack([west, east, south, north, lower, upper], axis=-1)
    return prisms(points, faces[solid], np.where(top >= bottom, density, -density)[solid], fields, **options)


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
    linalg = require("scipy.sparse.linalg", "craton.gravity.operator")
    if units not in ("geophysical", "si"):
        raise ValueError(f"units = {units!r}: geophysical or si")
    places, _ = _points(points)
    faces = _faces(prisms)
    wanted = [fields] if isinstance(fields, str) else list(fields)
    sums = _craton.PrismSums(np.ascontiguousarray(places).reshape(-1), np.ascontiguousarray(faces).reshape(-1), wanted, threads)
    order = [0 if name == "potential" else len(name) - len("g_") for name in wanted]
    factors = np.repeat([1.0 if units == "si" else _GEOPHYSICAL[number] for number in order], len(places))

    def forward(density: np.ndarray) -> np.ndarray:
        values: np.ndarray = factors * sums.forward(np.ascontiguousarray(density, dtype=float).reshape(-1))
        return values

    def transpose(weights: np.ndarray) -> np.ndarray:
        return sums.transpose(factors * np.asarray(weights, dtype=float).reshape(-1))

    return linalg.LinearOperator((len(factors), len(faces)), matvec=forward, rmatvec=transpose, dtype=np.float64)


def _points(points: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """Positions of shape (n, 3), and the shape of the results."""
    # Only a tuple with arrays is one of components: a list, or a tuple of tuples, may be three points.
    if isinstance(points, tuple) and len(points) == 3 and any(hasattr(values, "__array__") for values in points):
        parts = np.broadcast_arrays(*(numeric(values, "points").astype(float) for values in points))
        return np.stack([values.reshape(-1) for values in parts], axis=-1), parts[0].shape
    array = numeric(points, "points").astype(float)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"points of shape {array.shape}, not (..., 3) or three arrays")
    return array.reshape(-1, 3), array.shape[:-1]


def _faces(prisms: Any) -> np.ndarray:
    faces = numeric(prisms, "prisms").astype(float)
    if faces.ndim == 1 and faces.shape == (6,):
        faces = faces[None]
    if faces.ndim != 2 or faces.shape[1] != 6:
        raise ValueError(f"prisms of shape {faces.shape}, not (m, 6): west, east, south, north, bottom, top")
    return faces


def _densities(density: Any, count: int) -> np.ndarray:
    values = numeric(density, "density").astype(float)
    if values.shape not in ((), (count,)):
        raise ValueError(f"densities of shape {values.shape} for {count} prisms")
    return np.ascontiguousarray(np.broadcast_to(values, (count,)))


def _over_the_grid(values: Any, name: str) -> np.ndarray:
    """A number, or values of shape (y, x) without gaps."""
    if is_from("xarray", values) and values.ndim == 2:
        order = sorted(values.dims, key=lambda dim: str(dim).lower() in ("x", "easting", "east"))
        values = values.transpose(*order).values
    array = numeric(values, name).astype(float)
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
