"""Full-waveform inversion for a lens in a velocity gradient, with SciPy's L-BFGS.

Usage: python invert.py [picture.png]; requires scipy, and matplotlib for the picture.
"""

import sys
import warnings

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize

import craton

SPACING = 20.0  # of the model and of the cells [m]
X, DEPTH = SPACING * np.arange(81), SPACING * np.arange(51)
ITERATIONS = 15


def volume(velocity):
    """A volume with wave speeds [m/s] of shape (len(X), len(DEPTH))."""
    return craton.Volume(velocity.reshape(len(X), len(DEPTH)).astype(np.float32), ("x", "depth"), x=X, depth=DEPTH)


def model(velocity):
    """The key `model` of a survey."""
    return {"volume": {"velocity": volume(velocity), "density": 2000.0}}


def line(depth, first, last, count):
    """Points along x."""
    return {"from": [first, 0.0, depth], "to": [last, 0.0, depth], "count": count}


start = 1800.0 + 0.6 * np.broadcast_to(DEPTH, (len(X), len(DEPTH)))
lens = np.exp(-((X[:, None] - 800.0) ** 2 + (DEPTH - 500.0) ** 2) / (2 * 120.0**2))
true = start + 250.0 * lens

# The grid and the time step are given, because they would follow from the model otherwise.
survey = craton.Survey(
    duration=1.2,
    boundaries={"top": "absorbing"},
    model=model(true),
    acquisition={
        "fixed": {
            "shot_line": [line(50.0, 90.0, 1510.0, 9)],
            "receiver_line": [line(50.0, 50.0, 1550.0, 61), line(950.0, 50.0, 1550.0, 61)],
        }
    },
    source={"amplitude": 1e6, "time_function": {"ricker": {"frequency": 8.0}}},
    method={"fd": {"max_frequency": 20.0, "grid_spacing": SPACING, "time_step": 0.003}},
    output={"directory": "unused", "sample_interval": 0.006},
)
warnings.simplefilter("ignore", craton.CratonWarning)
observed = survey.gathers()


def velocity(values):
    """Wave speeds [m/s] from parameters: smooth, and unchanged where sources and receivers are."""
    return start + 1000.0 * gaussian_filter(taper * values.reshape(start.shape), 1.0)


def evaluate(values):
    """Misfit, and its gradient with respect to the parameters: the transpose of `velocity`, applied to that of the survey."""
    found = survey.misfit_and_gradient(model(velocity(values)), observed)
    gradient = 1000.0 * taper * gaussian_filter(found.velocity, 1.0)
    return found.misfit / scale, gradient.ravel() / scale


taper = np.clip((np.minimum(DEPTH, DEPTH[-1] - DEPTH) - 80.0) / 80.0, 0.0, 1.0)
scale = 1.0
scale = evaluate(np.zeros(start.size))[0]
history = [1.0]
result = minimize(
    evaluate,
    np.zeros(start.size),
    jac=True,
    method="L-BFGS-B",
    options={"maxiter": ITERATIONS},
    callback=lambda intermediate_result: history.append(intermediate_result.fun),
)
found = velocity(result.x)
error = np.linalg.norm(found - true) / np.linalg.norm(start - true)
print(f"misfit {history[-1]:.4f} of that of the first model after {len(history) - 1} iterations")
print(f"model error {error:.3f} of that of the first model, lens {np.max((found - start)[20:60, 15:35]):.0f} m/s of 250 m/s")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 3.2), constrained_layout=True)
    for panel, (title, values) in zip(axes, [("true", true - start), ("found", found - start)]):
        extent = [X[0], X[-1], DEPTH[-1], DEPTH[0]]
        image = panel.imshow((values).T, extent=extent, cmap="RdBu", vmin=-250, vmax=250)
        panel.set(title=f"{title}: change of vp", xlabel="x [m]", ylabel="depth [m]")
    figure.colorbar(image, ax=axes[1], label="m/s")
    axes[2].semilogy(history, "o-")
    axes[2].set(title="misfit", xlabel="iteration", ylabel="relative to the first model")
    figure.savefig(sys.argv[1], dpi=120)
