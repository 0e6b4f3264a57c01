"""Writes the surfaces of the mountains: topography.asc and moho.asc, 81 x 61 points every half degree. Needs only Python.

    python3 make_surfaces.py

Topography: a curved range up to 4.5 km high. Moho: at a height of -30 km, and deeper below the range, which is in Airy isostasy.
"""

import math

COUNT = (81, 61)
FIRST = (-10.0, 30.0)
SPACING = 0.5
ROCK, CONTRAST = 2670.0, 400.0


def topography(longitude, latitude):
    axis = 44.0 + 4.0 * math.sin((longitude - 2.0) / 9.0)
    along = math.exp(-(((longitude - 10.0) / 9.0) ** 2))
    return 4500.0 * along * math.exp(-(((latitude - axis) / 1.6) ** 2))


def moho(longitude, latitude):
    return -30000.0 - ROCK / CONTRAST * topography(longitude, latitude)


def write(name, height):
    with open(name, "w") as file:
        file.write(f"ncols {COUNT[0]}\nnrows {COUNT[1]}\nxllcenter {FIRST[0]:.0f}\nyllcenter {FIRST[1]:.0f}\ncellsize {SPACING}\nNODATA_value -99999\n")
        for row in reversed(range(COUNT[1])):
            values = (height(FIRST[0] + SPACING * column, FIRST[1] + SPACING * row) for column in range(COUNT[0]))
            file.write(" ".join(f"{value:.1f}" for value in values) + "\n")


if __name__ == "__main__":
    write("topography.asc", topography)
    write("moho.asc", moho)
