"""Geophysical forward modelling: elastic and acoustic waves, surveys of thousands of shots, gravity of prisms.

>>> import craton
>>> result = craton.run("examples/loh1/loh1.toml", progress=True)
>>> stream = result.stream          # obspy.Stream
>>> result.plot()

A `Scenario` describes a simulation with the tables and keys of a scenario file, and accepts arrays in place of input files. `Survey`
describes a survey in the same way, and `craton.gravity` computes the gravity of prisms.
"""

from . import gravity
from ._craton import Checkpoint, __version__
from ._inputs import Samples, Surface, Volume
from ._result import Frame, Result, Trace
from ._scenario import Report, Scenario, Simulation, run
from ._survey import Gather, MisfitAndGradient, Survey
from .errors import CratonError, CratonWarning, Problem, ScenarioError

__all__ = [
    "Checkpoint",
    "CratonError",
    "CratonWarning",
    "Frame",
    "Gather",
    "MisfitAndGradient",
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
