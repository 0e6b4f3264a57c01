"""Full-waveform inversion of a faulted basin below the sea, with SciPy's L-BFGS.

Usage: python basin.py [picture.png]; requires scipy, and matplotlib for the picture.

The model has folded layers of random speeds, two normal faults, a gas pocket and a basement. The first model is smooth and has the right sea.
"""

import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize

import craton

WATER = 1500.0  # wave speed [m/s]
DENSITY = 1800.0  # everywhere [kg/m3]
SCALE = 1000.0  # change of speed of a parameter of 1 [m/s]


@dataclass(frozen=True)
class Basin:
    """A basin with its survey: sizes in metres, times in seconds."""

    width: float = 4000.0
    depth: float = 1600.0
    spacing: float = 20.0  # of the model and of the cells
    shots: int = 12
    frequency: float = 5.0  # peak of the wavelet [Hz]
    max_frequency: float = 12.0
    duration: float = 2.4
    time_step: float = 0.0016

    @property
    def x(self):
        """Coordinates of the model along the line."""
        return self.spacing * np.arange(round(self.width / self.spacing) + 1)

    @property
    def z(self):
        """Depths of the model."""
        return self.spacing * np.arange(round(self.depth / self.spacing) + 1)

    def sea_bottom(self):
        """Depth of the sea bottom at each x."""
        return 0.1 * self.depth * (1.0 + 0.2 * np.sin(2.0 * np.pi * self.x / self.width))

    def true(self):
        """Wave speeds [m/s], shape (x, z)."""
        x, z = np.meshgrid(self.x / self.width, self.z / self.depth, indexing="ij")
        below = z - self.sea_bottom()[:, None] / self.depth
        level = below + (0.22 * np.cos(2.0 * np.pi * (x - 0.5)) + 0.08 * np.cos(13.0 * x)) * below
        for foot, dip, throw in ((0.22, 0.2, -0.07), (0.66, -0.15, 0.09)):
            level = level + throw * np.clip(below / 0.2, 0.0, 1.0) * (x > foot + dip * z)
        layers = np.random.default_rng(3).uniform(-1.0, 1.0, 400)
        speed = 1650.0 + 1500.0 * level + 280.0 * layers[np.clip((level / 0.06).astype(int) + 50, 0, 399)]
        gas = ((x - 0.5) / 0.09) ** 2 + ((z - 0.42 - 2.0 * (x - 0.5) ** 2) / 0.04) ** 2 < 1.0
        speed = np.where(gas, speed - 450.0, speed)
        basement = z > 0.86 - 0.12 * np.exp(-(((x - 0.72) / 0.15) ** 2))
        speed = np.where(basement, 3600.0, speed)
        return np.where(self.is_sea(), WATER, np.clip(speed, 1550.0, 4000.0))

    def is_sea(self):
        """Whether each point of the model is in the sea."""
        return self.z[None, :] < self.sea_bottom()[:, None]

    def start(self):
        """Wave speeds of the first model [m/s]: smooth below the sea."""
        sea, width = self.is_sea(), 0.11 * self.depth / self.spacing
        weight = gaussian_filter((~sea).astype(float), width)
        smooth = gaussian_filter(np.where(sea, 0.0, self.true()), width) / np.maximum(weight, 1e-6)
        return np.where(sea, WATER, smooth)

    def volume(self, speeds):
        """The model as a volume."""
        return craton.Volume(speeds.astype(np.float32), ("x", "depth"), x=self.x, depth=self.z)

    def model(self, speeds):
        """The key `model` of a survey."""
        return {"volume": {"velocity": self.volume(speeds), "density": DENSITY}}

    def shot_positions(self):
        """Position of each shot along x, in the middle of a cell."""
        cells = np.linspace(2, len(self.x) - 4, self.shots).round()
        return self.spacing * (cells + 0.5)

    def receiver_positions(self):
        """Position of each receiver along x, in the middle of every second cell."""
        return self.spacing * (np.arange(1, len(self.x) - 2, 2) + 0.5)

    def survey(self):
        """The survey of the true model: sources in the second row of cells, hydrophones in the third."""

        def row(number, positions, name):
            depth = np.full(len(positions), self.spacing * (number + 0.5))
            return {name: np.arange(1, len(positions) + 1), "x": positions, "y": 0.0 * positions, "depth": depth}

        tables = {"shots": row(1, self.shot_positions(), "shot"), "receivers": row(2, self.receiver_positions(), "channel")}
        # The grid and the time step are given, because they would follow from the model otherwise.
        fd = {"max_frequency": self.max_frequency, "grid_spacing": self.spacing, "time_step": self.time_step}
        return craton.Survey(
            duration=self.duration,
            boundaries={"top": "absorbing"},
            model=self.model(self.true()),
            acquisition={"tables": tables},
            source={"amplitude": 1e6, "time_function": {"ricker": {"frequency": self.frequency}}},
            method={"fd": fd},
            output={"sample_interval": 4.0 * self.time_step},
        )

    def speeds(self, values):
        """Wave speeds [m/s] from parameters: smooth over a cell, unchanged in the sea."""
        change = gaussian_filter(values.reshape(len(self.x), len(self.z)), 1.0)
        return self.start() + SCALE * np.where(self.is_sea(), 0.0, change)

    def of_parameters(self, gradient):
        """The derivative with respect to the parameters from that with respect to the speeds: the transpose of `speeds`."""
        return SCALE * gaussian_filter(np.where(self.is_sea(), 0.0, gradient), 1.0).ravel()

    def error(self, speeds):
        """Root mean square difference from the true model, relative to that of the first one."""
        return np.linalg.norm(speeds - self.true()) / np.linalg.norm(self.start() - self.true())


def invert(basin, misfit_and_gradient, iterations):
    """Fits the model by L-BFGS.

    Args:
        misfit_and_gradient: a function from wave speeds to the misfit and its derivative with respect to them.

    Returns:
        Wave speeds, and the misfit after each iteration relative to that of the first model.
    """
    scale, gradient = misfit_and_gradient(basin.start())
    steepest = basin.of_parameters(gradient) / scale
    # In these units the gradient of the first model is a change of speed by at most 50 m/s.
    unit = np.sqrt(0.05 / np.abs(steepest).max())

    def evaluate(values):
        misfit, gradient = misfit_and_gradient(basin.speeds(unit * values))
        return misfit / scale, unit * basin.of_parameters(gradient) / scale

    history = [1.0]
    found = minimize(
        evaluate,
        np.zeros(steepest.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 0.0, "gtol": 0.0},
        callback=lambda intermediate_result: history.append(float(intermediate_result.fun)),
    )
    return basin.speeds(unit * found.x), history


def picture(basin, found, history, name):
    """The true, the first and the inverted model, and the misfit."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 6.4), constrained_layout=True)
    extent = [0.0, basin.width / 1e3, basin.depth / 1e3, 0.0]
    for panel, (title, speeds) in zip(axes.flat, [("true", basin.true()), ("first", basin.start()), ("inverted", found)]):
        image = panel.imshow(speeds.T, extent=extent, cmap="viridis", vmin=1500.0, vmax=3700.0, aspect="auto")
        panel.set(title=f"{title} model", xlabel="x [km]", ylabel="depth [km]")
        figure.colorbar(image, ax=panel, label="vp [m/s]")
    axes[1, 1].semilogy(history)
    axes[1, 1].set(title="misfit", xlabel="iteration", ylabel="relative to the first model")
    figure.savefig(name, dpi=120)


def main(arguments):
    warnings.simplefilter("ignore", craton.CratonWarning)
    basin = Basin()
    survey = basin.survey()
    observed = survey.gathers()

    def misfit_and_gradient(speeds):
        found = survey.misfit_and_gradient(basin.model(speeds), observed)
        return found.misfit, found.velocity

    begun = time.perf_counter()
    speeds, history = invert(basin, misfit_and_gradient, 40)
    print(f"misfit {history[-1]:.4f} of that of the first model after {len(history) - 1} iterations, in {time.perf_counter() - begun:.0f} s")
    print(f"error of the model {basin.error(speeds):.2f} of that of the first one")
    if arguments:
        picture(basin, speeds, history, arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
