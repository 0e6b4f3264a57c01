"""Pairs of a prism and a point per second on this processor: harmonica (choclo) and Craton, one after the other on one core.

    python3 -m venv peers && peers/bin/pip install harmonica
    cargo build --release
    peers/bin/python benches/peers/harmonica_prisms.py

Both: a block of cubes of 50 m below a level grid, nine fields: three components of attraction and six of the tensor. harmonica's `prism_layer` and
`prism_gravity` compute one field in a call; the nine calls are timed, compiled before (numba). Craton computes the nine at once, by every prism at every
point ("exact"), and with an error of 1e-5 of the largest values ("1e-5"); its whole command is timed, less what it takes for one prism and one point.
"""

import os
import subprocess
import tempfile
import time

os.environ["NUMBA_NUM_THREADS"] = "1"

CELLS = (40, 40, 20)
EDGE = 50.0
POINTS = (30, 25)
FIELDS = ["g_e", "g_n", "g_z", "g_ee", "g_nn", "g_zz", "g_en", "g_ez", "g_nz"]
ROUNDS = 2


def block():
    import numpy

    west, south, bottom = numpy.meshgrid(*(EDGE * numpy.arange(n) for n in CELLS), indexing="ij")
    west, south, bottom = west.ravel(), south.ravel(), bottom.ravel() - EDGE * CELLS[2]
    return numpy.stack([west, west + EDGE, south, south + EDGE, bottom, bottom + EDGE], axis=1)


def harmonica_rate(prisms, density, coordinates):
    import harmonica

    def all_fields():
        return [harmonica.prism_gravity(coordinates, prisms, density, field=field) for field in FIELDS]

    harmonica_first = [coordinate[:2] for coordinate in coordinates]
    for field in FIELDS:
        harmonica.prism_gravity(harmonica_first, prisms[:2], density[:2], field=field)
    best = min(timed(all_fields) for _ in range(ROUNDS))
    return len(prisms) * coordinates[0].size / best, all_fields()


def timed(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def craton(folder, prisms, density, coordinates, accuracy):
    """Seconds of the stage of sums, and the table of results."""
    import json

    import numpy

    numpy.save(f"{folder}/prisms.npy", numpy.column_stack([prisms, density]))
    numpy.save(f"{folder}/points.npy", numpy.column_stack([coordinate.ravel() for coordinate in coordinates]))
    method = f"[method]\naccuracy = {accuracy}\n" if accuracy else ""
    with open(f"{folder}/it.toml", "w") as file:
        file.write(
            "[[body]]\nprisms.file = 'prisms.npy'\n[points.list]\nfile = 'points.npy'\n"
            f"{method}[output]\ndirectory = 'results'\npictures = false\n[compute]\nthreads = 1\n"
        )
    binary = os.path.abspath(os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release/craton"))
    seconds = []
    for _ in range(ROUNDS):
        subprocess.run([binary, "gravity", "it.toml", "--quiet", "--overwrite"], check=True, cwd=folder)
        stages = json.load(open(f"{folder}/results/run.json"))["stages"]
        seconds.append(sum(stage["seconds"] for stage in stages if stage["name"] in ("way", "sums")))
    return min(seconds), numpy.genfromtxt(f"{folder}/results/gravity.csv", delimiter=",", names=True)


def main():
    import numpy

    prisms = block()
    density = 300.0 + 50.0 * numpy.sin(numpy.arange(len(prisms)))
    x, y = numpy.meshgrid(numpy.linspace(-500.0, 2500.0, POINTS[0]), numpy.linspace(-500.0, 2500.0, POINTS[1]))
    coordinates = (x, y, numpy.full_like(x, 100.0))
    pairs = len(prisms) * x.size
    rate, fields = harmonica_rate(prisms, density, coordinates)
    print(f"{len(prisms)} prisms, {x.size} points, nine fields, one core\n")
    print("| program | million pairs/s | ratio | largest difference of g_z, of its peak |\n|---|---|---|---|")
    print(f"| harmonica | {rate / 1e6:.2f} | 1 | |")
    down = fields[2].ravel()
    with tempfile.TemporaryDirectory() as folder:
        for name, accuracy in [("Craton, exact", None), ("Craton, 1e-5", 1e-5)]:
            seconds, table = craton(folder, prisms, density, coordinates, accuracy)
            # harmonica's g_z is positive down, in mGal.
            difference = numpy.abs(-table["g_u_mgal"] - down).max() / numpy.abs(down).max()
            print(f"| {name} | {pairs / seconds / 1e6:.2f} | {pairs / seconds / rate:.1f} | {difference:.1e} |")


if __name__ == "__main__":
    main()
