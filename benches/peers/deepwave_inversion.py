"""Full-waveform inversion by Craton and by Deepwave on the same GPU: python deepwave_inversion.py [iterations].

Both fit the model of `examples/faulted_basin/basin.py`, on a finer grid, to their own traces of the true model, with the same optimiser, parameters and first
model. Deepwave solves the scalar wave equation of order 8 with layers of 20 cells, twelve shots at once, and stores every eighth forward step.
Requires PyTorch with CUDA, Deepwave, SciPy and the package `craton`.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples/faulted_basin"))
from basin import WATER, Basin, invert

import craton

#: Cells of 8 m, a wavelet of 10 Hz.
BASIN = Basin(
    width=9600.0, depth=3200.0, spacing=8.0, shots=24, frequency=10.0, max_frequency=25.0, duration=3.584, time_step=0.0008
)


def of_craton(basin):
    """Misfit and derivative by Craton."""
    warnings.simplefilter("ignore", craton.CratonWarning)
    survey = basin.survey()
    observed = survey.gathers(device="cuda")

    def misfit_and_gradient(speeds):
        found = survey.misfit_and_gradient(basin.model(speeds), observed, device="cuda")
        return found.misfit, found.velocity

    return misfit_and_gradient


def of_deepwave(basin, every, at_once):
    """Misfit and derivative by Deepwave, some shots at once."""
    import deepwave

    device = torch.device("cuda")
    steps = round(basin.duration / basin.time_step)

    def cells(positions, row):
        along = np.round(positions / basin.spacing - 0.5).astype(np.int64)
        return np.stack([along, np.full(len(along), row)], axis=-1)

    sources = torch.tensor(cells(basin.shot_positions(), 1), device=device)[:, None, :]
    receivers = torch.tensor(cells(basin.receiver_positions(), 2), device=device)[None].repeat(basin.shots, 1, 1)
    wavelet = deepwave.wavelets.ricker(basin.frequency, steps, basin.time_step, 1.2 / basin.frequency).to(device)

    def traces(speeds, shots):
        corners = [speeds[:-1, :-1], speeds[1:, :-1], speeds[:-1, 1:], speeds[1:, 1:]]
        return deepwave.scalar(
            0.25 * sum(corners),
            basin.spacing,
            basin.time_step,
            source_amplitudes=wavelet[None, None].repeat(len(shots), 1, 1),
            source_locations=sources[shots],
            receiver_locations=receivers[shots],
            accuracy=8,
            pml_width=20,
            pml_freq=basin.frequency,
            max_vel=4000.0,
            model_gradient_sampling_interval=every,
        )[-1]

    batches = [range(first, min(first + at_once, basin.shots)) for first in range(0, basin.shots, at_once)]
    with torch.no_grad():
        true = torch.tensor(basin.true(), dtype=torch.float32, device=device)
        observed = [traces(true, shots) for shots in batches]

    def misfit_and_gradient(speeds):
        model = torch.tensor(speeds, dtype=torch.float32, device=device, requires_grad=True)
        total = 0.0
        for shots, of_true in zip(batches, observed, strict=True):
            misfit = 0.5 * ((traces(model, shots) - of_true) ** 2).sum()
            misfit.backward()
            total += misfit.item()
        return total, model.grad.double().cpu().numpy()

    return misfit_and_gradient


def main(arguments):
    iterations = int(arguments[0]) if arguments else 40
    x, z = len(BASIN.x) - 1, len(BASIN.z) - 1
    print(f"{x} x {z} cells, {BASIN.shots} shots, {BASIN.duration / BASIN.time_step:.0f} steps, {torch.cuda.get_device_name()}")
    assert (BASIN.true() >= WATER).all()
    histories, gradients = {}, {}
    for name, made in (("craton", lambda: of_craton(BASIN)), ("deepwave", lambda: of_deepwave(BASIN, 8, 12))):
        misfit_and_gradient = made()
        gradients[name] = misfit_and_gradient(BASIN.start())[1]
        torch.cuda.synchronize()
        calls, begun = [], time.perf_counter()

        def timed(speeds, inner=misfit_and_gradient, calls=calls):
            start = time.perf_counter()
            found = inner(speeds)
            calls.append(time.perf_counter() - start)
            return found

        speeds, histories[name] = invert(BASIN, timed, iterations)
        seconds = time.perf_counter() - begun
        print(
            f"{name}: {seconds:.1f} s, {len(calls)} gradients of {np.median(calls):.3f} s (median), misfit {histories[name][-1]:.4f}, "
            f"error of the model {BASIN.error(speeds):.3f}",
            flush=True,
        )
        print("  misfits", " ".join(f"{misfit:.4f}" for misfit in histories[name][::5]), flush=True)
    one, other = (gradients[name].ravel() for name in ("craton", "deepwave"))
    print(f"first gradients: correlation {one @ other / np.linalg.norm(one) / np.linalg.norm(other):.5f}")
    both = np.array([history[: min(map(len, histories.values()))] for history in histories.values()])
    print(f"largest relative difference of the misfits {np.abs(both[0] / both[1] - 1.0).max():.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
