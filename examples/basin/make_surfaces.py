"""Writes the surfaces of the basin: topography.asc and basement.asc, 121 x 101 points every 250 m. Needs Python alone.

    python3 make_surfaces.py

Topography: hills around a plain, with a lake whose bed lies below z = 0. Basement: a basin up to 3 km deep with a sill in its middle. Both meet at the
edges of the basin.
"""

import math

COUNT = (121, 101)
SPACING = 250.0


def topography(x, y):
    hills = 420.0 * math.sin(x / 4100.0) ** 2 * math.sin(y / 3700.0 + 0.4) ** 2
    plain = 1.0 / (1.0 + math.exp(-(math.hypot((x - 15000.0) / 1.3, y - 12500.0) - 8000.0) / 900.0))
    lake = 60.0 * math.exp(-(((x - 19000.0) / 1800.0) ** 2) - ((y - 10000.0) / 1400.0) ** 2)
    return 25.0 + hills * plain - lake


def thickness(x, y):
    bowl = max(0.0, 1.0 - ((x - 15000.0) / 11000.0) ** 2 - ((y - 12500.0) / 7500.0) ** 2)
    sill = 1.0 - 0.45 * math.exp(-(((x - 14000.0) / 1500.0) ** 2))
    return 3000.0 * bowl * sill


def write(name, height):
    with open(name, "w") as file:
        file.write(f"ncols {COUNT[0]}\nnrows {COUNT[1]}\nxllcenter 0\nyllcenter 0\ncellsize {SPACING:.0f}\nNODATA_value -9999\n")
        for row in reversed(range(COUNT[1])):
            values = (height(SPACING * column, SPACING * row) for column in range(COUNT[0]))
            file.write(" ".join(f"{value:.2f}" for value in values) + "\n")


write("topography.asc", topography)
write("basement.asc", lambda x, y: topography(x, y) - thickness(x, y))
