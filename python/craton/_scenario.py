"""Scenarios and simulations."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _craton
from ._inputs import Collected
from ._progress import Report as Progress
from ._progress import finish, reporter
from ._result import Frame, Frames, Result, Trace
from .errors import CratonWarning

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tables.scenario import Tables

__all__ = ["Report", "Scenario", "Simulation", "run"]


class Report:
    """Description of a computation before it starts; ``print`` shows all of it.

    Attributes:
        text: the description.
        warnings: warnings.
        time_step: time step [s]; this and the following for scenarios only.
        steps: number of time steps.
        points_per_wavelength: smallest number of points per wavelength.
        resolved_frequency: highest resolved frequency [Hz].
        memory, disk: required memory, and disk space with a results folder [bytes].
        time_loop: expected time of the time loop [s].
    """

    def __init__(self, text: str, facts: list[tuple[str, float]], warnings: list[str]) -> None:
        self.text = text.rstrip()
        self.warnings = warnings
        for name, value in facts:
            setattr(self, name, int(value) if name in ("steps", "memory", "disk") else value)

    def __repr__(self) -> str:
        return self.text


class Described:
    """TOML text with data by name: what scenarios, surveys and gravity problems have in common."""

    _kind = ""
    _section = "output"

    def __init__(self, *, folder: str | os.PathLike[str] = ".", **keys: Any) -> None:
        collected = Collected()
        values = collected.plain({key: value for key, value in keys.items() if value is not None})
        output = values.setdefault("output", {})
        if isinstance(output, dict):
            output.setdefault("directory", "results")
        self._set(_craton.to_toml(values), self._kind, os.fspath(folder), [], collected.given)

    def _set(self, text: str, name: str, folder: str, overrides: list[str], given: dict[str, _craton.Data]) -> None:
        folder = os.path.abspath(folder)
        self._state = (text, name, folder, overrides, given)
        self._problem = _craton.Problem(self._kind, text, name, folder, overrides, given)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".") -> Any:
        """Builds the object from the tables of the file format as dictionaries. Data may replace file names.

        Args:
            folder: the folder to which relative file names refer.
        """
        return cls(folder=folder, **values)

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str], *, data: Mapping[str, Any] | None = None, folder: str | None = None) -> Any:
        """Reads a TOML file, or TOML text (a string with a line break).

        Args:
            source: path of a file, or TOML text.
            data: data, keyed by the file names that they replace.
            folder: the folder to which relative file names refer; by default that of the file, or the working directory.
        """
        made = cls.__new__(cls)
        if isinstance(source, str) and "\n" in source:
            text, name, own = source, cls._kind, "."
        else:
            path = Path(source)
            text, name, own = path.read_text(encoding="utf-8"), str(path), str(path.parent)
        given: dict[str, _craton.Data] = {}
        values = _craton.from_toml(text) if _is_toml(text) else {}
        for key, value in (data or {}).items():
            found = _key_of(values, key)
            if found is None:
                raise ValueError(f"data[{key!r}]: no key of the text has this name as its value")
            inner = Collected()
            inner.plain({"file" if found.endswith(".file") else found.rsplit(".", 1)[-1]: value})
            if not inner.given:
                raise TypeError(f"data[{key!r}]: a value of type {type(value).__name__} cannot replace a file")
            given[key] = next(iter(inner.given.values()))
        _check_names(values, given, Path(folder or own))
        made._set(text, name, folder or own, [], given)
        return made

    def changed(self, *changes: str, **keys: Any) -> Any:
        """A copy with other values.

        Args:
            changes: strings such as ``"source[0].position[2] = -500"``, as for ``--set`` on the command line.
            keys: values of keys at the top level, such as ``duration=5``; a table replaces the whole table.
        """
        text, name, folder, overrides, given = self._state
        collected = Collected(dict(given))
        removed = [key for key, value in keys.items() if value is None]
        if removed:
            raise TypeError(f"{removed[0]} = None: a key cannot be removed; give a value")
        values = collected.plain(keys)
        if isinstance(values.get("output"), dict):
            values["output"].setdefault("directory", self.to_dict()["output"]["directory"])
        more = [f"{key}={_inline(value)}" for key, value in values.items()]
        made = type(self).__new__(type(self))
        made._set(text, name, folder, [*overrides, *changes, *more], collected.given)
        return made

    def to_toml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The values as TOML text, also written to a file if a path is given. Data are represented only by their names."""
        text = self._problem.to_toml()
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_dict(self) -> dict[str, Any]:
        """The values as dictionaries."""
        return _craton.from_toml(self.to_toml())

    def check(self, *, device: str | None = None, devices: int | None = None, threads: int | None = None) -> Report:
        """Checks all input and describes the computation: size, time step, memory, expected time, warnings.

        Raises:
            ScenarioError: the input is invalid.
        """
        return Report(*self._problem.check(device, devices, threads))

    def __getstate__(self) -> tuple[Any, ...]:
        return self._state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._set(*state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_toml() == other.to_toml() and self._state[4] == other._state[4]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        title = self.to_dict().get("title", "")
        return f"<craton.{type(self).__name__}{' ' + repr(title) if title else ''}>"


class Scenario(Described):
    """A wave simulation as described in a scenario file: the keyword arguments are the tables and keys of the file.

    Data may replace file names: ``craton.Volume``, ``craton.Surface``, ``craton.Samples`` or
    ``xarray.DataArray``, tables as dictionaries of columns or ``pandas.DataFrame``, an ObsPy ``Catalog`` or ``Event`` as
    ``source`` and an ``Inventory`` as ``receivers``.

    Raises:
        ScenarioError: a key or a value is invalid; the message names the key, the allowed values and the nearest known key.
    """

    _kind = "scenario"

    def __init__(self, *, folder: str | os.PathLike[str] = ".", **keys: Unpack[Tables]) -> None:
        super().__init__(folder=folder, **keys)

    def run(
        self,
        *,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        progress: bool | Progress = False,
        directory: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        on_frame: Callable[[Frame], None] | None = None,
    ) -> Result:
        """Runs the simulation.

        Args:
            device: ``cpu``, ``cuda``, ``cuda:1`` and so on; by default that of the scenario.
            devices: number of devices or, on the CPU, of parts of the mesh or grid.
            threads: number of threads.
            progress: whether to show the progress, or a function called with ``"step"``, the number of completed steps and their total.
            directory: results folder, with the files of ``craton run``; by default results stay in memory.
            overwrite: whether to replace results in the folder.
            on_frame: function called with each snapshot frame; frames are then not kept in the result.
        Raises:
            ScenarioError: the input is invalid.
            CratonError: the computation failed.
            KeyboardInterrupt: it was interrupted; with a results folder, ``craton resume`` continues it.
        """
        simulation = Simulation(
            self, device=device, devices=devices, threads=threads, directory=directory, overwrite=overwrite
        )
        return simulation.run(progress=progress, on_frame=on_frame)


class Simulation:
    """A simulation on its devices, which can be advanced step by step or run to the end.

    The arguments are those of `Scenario.run`, without ``progress`` and ``on_frame``.
    """

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any],
        *,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        directory: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
    ) -> None:
        own: Scenario = Scenario.from_dict(scenario) if isinstance(scenario, Mapping) else scenario
        self.directory = None if directory is None else Path(directory)
        folder = None if directory is None else os.fspath(directory)
        self._native = _craton.Simulation(own._problem, device, devices, threads, folder, overwrite)
        self._has_snapshots = bool(own.to_dict()["output"].get("snapshots"))

    @property
    def step(self) -> int:
        """Number of completed steps."""
        return self._native.step

    @property
    def steps(self) -> int:
        """Total number of steps; those beyond the duration keep traces accurate when time dispersion is removed."""
        return self._native.steps

    @property
    def time_step(self) -> float:
        """Time step [s]."""
        return self._native.time_step

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._native.time

    @property
    def receivers(self) -> list[str]:
        """Codes of the receivers."""
        return self._native.receivers

    @property
    def warnings(self) -> list[str]:
        """Warnings about the scenario."""
        return self._native.warnings

    def advance(self, steps: int = 1) -> int:
        """Advances by up to ``steps`` steps, stopping at the end, and returns the total number of completed steps."""
        if steps < 0:
            raise ValueError(f"steps = {steps}: at least 0")
        return self._native.advance(steps)

    def fields(self) -> dict[str, np.ndarray]:
        """Copies of the state arrays by name, slowest axis first. Names and shapes depend on the method and on its internal order."""
        checkpoint = self._native.checkpoint()
        arrays = {name: checkpoint.array(name) for name in checkpoint.names}
        return {name: values for name, values in arrays.items() if values is not None}

    def checkpoint(self) -> _craton.Checkpoint:
        """The state, for `restore`."""
        return self._native.checkpoint()

    def restore(self, checkpoint: _craton.Checkpoint) -> None:
        """Restores the state of a simulation of the same scenario."""
        self._native.restore(checkpoint)

    def result(self) -> Result:
        """The results of the complete simulation."""
        return self._result(self._native.traces(), [])

    def run(
        self,
        *,
        progress: bool | Progress = False,
        on_step: Callable[[Simulation], None] | None = None,
        every: int = 100,
        on_frame: Callable[[Frame], None] | None = None,
    ) -> Result:
        """Runs to the end.

        Args:
            progress: as in `Scenario.run`.
            on_step: function called with the simulation every ``every`` steps; an exception stops the run. It cannot be combined with
                snapshots or a results folder.
            on_frame: as in `Scenario.run`.
        """
        if every < 1:
            raise ValueError(f"every = {every}: at least 1")
        report = reporter(progress)
        _warn(self.warnings)
        if on_step is not None:
            if self.directory is not None or self._has_snapshots or on_frame is not None:
                raise ValueError("on_step cannot be combined with snapshots or a results folder; omit one of them")
            while self.step < self.steps:
                self.advance(every)
                if report:
                    report("step", self.step, self.steps)
                on_step(self)
            return self.result()
        frames = Frames()
        take = frames.append if on_frame is None else on_frame
        traces = self._native.run(report, None, lambda native: take(Frame(native)))
        finish(report)
        return self._result(traces, frames.all)

    def _result(self, traces: list[dict[str, Any]], frames: list[Frame]) -> Result:
        native = self._native
        record = {"device": native.device, "steps": native.steps, "time_step": native.time_step, "stages": native.stages}
        return Result([Trace(trace) for trace in traces], frames, native.warnings, record, self.directory)


def run(
    scenario: Scenario | Mapping[str, Any] | str | os.PathLike[str],
    *,
    device: str | None = None,
    devices: int | None = None,
    threads: int | None = None,
    progress: bool | Progress = False,
    directory: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    on_frame: Callable[[Frame], None] | None = None,
) -> Result:
    """Runs a scenario.

    Args:
        scenario: a `Scenario`, its tables as a dictionary, the path of a scenario file, or its text.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on; by default that of the scenario.
        devices: number of devices or, on the CPU, of parts of the mesh or grid.
        threads: number of threads.
        progress: whether to show the progress, or a function called with ``"step"``, the number of completed steps and their total.
        directory: results folder, with the files of ``craton run``; by default results stay in memory.
        overwrite: whether to replace results in the folder.
        on_frame: function called with each snapshot frame; frames are then not kept in the result.
    Returns:
        The seismograms in SI units, and the frames of snapshots.
    Raises:
        ScenarioError: the input is invalid.
        CratonError: the computation failed.
        KeyboardInterrupt: it was interrupted.
    """
    if isinstance(scenario, Mapping):
        made: Scenario = Scenario.from_dict(scenario)
    else:
        made = scenario if isinstance(scenario, Scenario) else Scenario.from_toml(scenario)
    return made.run(
        device=device, devices=devices, threads=threads, progress=progress, directory=directory, overwrite=overwrite,
        on_frame=on_frame,
    )


def _warn(warnings_found: list[str]) -> None:
    for warning in warnings_found:
        warnings.warn(warning, CratonWarning, stacklevel=4)


def _is_toml(text: str) -> bool:
    """Whether a text can be parsed; if not, the native module describes where."""
    try:
        _craton.from_toml(text)
    except ValueError:
        return False
    return True


def _key_of(values: Any, name: str, path: str = "") -> str | None:
    """Path of the first key whose value is a name."""
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in items:
        own = f"{path}.{key}" if isinstance(values, dict) and path else f"{path}[{key}]" if path else str(key)
        found = own if value == name else _key_of(value, name, own) if isinstance(value, (dict, list)) else None
        if found is not None:
            return found
    return None


def _check_names(values: Any, given: Mapping[str, _craton.Data], folder: Path, path: str = "") -> None:
    """Refuses names of data that `Described.to_toml` has written, and that are neither given nor files."""
    if isinstance(values, dict):
        for key, value in values.items():
            _check_names(value, given, folder, f"{path}.{key}" if path else key)
    elif isinstance(values, list):
        for index, value in enumerate(values):
            _check_names(value, given, folder, f"{path}[{index}]")
    elif isinstance(values, str) and values and values in (path, path.removesuffix(".file")) and values not in given:
        if "." in values and not (folder / values).exists():
            raise ValueError(f"{path} = {values!r} is the name of data that a program gave; pass them as data={{{values!r}: ...}}")


def _inline(value: Any) -> str:
    """A value in the notation of TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _craton.to_toml({"key": value}).split("=", 1)[1].strip()
