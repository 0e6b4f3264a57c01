"""Writes topography.asc: a valley with a bend, 250 m to 700 m above zero, on a grid of 200 m that covers the domain."""
from math import exp, sin, pi

STEP, FIRST, COUNT = 200.0, -200.0, 43


def elevation(x, y):
    """Elevation [m] at x east, y north [m]."""
    centre = 4000.0 + 900.0 * sin(2.0 * pi * y / 8000.0)
    return 700.0 - 450.0 * exp(-(((x - centre) / 1100.0) ** 2))


with open("topography.asc", "w") as grid:
    grid.write(f"ncols {COUNT}\nnrows {COUNT}\nxllcenter {FIRST}\nyllcenter {FIRST}\ncellsize {STEP}\nNODATA_value -9999\n")
    for row in reversed(range(COUNT)):
        heights = (elevation(FIRST + column * STEP, FIRST + row * STEP) for column in range(COUNT))
        grid.write(" ".join(f"{height:.2f}" for height in heights) + "\n")
