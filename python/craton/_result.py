"""Results of a simulation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


def require(package: str, purpose: str) -> Any:
    """Imports an optional package."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{purpose} requires the package {package}: pip install {package.split('.')[0]}") from error


class Frame:
    """Fields of a snapshot series at one time.

    Attributes:
        series: name of the series, such as ``surface``.
        time: time of the frame [s].
        points: positions [m], shape ``(points, 3)``; read-only if other frames of the series have them, too.
        shape: numbers of points along x, y and z for a regular grid, x varying fastest, else None.
        corners: indices of the corner points of each cell, shape ``(cells, 4)`` or ``(cells, 8)``; empty on a regular grid.
        fields: values at the points by quantity, shape ``(points, components)``.
        cell_fields: values inside the cells by quantity, shape ``(cells, components)``.
        units: unit of each quantity.
    """

    def __init__(self, native: dict[str, Any]) -> None:
        self.series: str = native["series"]
        self.time: float = native["time"]
        self.points: np.ndarray = native["points"].reshape(-1, 3)
        self.shape: tuple[int, int, int] | None = tuple(native["shape"]) if native["shape"] else None
        self.fields = {name: values.reshape(-1, count) for name, (_, count, values) in native["at_points"].items()}
        self.cell_fields = {name: values.reshape(-1, count) for name, (_, count, values) in native["in_cells"].items()}
        units = {**native["at_points"], **native["in_cells"]}
        self.units = {name: unit for name, (unit, _, _) in units.items()}
        corners = native["corners"]
        size = 4 if self.series.startswith(("surface", "slice")) else 8
        cells = max((len(values) for values in self.cell_fields.values()), default=0)
        if cells and len(corners):
            size = len(corners) // cells
        self.corners: np.ndarray = corners.reshape(-1, size) if len(corners) else corners.reshape(0, size)

    def __repr__(self) -> str:
        names = ", ".join([*self.fields, *self.cell_fields])
        return f"<craton.Frame {self.series} at {self.time:.6g} s: {len(self.points)} points, {names}>"


class Frames:
    """Frames in chronological order; those of a series share their points and cells while these do not change."""

    def __init__(self) -> None:
        self.all: list[Frame] = []
        self._last: dict[str, Frame] = {}

    def append(self, frame: Frame) -> None:
        """Adds a frame."""
        last = self._last.get(frame.series)
        if last is not None:
            for name in ("points", "corners"):
                if np.array_equal(getattr(last, name), getattr(frame, name)):
                    getattr(last, name).flags.writeable = False
                    setattr(frame, name, getattr(last, name))
        self._last[frame.series] = frame
        self.all.append(frame)


class Trace:
    """One component of a seismogram.

    Attributes:
        station: code ``NET.STA`` or ``NET.STA.LOC``.
        quantity: ``displacement``, ``velocity``, ``acceleration``, ``strain`` or ``pressure``.
        component: such as ``X``, ``Z`` or ``E``.
        samples: values in SI units.
        start: time of the first sample [s].
        interval: sample interval [s].
        unit: unit of the samples.
        position: position of the receiver x, y, z [m].
        offset: horizontal distance from the source [m].
        longitude, latitude: geographic position of the receiver [degrees], if the domain has a projection.
        codes: codes of network, station, location and channel.
        id: the codes, separated by dots.
        times: times of the samples [s].
    """

    def __init__(self, native: dict[str, Any]) -> None:
        self.station: str = native["station"]
        self.quantity: str = native["quantity"]
        self.component: str = native["component"]
        self.samples: np.ndarray = native["samples"]
        self.start: float = native["start"]
        self.interval: float = native["interval"]
        self.unit: str = native["unit"]
        self.position: tuple[float, float, float] | None = tuple(native["position"]) if native["position"] else None
        self.offset: float | None = native["offset"]
        self.longitude: float | None = native["longitude"]
        self.latitude: float | None = native["latitude"]
        self.codes: list[str] = native["codes"]
        self._zero = native["zero"]

    @property
    def id(self) -> str:
        """Codes of network, station, location and channel, separated by dots."""
        return ".".join(self.codes)

    @property
    def times(self) -> np.ndarray:
        """Times of the samples [s]."""
        return self.start + self.interval * np.arange(len(self.samples))

    def __repr__(self) -> str:
        name = f"{self.station} {self.quantity} {self.component}"
        return f"<craton.Trace {name}: {len(self.samples)} samples of {self.interval:.6g} s from {self.start:.6g} s>"


class Result:
    """Results of a run.

    Attributes:
        all: the traces, as a list of `Trace`.
        frames: frames of snapshots in chronological order, as a list of `Frame`.
        warnings: warnings about the scenario.
        record: information about the run: device, number of steps, time step [s], time per stage [s].
        directory: the results folder, if there is one.
    """

    def __init__(
        self, traces: list[Trace], frames: list[Frame], warnings: list[str], record: dict[str, Any], directory: Path | None
    ) -> None:
        self.all = traces
        self.frames = frames
        self.warnings = warnings
        self.record = record
        self.directory = directory

    def __repr__(self) -> str:
        stations = len({trace.station for trace in self.all})
        frames = f", {len(self.frames)} frames" if self.frames else ""
        return f"<craton.Result: {len(self.all)} traces of {stations} stations{frames}>"

    def __iter__(self) -> Iterator[Trace]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, index: int) -> Trace:
        return self.all[index]

    def trace(self, station: str, component: str, quantity: str | None = None) -> Trace:
        """Returns the trace of one component; ``quantity`` defaults to the first recorded quantity.

        Raises:
            KeyError: there is no such trace; the message lists the available traces.
        """
        for trace in self.all:
            if (trace.station, trace.component) == (station, component) and quantity in (None, trace.quantity):
                return trace
        there = ", ".join(sorted(f"{trace.station} {trace.component} {trace.quantity}" for trace in self.all))
        wanted = " ".join(filter(None, (station, component, quantity)))
        raise KeyError(f"no trace {wanted}; there are {there}")

    @property
    def stream(self) -> Any:
        """The traces as an ``obspy.Stream``, with the values, codes and times of the miniSEED files of a results folder.

        Without a date in the scenario, time 0 is 1970-01-01T00:00:00.
        """
        obspy = require("obspy", "Result.stream")
        stream = obspy.Stream()
        for trace in self.all:
            year, month, day, hour, minute, second = trace._zero or (1970, 1, 1, 0, 0, 0.0)
            zero = obspy.UTCDateTime(year, month, day, hour, minute) + second
            network, station, location, channel = trace.codes
            header = {
                "network": network, "station": station, "location": location, "channel": channel, "delta": trace.interval,
                "starttime": zero + trace.start, "craton": {"quantity": trace.quantity, "unit": trace.unit},
            }
            stream.append(obspy.Trace(trace.samples.astype(np.float32), header))
        return stream

    @property
    def traces(self) -> Any:
        """The traces as an ``xarray.Dataset``: a variable per quantity over station, component and time.

        Missing components are NaN. The attribute ``units`` of each variable gives its unit.
        """
        xarray = require("xarray", "Result.traces")
        variables = {}
        for quantity in dict.fromkeys(trace.quantity for trace in self.all):
            own = [trace for trace in self.all if trace.quantity == quantity]
            stations = list(dict.fromkeys(trace.station for trace in own))
            components = list(dict.fromkeys(trace.component for trace in own))
            values = np.full((len(stations), len(components), len(own[0].samples)), np.nan)
            for trace in own:
                values[stations.index(trace.station), components.index(trace.component)] = trace.samples
            coordinates: dict[str, Any] = {
                "station": stations, "component": components, "time": ("time", own[0].times, {"units": "s"}),
            }
            places = {trace.station: trace.position for trace in own if trace.position is not None}
            if len(places) == len(stations):
                for number, name in enumerate("xyz"):
                    place = [places[station][number] for station in stations]
                    coordinates[name] = ("station", place, {"units": "m"})
            variables[quantity] = xarray.DataArray(
                values, dims=("station", "component", "time"), coords=coordinates, attrs={"units": own[0].unit}, name=quantity
            )
        return xarray.Dataset(variables)

    @property
    def snapshots(self) -> dict[str, Any]:
        """The frames as an ``xarray.Dataset`` for each series, with a variable per quantity.

        Dimensions are time, x, y and z (those with several points) for a regular grid, otherwise time and point or cell; vectors and tensors
        have the dimension component as well. Variables are lazy: the values of a selection are copied from the frames when they are accessed.
        """
        xarray = require("xarray", "Result.snapshots")
        series: dict[str, Any] = {}
        for name in dict.fromkeys(frame.series for frame in self.frames):
            frames = [frame for frame in self.frames if frame.series == name]
            series[name] = xarray.Dataset(*_variables(frames))
        return series

    def plot(self, component: str | None = None, quantity: str | None = None, scale: float = 1.0) -> Any:
        """Draws the traces of a component, sorted by distance from the source, and returns the ``matplotlib`` axes.

        Args:
            component: by default the last one of the first station, such as ``Z``.
            quantity: by default the first recorded one.
            scale: factor on the amplitudes.
        """
        pyplot = require("matplotlib.pyplot", "Result.plot")
        if not self.all:
            raise ValueError("the run recorded no traces")
        quantity = quantity or self.all[0].quantity
        first = [trace for trace in self.all if trace.station == self.all[0].station and trace.quantity == quantity]
        component = component or first[-1].component
        own = [trace for trace in self.all if (trace.quantity, trace.component) == (quantity, component)]
        if not own:
            raise KeyError(f"no traces of {quantity} {component}")
        _, axes = pyplot.subplots(figsize=(8, 1.5 + 0.6 * len(own)), layout="constrained")
        peak = max(np.abs(trace.samples).max() for trace in own) or 1.0
        for number, trace in enumerate(sorted(own, key=lambda trace: trace.offset or 0.0)):
            axes.plot(trace.times, number + 0.9 * scale * trace.samples / peak, "k", linewidth=0.8)
            distance = "" if trace.offset is None else f"  {trace.offset / 1000:.4g} km"
            axes.annotate(f"{trace.station}{distance}", (trace.times[0], number), (2, 3), textcoords="offset points", fontsize=8)
        axes.set(xlabel="time [s]", yticks=[], title=f"{quantity} {component}, largest value {peak:.3g} {own[0].unit}")
        axes.margins(x=0)
        return axes


def _variables(frames: list[Frame]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and coordinates of the frames of a series."""
    first = frames[0]
    coordinates: dict[str, Any] = {"time": ("time", [frame.time for frame in frames], {"units": "s"})}
    if first.shape is None:
        coordinates |= {axis: ("point", first.points[:, number], {"units": "m"}) for number, axis in enumerate("xyz")}
        dims: tuple[str, ...] = ("point",)
        sizes: tuple[int, ...] = (len(first.points),)
    else:
        grid = first.points.reshape(*first.shape[::-1], 3)
        lines = {"x": grid[0, 0, :, 0], "y": grid[0, :, 0, 1], "z": grid[:, 0, 0, 2]}
        several = {axis: line for axis, line in lines.items() if len(line) > 1}
        coordinates |= {axis: (axis, line, {"units": "m"}) for axis, line in several.items()}
        dims = tuple(axis for axis in "zyx" if axis in several)
        sizes = tuple(len(several[axis]) for axis in dims)
    variables = {}
    for kind, fields in (("fields", first.fields), ("cell_fields", first.cell_fields)):
        for quantity, values in fields.items():
            own_dims, own_sizes = (dims, sizes) if kind == "fields" else (("cell",), (len(values),))
            components = {3: ["x", "y", "z"], 6: ["xx", "yy", "zz", "xy", "yz", "xz"]}.get(values.shape[1])
            label: tuple[str, ...] = ()
            if components is not None:
                label = ("component",) if len(components) == 3 else ("tensor_component",)
                coordinates[label[0]] = components
            shape = (*own_sizes, *(len(coordinates[name]) for name in label))
            stacked = _stacked([getattr(frame, kind)[quantity].reshape(shape) for frame in frames])
            variables[quantity] = (("time", *own_dims, *label), stacked, {"units": first.units[quantity]})
    return variables, coordinates


def _stacked(arrays: list[np.ndarray]) -> Any:
    """Arrays of the same shape as one lazy array, whose first axis is their index."""
    indexing = require("xarray.core.indexing", "Result.snapshots")
    # As xarray wraps the variables of files: they can be assigned, and all values are kept once they have been computed.
    return indexing.MemoryCachedArray(indexing.CopyOnWriteArray(indexing.LazilyIndexedArray(_backend(arrays))))


def _backend(arrays: list[np.ndarray]) -> Any:
    """The part of a lazy array that copies selections."""
    indexing = require("xarray.core.indexing", "Result.snapshots")
    backends = require("xarray.backends", "Result.snapshots")

    class Stacked(backends.BackendArray):  # type: ignore[name-defined, misc]
        shape = (len(arrays), *arrays[0].shape)
        dtype = arrays[0].dtype

        def __reduce__(self) -> tuple[Any, ...]:
            return _backend, (arrays,)

        def __getitem__(self, key: Any) -> Any:
            return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._select)

        @staticmethod
        def _select(key: tuple[Any, ...]) -> np.ndarray:
            within = tuple(key[1:])
            if isinstance(key[0], (int, np.integer)):
                return _outer(arrays[key[0]], within).copy()
            indices = range(len(arrays))[key[0]] if isinstance(key[0], slice) else key[0]
            chosen = [_outer(arrays[index], within) for index in indices]
            empty = _outer(arrays[0], within)[None][:0]
            return np.stack(chosen) if chosen else empty

    return Stacked()


def _outer(array: np.ndarray, key: tuple[Any, ...]) -> np.ndarray:
    """A selection with one independent index, slice or list of indices for each axis."""
    axis = 0
    for index in key:
        array = array[(slice(None),) * axis + (index,)]
        axis += not isinstance(index, (int, np.integer))
    return array
