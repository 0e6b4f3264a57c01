"""Points per second of 3D elastic waves on this processor: Devito and Craton, one after the other on the same cores.

    python3 -m venv peers && peers/bin/pip install devito
    peers/bin/python benches/peers/devito_elastic.py [--cells 200] [--threads 2]

Both: velocity and stress on a staggered grid, Taylor coefficients of order 4 and 8, isotropic heterogeneous rock, single precision, sponges of 20 cells on
five sides, in the grid. Devito (OpenMP, compiled for this processor) is timed with each of its ways to optimise below, autotuned; the best counts. Craton's
figures are those of `cargo bench -p craton-fd --bench step`, whose rows "sponges of 20" are the same problem.
"""

import argparse
import os
import re
import subprocess
import warnings

STEPS = 20
ROUNDS = 4
SPONGE = 20
WAYS = {
    "advanced": ("advanced", {}),
    "advanced, one level of blocks": ("advanced", {"blocklevels": 1, "blockinner": False}),
    "advanced, two levels of blocks": ("advanced", {"blocklevels": 2}),
    "advanced, aliases anywhere": ("advanced", {"cire-rotate": True, "min-storage": True}),
}


def sponge(cells):
    """What is left of a field in a step: exp(-(0.015 (20 - i))^2) at i cells from five of the sides, the top being free."""
    import numpy

    keep = numpy.ones((cells,) * 3, dtype=numpy.float32)
    factors = numpy.exp(-((0.015 * (SPONGE - numpy.arange(SPONGE))) ** 2)).astype(numpy.float32)
    for axis in range(3):
        shape = [1, 1, 1]
        shape[axis] = SPONGE
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[axis], high[axis] = slice(0, SPONGE), slice(cells - SPONGE, cells)
        keep[tuple(low)] *= factors.reshape(shape)
        if axis < 2:
            keep[tuple(high)] *= factors[::-1].reshape(shape)
    return keep


def devito_rate(cells, order, way):
    """Millions of points per second, the best of some rounds."""
    import numpy
    from devito import Eq, Function, Grid, Operator, TensorTimeFunction, VectorTimeFunction, diag, div, grad, solve

    spacing, dt = 10.0, 0.9e-3
    grid = Grid(shape=(cells,) * 3, extent=(spacing * (cells - 1),) * 3, dtype=numpy.float32)
    velocity = VectorTimeFunction(name="v", grid=grid, space_order=order, time_order=1)
    stress = TensorTimeFunction(name="t", grid=grid, space_order=order, time_order=1)
    i, j, k = numpy.ogrid[:cells, :cells, :cells]
    vary = ((7 * i + 13 * j + 29 * k) % 101).astype(numpy.float32)
    vp, rho = 3000.0 + 10.0 * vary, 2200.0 + vary

    def parameter(name, values):
        function = Function(name=name, grid=grid, space_order=order)
        function.data[:] = values
        return function

    mu = parameter("mu", rho * 1800.0**2)
    lam = parameter("lam", rho * (vp**2 - 2.0 * 1800.0**2))
    buoyancy = parameter("b", 1.0 / rho)
    damp = parameter("damp", sponge(cells))
    velocity[0].data[0, cells // 2, cells // 2, cells // 2] = 1.0
    motion = velocity.dt - buoyancy * div(stress)
    forward = velocity.forward
    strain = grad(forward) + grad(forward).transpose(inner=False)
    law = stress.dt - lam * diag(div(forward)) - mu * strain
    equations = [
        Eq(forward, damp * solve(motion, forward)),
        Eq(stress.forward, damp * solve(law, stress.forward)),
    ]
    operator = Operator(equations, opt=way)
    operator.apply(time_M=STEPS - 1, dt=dt, autotune="aggressive")
    rates = []
    for _ in range(ROUNDS):
        summary = operator.apply(time_M=STEPS - 1, dt=dt, autotune="off")
        seconds = sum(section.time for section in summary.values())
        rates.append(cells**3 * STEPS / seconds / 1e6)
    assert numpy.isfinite(velocity[0].data).all(), "the step is not stable"
    return max(rates)


def craton_rates(cells):
    """Millions of points per second on one and two threads by order, from Craton's own benchmark."""
    command = ["cargo", "bench", "-p", "craton-fd", "--bench", "step", "--", str(cells)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"\| (\d+) \| sponges of 20 \| (\d+) \(\d+\) \| \d+ % \| (\d+) ", text)
    return {int(order): (int(one), int(two)) for order, one, two in rows}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cells", type=int, default=200, help="along each axis")
    arguments.add_argument("--threads", type=int, default=2, choices=[1, 2])
    given = arguments.parse_args()
    warnings.filterwarnings("ignore")
    os.environ.update(OMP_NUM_THREADS=str(given.threads), DEVITO_LANGUAGE="openmp", DEVITO_LOGGING="ERROR")
    craton = craton_rates(given.cells)
    print(f"{given.cells}^3 cells, {given.threads} threads\n")
    print("| order | Devito, way | Mpoint/s | Craton, Mpoint/s | ratio to Devito's best |\n|---|---|---|---|---|")
    for order in (4, 8):
        rates = {}
        for name, way in WAYS.items():
            try:
                rates[name] = devito_rate(given.cells, order, way)
            except Exception as error:  # a way that this version of Devito does not know
                print(f"| {order} | {name} | {type(error).__name__} | | |")
        best = max(rates, key=rates.get)
        own = craton[order][given.threads - 1]
        for name, rate in rates.items():
            told = f"{own} | {own / rate:.2f}" if name == best else " | "
            print(f"| {order} | {name} | {rate:.0f} | {told} |")


if __name__ == "__main__":
    main()
