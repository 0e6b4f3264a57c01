"""The native module."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ._inputs import Kept

__version__: str

class Data:
    def __new__(cls, *parts: Any) -> Data: ...

class Problem:
    def __init__(
        self, kind: str, text: str, name: str, folder: str, overrides: list[str], given: dict[str, Data]
    ) -> None: ...
    def to_toml(self) -> str: ...
    def check(
        self, device: str | None = None, devices: int | None = None, threads: int | None = None
    ) -> tuple[str, list[tuple[str, float]], list[str]]: ...
    def survey_into_folder(
        self, device: str | None = None, devices: int | None = None, threads: int | None = None, overwrite: bool = False
    ) -> str: ...

class Checkpoint:
    @property
    def step(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    def array(self, name: str) -> np.ndarray | None: ...

class Simulation:
    def __init__(
        self,
        problem: Problem,
        device: str | None = None,
        devices: int | None = None,
        threads: int | None = None,
        directory: str | None = None,
        overwrite: bool = False,
    ) -> None: ...
    @property
    def step(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def time_step(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def receivers(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def device(self) -> str: ...
    @property
    def stages(self) -> dict[str, float]: ...
    def advance(self, steps: int) -> int: ...
    def traces(self) -> list[dict[str, Any]]: ...
    def checkpoint(self) -> Checkpoint: ...
    def restore(self, checkpoint: Checkpoint) -> None: ...
    def run(
        self,
        progress: Callable[[str, int, int], object] | None,
        message: Callable[[str], object] | None,
        snapshot: Callable[[dict[str, Any]], object],
    ) -> list[dict[str, Any]]: ...

class Survey:
    def __init__(
        self, problem: Problem, device: str | None = None, devices: int | None = None, threads: int | None = None
    ) -> None: ...
    @property
    def shots(self) -> int: ...
    @property
    def samples(self) -> int: ...
    @property
    def start(self) -> float: ...
    @property
    def sample_interval(self) -> float: ...
    @property
    def warnings(self) -> list[str]: ...
    def cancel(self) -> None: ...
    def run(
        self,
        first: int,
        last: int,
        gather: Callable[[dict[str, Any]], object],
        progress: Callable[[str, int, int], object] | None = None,
        message: Callable[[str], object] | None = None,
    ) -> None: ...
    def misfit_and_gradient(
        self,
        observed: list[tuple[tuple[int, list[int], tuple[float, float, float], np.ndarray, tuple[float, float], str] | None, Kept]],
        misfit: str,
        density: bool,
        exact: bool,
        progress: Callable[[str, int, int], object] | None = None,
        message: Callable[[str], object] | None = None,
    ) -> dict[str, Any]: ...
    def gradient_of_misfit(
        self,
        function: Callable[[dict[str, Any]], tuple[float, np.ndarray]],
        density: bool,
        exact: bool,
        progress: Callable[[str, int, int], object] | None = None,
        message: Callable[[str], object] | None = None,
    ) -> dict[str, Any]: ...

class TesseroidSums:
    def __init__(
        self,
        stations: np.ndarray,
        cells: np.ndarray,
        fields: list[str],
        radius: float,
        ellipsoid: str | None = None,
        threads: int | None = None,
    ) -> None: ...
    def forward(self, density: np.ndarray) -> np.ndarray: ...
    def transpose(self, weights: np.ndarray) -> np.ndarray: ...

class LayerSums:
    def __init__(
        self,
        points: np.ndarray,
        x: np.ndarray,
        y: np.ndarray,
        top: np.ndarray,
        bottom: np.ndarray,
        fields: list[str],
        radius: int | None = None,
        threads: int | None = None,
    ) -> None: ...
    def forward(self, density: np.ndarray) -> np.ndarray: ...
    def transpose(self, weights: np.ndarray) -> np.ndarray: ...

class MagneticSums:
    def __init__(self, points: np.ndarray, prisms: np.ndarray, coefficients: np.ndarray, threads: int | None = None) -> None: ...
    def forward(self, vectors: np.ndarray) -> np.ndarray: ...
    def transpose(self, weights: np.ndarray) -> np.ndarray: ...

class PrismSums:
    def __init__(self, points: np.ndarray, prisms: np.ndarray, fields: list[str], threads: int | None = None) -> None: ...
    def forward(self, density: np.ndarray) -> np.ndarray: ...
    def transpose(self, weights: np.ndarray) -> np.ndarray: ...

def compute_gravity(
    problem: Problem,
    device: str | None = None,
    devices: int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    message: Callable[[str], object] | None = None,
) -> dict[str, tuple[str, np.ndarray]]: ...
def to_toml(values: dict[str, Any]) -> str: ...
def from_toml(text: str) -> dict[str, Any]: ...
