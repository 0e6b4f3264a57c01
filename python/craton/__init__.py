"""Geophysical forward modelling: elastic and acoustic waves, surveys of thousands of shots, gravity of prisms.

>>> import craton
>>> result = craton.run("examples/loh1/loh1.toml", progress=True)
>>> stream = result.stream          # obspy.Stream
>>> result.plot()

A `Scenario` describes a simulation with the tables and keys of a scenario file, and takes arrays where the file names files. `Survey` does
the same for surveys, and `craton.gravity` computes fields of prisms.
"""

from . import gravity
from ._craton import Checkpoint, __version__
from ._inputs import Samples, Surface, Volume
from ._result import Frame, Result, Trace
from ._scenario import Report, Scenario, Simulation, run
from ._survey import Gather, Survey
from .errors import CratonError, Problem, ScenarioError

__all__ = [
    "Checkpoint",
    "CratonError",
    "Frame",
    "Gather",
    "Problem",
    "Report",
    "Result",
    "Samples",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "Surface",
    "Survey",
    "Trace",
    "Volume",
    "__version__",
    "gravity",
    "run",
]
