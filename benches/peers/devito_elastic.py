"""Points per second of 3D elastic waves on this processor: Devito and Craton, one after the other on the same cores.

    python3 -m venv peers && peers/bin/pip install devito
    peers/bin/python benches/peers/devito_elastic.py [--cells 200] [--threads 2]

Both: velocity and stress on a staggered grid, Taylor coefficients of order 4 and 8, isotropic heterogeneous rock, single precision, sponges of 20 cells on
five sides, in the grid. Devito (OpenMP, compiled for this processor) is timed with each of its ways to optimise, autotuned; the best counts. Craton's
figures are those of `cargo bench -p craton-fd --bench step`, whose rows "sponges of 20" are the same problem.
"""

import re

import rates


def devito_rate(cells, order, way):
    import numpy
    from devito import Eq, Function, Grid, TensorTimeFunction, VectorTimeFunction, diag, div, grad, solve

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
    damp = parameter("damp", rates.sponge((cells,) * 3, free=(2,)))
    velocity[0].data[0, cells // 2, cells // 2, cells // 2] = 1.0
    motion = velocity.dt - buoyancy * div(stress)
    forward = velocity.forward
    strain = grad(forward) + grad(forward).transpose(inner=False)
    law = stress.dt - lam * diag(div(forward)) - mu * strain
    equations = [
        Eq(forward, damp * solve(motion, forward)),
        Eq(stress.forward, damp * solve(law, stress.forward)),
    ]
    return rates.rate(equations, way, cells**3, dt, velocity[0])


def craton_rates(cells, threads):
    """Millions of points per second by order."""
    rows = re.findall(r"\| (\d+) \| sponges of 20 \| (\d+) \(\d+\) \| \d+ % \| (\d+) ", rates.bench("step", str(cells)))
    return {int(order): (int(one), int(two))[threads - 1] for order, one, two in rows}


def main():
    given = rates.given(__doc__, cells=(200, "along each axis"))
    craton = craton_rates(given.cells, given.threads)
    print(f"{given.cells}^3 cells, {given.threads} threads\n")
    rates.table((4, 8), lambda order, way: devito_rate(given.cells, order, way), craton)


if __name__ == "__main__":
    main()
