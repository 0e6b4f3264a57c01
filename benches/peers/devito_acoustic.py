"""Points per second of 2D acoustic shots of variable density on this processor: Devito and Craton, one after the other on the same cores.

    python3 -m venv peers && peers/bin/pip install devito
    peers/bin/python benches/peers/devito_acoustic.py [--threads 2]

Both: pressure and velocity on a staggered grid of 1481 x 1101 points, Taylor coefficients of half-length 4 and 8 (order 8 and 16), bulk modulus and density
varying, single precision. Devito (OpenMP, compiled for this processor) has a sponge of 20 points and is timed with each of its ways to optimise,
autotuned; the best counts. Craton has CPML of 20 points, which is more to do, one source and a line of receivers; its figures are those of
`cargo bench -p craton-fd --bench acoustic`, on two threads those of two shots, a thread each, as a survey computes them.
"""

import re

import rates

SHAPE = (1481, 1101)


def devito_rate(order, way):
    import numpy
    from devito import NODE, Eq, Function, Grid, TimeFunction, VectorTimeFunction, div, grad, solve

    spacing, dt = 10.0, 1e-3
    grid = Grid(shape=SHAPE, extent=tuple(spacing * (n - 1) for n in SHAPE), dtype=numpy.float32)
    velocity = VectorTimeFunction(name="v", grid=grid, space_order=order, time_order=1)
    pressure = TimeFunction(name="p", grid=grid, space_order=order, time_order=1, staggered=NODE)
    i, k = numpy.ogrid[: SHAPE[0], : SHAPE[1]]
    vary = ((7 * i + 29 * k) % 101).astype(numpy.float32)
    vp, rho = 2000.0 + 10.0 * vary, 2200.0 + vary

    def parameter(name, values):
        function = Function(name=name, grid=grid, space_order=order)
        function.data[:] = values
        return function

    kappa, buoyancy = parameter("kappa", rho * vp**2), parameter("b", 1.0 / rho)
    damp = parameter("damp", rates.sponge(SHAPE))
    pressure.data[0, SHAPE[0] // 2, SHAPE[1] // 2] = 1.0
    motion = velocity.dt + buoyancy * grad(pressure)
    law = pressure.dt + kappa * div(velocity.forward)
    equations = [
        Eq(velocity.forward, damp * solve(motion, velocity.forward)),
        Eq(pressure.forward, damp * solve(law, pressure.forward)),
    ]
    return rates.rate(equations, way, SHAPE[0] * SHAPE[1], dt, pressure)


def craton_rates(threads):
    """Millions of points per second by order: one shot on a thread, or a shot on each of two."""
    rows = re.findall(r"\| \[1481, 1, 1101\] \| (\d+) \| (\d+) \| 1 \| (\d+) ", rates.bench("acoustic", "plane"))
    return {2 * int(half_length): int(rate) for half_length, shots, rate in rows if int(shots) == threads}


def main():
    given = rates.given(__doc__)
    craton = craton_rates(given.threads)
    print(f"{SHAPE[0]} x {SHAPE[1]} points, {given.threads} threads\n")
    rates.table((8, 16), devito_rate, craton)


if __name__ == "__main__":
    main()
