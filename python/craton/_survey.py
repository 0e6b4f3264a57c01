"""Surveys of thousands of shots."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _craton
from ._inputs import Kept, numeric
from ._progress import Report, finish, reporter
from ._result import require
from ._scenario import Described, _warn

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tables.survey import Tables

__all__ = ["Gather", "MisfitAndGradient", "Survey"]


class Gather:
    """The traces of one shot.

    Attributes:
        shot: number of the shot.
        source: centre of the source x, y, z [m].
        channels: channel numbers.
        receivers: receiver position of each channel x, y, z [m], shape ``(channels, 3)``.
        interval: sample interval [s].
        start: time of the first sample [s]: 0, or before the peak of the wavelet if ``output.time_zero`` is ``"peak"``.
        times: time of each sample [s].
        traces: samples of the first recorded quantity, shape ``(channels, samples)``, float32.
        quantities: samples of all recorded quantities by name.
    """

    def __init__(self, native: dict[str, Any]) -> None:
        self.shot: int = native["shot"]
        self.source: tuple[float, float, float] = tuple(native["source"])
        self.channels: np.ndarray = native["channels"]
        self.receivers: np.ndarray = native["receivers"]
        self.interval: float = native["interval"]
        self.start: float = native["start"]
        self.quantities: dict[str, np.ndarray] = native["traces"]
        self.traces: np.ndarray = next(iter(self.quantities.values()))

    @property
    def times(self) -> np.ndarray:
        """Time of each sample [s]."""
        return self.start + self.interval * np.arange(self.traces.shape[1])

    def to_xarray(self) -> Any:
        """The gather as an ``xarray.Dataset`` over channel and time."""
        xarray = require("xarray", "Gather.to_xarray")
        coordinates = {"channel": self.channels, "time": ("time", self.times, {"units": "s"})}
        for number, name in enumerate("xyz"):
            coordinates[f"receiver_{name}"] = ("channel", self.receivers[:, number], {"units": "m"})
        variables = {name: (("channel", "time"), values) for name, values in self.quantities.items()}
        return xarray.Dataset(variables, coordinates, {"shot": self.shot, "source": self.source})

    def __repr__(self) -> str:
        channels, samples = self.traces.shape
        return f"<craton.Gather of shot {self.shot}: {channels} channels, {samples} samples of {self.interval:.6g} s>"


class Survey(Described):
    """A survey as described in a survey file: the keyword arguments are the tables and keys of the file.

    Data may replace file names, as for `Scenario`: models as ``craton.Volume`` or ``xarray.DataArray``, shots and
    receivers as tables.

    Raises:
        ScenarioError: a key or a value is invalid.
    """

    _kind = "survey"

    def __init__(self, *, folder: str | os.PathLike[str] = ".", **keys: Unpack[Tables]) -> None:
        super().__init__(folder=folder, **keys)

    def prepare(self, *, device: str | None = None, devices: int | None = None, threads: int | None = None) -> _craton.Survey:
        """Reads all input and finds the devices. The returned object has ``shots``, ``samples``, ``start``, ``sample_interval`` and ``warnings``."""
        return _craton.Survey(self._problem, device, devices, threads)

    def gathers(
        self,
        shots: range | None = None,
        *,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        progress: bool | Report = False,
    ) -> list[Gather]:
        """Computes the gathers of all shots, or of a range of zero-based indices (not shot numbers)."""
        return list(self.iterate(shots, device=device, devices=devices, threads=threads, progress=progress))

    def iterate(
        self,
        shots: range | None = None,
        *,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        progress: bool | Report = False,
    ) -> Iterator[Gather]:
        """Yields the gathers in survey order while the next ones are being computed."""
        survey = self.prepare(device=device, devices=devices, threads=threads)
        shots = range(survey.shots) if shots is None else shots
        if not isinstance(shots, range) or shots.step != 1 or shots.start < 0:
            raise ValueError(f"shots = {shots!r}: a range of indices from 0 with step 1")
        _warn(survey.warnings)
        return _gathers(survey, shots, reporter(progress))

    def batch(self, models: Iterable[Mapping[str, Any]], shots: range | None = None, **options: Any) -> Iterator[list[Gather]]:
        """Yields the gathers of the survey in each of several models.

        Args:
            models: values of the key ``model``, such as ``{"volume": {"velocity": volume}}``.
            shots, options: as in `gathers`.
        """
        for model in models:
            yield self.changed(model=model).gathers(shots, **options)

    def misfit_and_gradient(
        self,
        model: Mapping[str, Any] | None,
        observed: Iterable[Gather | np.ndarray] | None,
        *,
        misfit: str | Misfit = "l2",
        density: bool = False,
        exact: bool = False,
        device: str | None = None,
        threads: int | None = None,
        progress: bool | Report = False,
    ) -> MisfitAndGradient:
        """Computes the misfit between the survey and observed gathers, and its gradient with respect to the gridded model.

        Shots are summed in their order, so that the result does not depend on the number of threads and devices. Give
        ``method.fd.grid_spacing`` and ``method.fd.time_step`` if the model changes during an inversion: otherwise they follow from it.

        Args:
            model: values of the key ``model``, such as ``{"volume": {"velocity": volume}}``; None for the model of the survey.
            observed: gathers with the quantity, shots, channels, positions and sample interval of the survey, or arrays of traces in the
                order of its shots; None if ``misfit`` is a function.
            misfit: ``"l2"``, half the integral of the squared difference over time, summed over traces; ``"normalised"``, half the squared
                difference of traces divided by their norms; ``"correlation"``, minus the integral of the product, whose gradient is minus the
                image of the observed traces by reverse-time migration; ``"envelope"``, half the squared difference of envelopes;
                ``"transport"``, half the squared Wasserstein distance of traces made positive; ``"adjoint_source"``, the product with the
                observed traces, which are derivatives of a misfit with respect to each sample; or a function from the computed `Gather` of a
                shot to its misfit and the array of these derivatives. Craton calls it on its own threads, one call at a time and in any order
                of the shots.
            density: whether to compute the gradient with respect to a gridded density, too.
            exact: whether to use the forward fields of all steps, instead of those at twice the Nyquist rate of the source.
            device: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` and so on; by default that of the survey.
            threads: number of threads.
            progress: True for a line on standard error, or a function of name, completed and total number of shots.
        """
        own = self if model is None else self.changed(model=model)
        survey = own.prepare(device=device, threads=threads)
        _warn(survey.warnings)
        report = reporter(progress)
        if callable(misfit):
            if observed is not None:
                raise ValueError("observed is None if misfit is a function: the function compares the gathers")
            found = survey.gradient_of_misfit(_called(misfit), density, exact, report)
        elif observed is None:
            raise ValueError("give the observed gathers, or a function as misfit")
        else:
            found = survey.misfit_and_gradient([_observed(gather) for gather in observed], misfit, density, exact, report)
        finish(report)
        return MisfitAndGradient(found)

    def run(
        self,
        directory: str | os.PathLike[str],
        *,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        overwrite: bool = False,
    ) -> str:
        """Computes the survey and writes a results folder with a SEG-Y file, as ``craton survey`` does, or continues an interrupted one.

        Returns:
            The summary that the command prints.
        """
        own = self.changed(f"output.directory={_quoted(directory)}")
        summary: str = own._problem.survey_into_folder(device, devices, threads, overwrite)
        return summary


class MisfitAndGradient:
    """Misfit and gradient of a survey.

    Attributes:
        misfit: misfit of all shots.
        misfits: misfit of each shot by its number.
        velocity: derivative with respect to the speed at each point of the model, per m/s, in the shape of the model.
        density: derivative with respect to the density, per kg/m3; None if it was not requested.
    """

    def __init__(self, native: dict[str, Any]) -> None:
        self.misfit: float = native["misfit"]
        self.misfits: dict[int, float] = dict(native["misfits"])
        self.velocity: np.ndarray = native["velocity"]
        self.density: np.ndarray | None = native.get("density")

    def __repr__(self) -> str:
        return f"<craton.MisfitAndGradient of {len(self.misfits)} shots: misfit {self.misfit:.6g}>"


Misfit = Callable[[Gather], tuple[float, Any]]
"""A function from the computed gather of a shot to its misfit and the derivative with respect to each sample, an array like its traces."""


def _called(misfit: Misfit) -> Callable[[dict[str, Any]], tuple[float, np.ndarray]]:
    def call(native: dict[str, Any]) -> tuple[float, np.ndarray]:
        gather = Gather(native)
        value, adjoint = misfit(gather)
        adjoint = np.ascontiguousarray(adjoint, dtype=np.float64)
        if adjoint.shape != gather.traces.shape:
            raise ValueError(f"the adjoint source of shot {gather.shot} has the shape {adjoint.shape} instead of {gather.traces.shape}")
        return float(value), adjoint

    return call


_Header = tuple[int, list[int], tuple[float, float, float], np.ndarray, tuple[float, float], str]


def _observed(gather: Gather | np.ndarray) -> tuple[_Header | None, Kept]:
    if isinstance(gather, Gather):
        channels = [int(channel) for channel in gather.channels]
        receivers = np.asarray(gather.receivers, dtype=np.float64).reshape(-1, 3)
        quantity = next(iter(gather.quantities))
        header = (gather.shot, channels, gather.source, receivers, (gather.start, gather.interval), quantity)
        return header, Kept(gather.traces, dtype=np.float32)
    traces = numeric(gather, "observed")
    if traces.ndim != 2:
        raise ValueError(f"an observed gather has the shape {traces.shape}: give an array of channels and samples")
    return None, Kept(traces, dtype=np.float32)


class _Stopped(Exception):
    pass


def _gathers(survey: _craton.Survey, shots: range, report: Report | None) -> Iterator[Gather]:
    ready: queue.Queue[Any] = queue.Queue(maxsize=2)
    stop = threading.Event()

    def put(item: Any) -> None:
        while not stop.is_set():
            try:
                return ready.put(item, timeout=0.1)
            except queue.Full:
                continue
        raise _Stopped

    def work() -> None:
        try:
            survey.run(shots.start, shots.stop, put, report)
            put(None)
        except _Stopped:
            pass
        except BaseException as error:  # Any exception is raised again in the thread that iterates.
            try:
                put(error)
            except _Stopped:
                pass

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while True:
            item = ready.get()
            if item is None:
                finish(report)
                return
            if isinstance(item, BaseException):
                raise item
            yield Gather(item)
    finally:
        stop.set()
        survey.cancel()
        thread.join()


def _quoted(path: str | os.PathLike[str]) -> str:
    return _craton.to_toml({"path": os.fspath(path)}).split("=", 1)[1].strip()
