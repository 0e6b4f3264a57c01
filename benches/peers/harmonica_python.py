"""Nine fields of 32,000 cubes at 750 points from Python on one core: harmonica (choclo) and craton.gravity, in turns in one process.

    pip install harmonica scipy . && python benches/peers/harmonica_python.py

Whole calls are timed, with conversion of arguments and results. harmonica computes one field in a call; it is compiled before.
"""

import os
import time

os.environ["NUMBA_NUM_THREADS"] = "1"

import harmonica
import numpy as np
from craton import gravity
from harmonica_prisms import CELLS, FIELDS, POINTS, block

OURS = [name.replace("z", "d") for name in FIELDS]
ROUNDS = 3


def best(work, times):
    """Seconds of the fastest call, and its result."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        result = work()
        found.append(time.perf_counter() - begun)
    return min(found), result


def main():
    prisms = block()
    density = 300.0 + 50.0 * np.sin(np.arange(len(prisms)))
    edge = 50.0 * CELLS[0]
    easting, northing = np.meshgrid(np.linspace(0.0, edge, POINTS[0]), np.linspace(0.0, edge, POINTS[1]))
    points = (easting, northing, np.full(easting.shape, 60.0))

    def theirs(part):
        return [harmonica.prism_gravity(points, prisms[part], density[part], field=field) for field in FIELDS]

    theirs(slice(2))
    operator = gravity.operator(points, prisms, OURS, threads=1)
    calls = {
        "harmonica": (lambda: theirs(slice(None)), 1),
        "exact": (lambda: gravity.prisms(points, prisms, density, OURS, threads=1), 5),
        "operator": (lambda: operator @ density, 5),
        "1e-5": (lambda: gravity.prisms(points, prisms, density, OURS, accuracy=1e-5, threads=1), 20),
    }
    seconds = {name: [] for name in calls}
    for _ in range(ROUNDS):
        results = {}
        for name, (work, times) in calls.items():
            found, results[name] = best(work, times)
            seconds[name].append(found)
    for field, reference in zip(OURS, results["harmonica"]):
        error = np.abs(results["exact"][field] - reference).max() / np.abs(reference).max()
        assert error < 1e-9, (field, error)
    reference = min(seconds["harmonica"])
    for name, found in seconds.items():
        print(f"{name:10} {min(found):8.3f} s  {reference / min(found):6.1f}")


if __name__ == "__main__":
    main()
