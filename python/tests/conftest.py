"""Small problems that the tests share."""

from pathlib import Path

import numpy as np
import pytest

import craton

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def box() -> dict:
    """Tables of a small scenario: an explosion in a homogeneous box."""
    return {
        "duration": 0.3,
        "domain": {"x": [-500.0, 500.0], "y": [-500.0, 500.0], "z": [-800.0, 0.0]},
        "model": {"homogeneous": {"vp": 2000.0, "vs": 1100.0, "rho": 2000.0}},
        "source": [
            {
                "position": [0.0, 0.0, -300.0],
                "moment_tensor": {"xx": 1e12, "yy": 1e12, "zz": 1e12},
                "time_function": {"ricker": {"frequency": 6.0}},
            }
        ],
        "receivers": {"stations": [{"code": "XX.A", "position": [300.0, 0.0, 0.0]}, {"code": "XX.B", "position": [0.0, 300.0, -50.0]}]},
        "method": {"fd": {"max_frequency": 12.0, "points_per_wavelength": 5.0}},
        "output": {"sample_interval": 0.01},
    }


@pytest.fixture
def scenario(box: dict) -> craton.Scenario:
    return craton.Scenario(**box)


@pytest.fixture
def line() -> dict:
    """Tables of a small survey in a plane, with its model and tables as arrays."""
    depth, x = np.arange(41) * 10.0, np.arange(81) * 10.0
    speed = np.where(depth[:, None] < 200.0, 1500.0, 2000.0) + 0.0 * x
    return {
        "duration": 0.4,
        "model": {"volume": {"velocity": craton.Volume(speed, ("depth", "x"), depth=depth, x=x)}},
        "acquisition": {
            "tables": {
                "shots": {"shot": [1, 2, 3], "x": [200.0, 400.0, 600.0], "y": [0, 0, 0], "depth": [20, 20, 20]},
                "receivers": {"channel": [1, 2], "x": [300.0, 500.0], "y": [0, 0], "depth": [20, 20]},
            }
        },
        "source": {"time_function": {"ricker": {"frequency": 8.0}}},
        "method": {"fd": {"max_frequency": 20.0}},
        "output": {"sample_interval": 0.004},
    }
