"""What the comparisons with Devito share: its ways to optimise, its rate, and the table beside Craton's."""

import argparse
import os
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


def given(document, **options):
    """Options of the command line; Devito is told of them before it is loaded."""
    arguments = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--threads", type=int, default=2, choices=[1, 2])
    for name, (default, meaning) in options.items():
        arguments.add_argument(f"--{name}", type=int, default=default, help=meaning)
    found = arguments.parse_args()
    warnings.filterwarnings("ignore")
    os.environ.update(OMP_NUM_THREADS=str(found.threads), DEVITO_LANGUAGE="openmp", DEVITO_LOGGING="ERROR")
    return found


def sponge(shape, free=()):
    """What is left of a field in a step: exp(-(0.015 (20 - i))^2) at i cells from all sides but the upper ends of some axes."""
    import numpy

    keep = numpy.ones(shape, dtype=numpy.float32)
    factors = numpy.exp(-((0.015 * (SPONGE - numpy.arange(SPONGE))) ** 2)).astype(numpy.float32)
    for axis in range(len(shape)):
        along = [1] * len(shape)
        along[axis] = SPONGE
        low, high = [slice(None)] * len(shape), [slice(None)] * len(shape)
        low[axis], high[axis] = slice(0, SPONGE), slice(shape[axis] - SPONGE, shape[axis])
        keep[tuple(low)] *= factors.reshape(along)
        if axis not in free:
            keep[tuple(high)] *= factors[::-1].reshape(along)
    return keep


def rate(equations, way, points, dt, field):
    """Millions of points per second, the best of some rounds."""
    import numpy
    from devito import Operator

    operator = Operator(equations, opt=way)
    operator.apply(time_M=STEPS - 1, dt=dt, autotune="aggressive")
    rates = []
    for _ in range(ROUNDS):
        summary = operator.apply(time_M=STEPS - 1, dt=dt, autotune="off")
        seconds = sum(section.time for section in summary.values())
        rates.append(points * STEPS / seconds / 1e6)
    assert numpy.isfinite(field.data).all(), "the step is not stable"
    return max(rates)


def bench(name, *words):
    """What one of Craton's own benchmarks prints."""
    command = ["cargo", "bench", "-p", "craton-fd", "--bench", name, "--", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(cases, devito, craton):
    """Prints Devito's rate of each case in each way, and Craton's beside the best.

    cases: names; devito: rate of a case and a way; craton: rates by case.
    """
    print("| order | Devito, way | Mpoint/s | Craton, Mpoint/s | ratio to Devito's best |\n|---|---|---|---|---|")
    for case in cases:
        rates = {}
        for name, way in WAYS.items():
            try:
                rates[name] = devito(case, way)
            except Exception as error:  # a way that this version of Devito does not know
                print(f"| {case} | {name} | {type(error).__name__} | | |")
        best = max(rates, key=rates.get)
        for name, found in rates.items():
            told = f"{craton[case]} | {craton[case] / found:.2f}" if name == best else " | "
            print(f"| {case} | {name} | {found:.0f} | {told} |")
